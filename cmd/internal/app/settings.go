package app

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/dates"
	"github.com/multiscraper/multiscraper/scraperutils/pace"
	"github.com/multiscraper/multiscraper/scraperutils/quality"
)

// settings is how a run behaves, whoever said so: flags win over the environment, which wins over defaults.
type settings struct {
	authorities []string // labels; none: all
	expectBad   []string // labels whose failure is expected

	runTimeout     time.Duration // 0: the command's default
	maxWorkers     int           // 0: all
	disableThreads bool

	maxLoad      float64       // percent
	randomDelay  time.Duration // on average
	noDelay      bool          // neither of these two
	notCompliant bool          // what a robots.txt forbids is fetched all the same

	clientTimeout time.Duration // 0: that of the authority, or the default
	insecure      bool          // no certificate is checked
	proxy         *url.URL      // the Australian one, or nil
	useProxy      bool          // for all authorities
	userAgent     string

	plan    dates.Plan // of searches that are spread over days
	cycle   *int       // where options with several values stand, instead of at the day
	inOrder bool       // spans of days are searched oldest first, instead of in random order

	quality quality.Limit // how many bad records are borne
	vacuum  bool          // after the clean-up
	debug   int

	misspelt []string // warnings about names in the environment that are nearly a setting's
}

// setting declares a setting: this is all that is said of it anywhere in the code.
type setting struct {
	variable  string
	flag      string // of scrape run; "" where there is none
	accepted  string // what a value may be, as an error says it after "expected"
	byDefault string // as the documentation has it
	secret    bool   // errors do not show its value
	read      func(s *settings, value string) error
}

// Values that several settings take.
const (
	someLabels = "labels with commas between them"
	aSwitch    = "1, true, yes or on; or 0, false, no or off"
	someDays   = "a number of days, 1 to 10000"
)

// declared is all settings. Of two for the same field the later one wins.
var declared = []setting{
	{variable: "MORPH_AUTHORITIES", flag: "--authority", accepted: someLabels, byDefault: "all",
		read: into(authorities.Labels, func(s *settings) *[]string { return &s.authorities })},
	{variable: "MORPH_EXPECT_BAD", accepted: someLabels, byDefault: "none",
		read: into(authorities.Labels, func(s *settings) *[]string { return &s.expectBad })},
	{variable: "MORPH_RUN_TIMEOUT", flag: "--run-timeout", accepted: "seconds or a duration like 6h, over zero, at most a year", byDefault: "6h",
		read: into(timeout(365*24*time.Hour), func(s *settings) *time.Duration { return &s.runTimeout })},
	{variable: "MORPH_MAX_WORKERS", flag: "--max-workers", accepted: "a number from 1 to 100000", byDefault: "all",
		read: into(whole(1, 100_000), func(s *settings) *int { return &s.maxWorkers })},
	{variable: "MORPH_DISABLE_THREADS", accepted: aSwitch, byDefault: "off",
		read: into(onOff, func(s *settings) *bool { return &s.disableThreads })},
	{variable: "MORPH_MAX_LOAD", flag: "--max-load", accepted: "a percentage from 1 to 80", byDefault: "50",
		read: into(percentage(pace.MinLoad, pace.MaxLoad), func(s *settings) *float64 { return &s.maxLoad })},
	{variable: "MORPH_RANDOM_DELAY", accepted: "an average number of seconds, 0 to 3600", byDefault: "0",
		read: into(duration(time.Hour), func(s *settings) *time.Duration { return &s.randomDelay })},
	{variable: "MORPH_NOT_COMPLIANT", accepted: aSwitch, byDefault: "off",
		read: into(onOff, func(s *settings) *bool { return &s.notCompliant })},
	{variable: "MORPH_CLIENT_TIMEOUT", accepted: "seconds or a duration like 60s, over zero, at most an hour", byDefault: "60",
		read: into(timeout(time.Hour), func(s *settings) *time.Duration { return &s.clientTimeout })},
	{variable: "MORPH_DISABLE_SSL_CHECK", accepted: aSwitch, byDefault: "off",
		read: into(onOff, func(s *settings) *bool { return &s.insecure })},
	{variable: "MORPH_AUSTRALIAN_PROXY", accepted: "http://user:password@host:port", byDefault: "none", secret: true,
		read: into(parseProxy, func(s *settings) **url.URL { return &s.proxy })},
	{variable: "MORPH_USE_PROXY", accepted: aSwitch, byDefault: "off",
		read: into(onOff, func(s *settings) *bool { return &s.useProxy })},
	{variable: "MORPH_USER_AGENT", accepted: "one line of text", byDefault: "built in",
		read: into(headerLine, func(s *settings) *string { return &s.userAgent })},
	{variable: "MORPH_DAYS", accepted: someDays, byDefault: "33",
		read: into(whole(1, 10_000), func(s *settings) *int { return &s.plan.Days })},
	{variable: "MORPH_EVERYTIME", accepted: someDays, byDefault: "4",
		read: into(whole(1, 10_000), func(s *settings) *int { return &s.plan.EveryTime })},
	{variable: "MORPH_MAX_PERIOD", accepted: "a number of runs, 1 to 4", byDefault: "2",
		read: into(whole(1, 4), func(s *settings) *int { return &s.plan.MaxPeriod })},
	{variable: "MORPH_CYCLE_POSITION", accepted: "a number from 0 to 1000000", byDefault: "by day",
		read: into(position, func(s *settings) **int { return &s.cycle })},
	{variable: "MORPH_DISABLE_RANDOM", accepted: aSwitch, byDefault: "off",
		read: into(onOff, func(s *settings) *bool { return &s.inOrder })},
	{variable: "MORPH_UNPROCESSABLE_BASE", accepted: "a number from 0 to 1000000", byDefault: "5.01",
		read: into(number(0, 1_000_000), func(s *settings) *float64 { return &s.quality.Base })},
	{variable: "MORPH_UNPROCESSABLE_PERCENTAGE", accepted: "a percentage from 0 to 100", byDefault: "10",
		read: into(percentage(0, 100), func(s *settings) *float64 { return &s.quality.Percentage })},
	{variable: "VACUUM", accepted: aSwitch, byDefault: "off",
		read: into(onOff, func(s *settings) *bool { return &s.vacuum })},
	{variable: "MORPH_DEBUG", accepted: "0 to 3", byDefault: "0",
		read: into(debugLevel, func(s *settings) *int { return &s.debug })},
	{variable: "DEBUG", accepted: "0 to 3", byDefault: "0",
		read: into(debugLevel, func(s *settings) *int { return &s.debug })},
}

// into returns what reads a value and puts it into a field.
func into[T any](parse func(string) (T, error), field func(*settings) *T) func(*settings, string) error {
	return func(s *settings, value string) error {
		v, err := parse(value)
		if err == nil {
			*field(s) = v
		}
		return err
	}
}

// flagValues are the flags that have a variable too, by their name, as they were written; "" is not given.
type flagValues map[string]string

// readSettings puts flags and environment together. Each value that can't be read is one line of the error. ASCII white space
// around a value does not count, and a value of nothing else is none.
func readSettings(flags flagValues, env func(string) string, today time.Time) (settings, error) {
	s := settings{maxLoad: pace.DefaultMaxLoad, plan: dates.DefaultPlan(), quality: quality.DefaultLimit()}
	var problems []error
	for _, d := range declared {
		name, value := d.flag, strings.Trim(flags[d.flag], blanks)
		if value == "" {
			name, value = d.variable, strings.Trim(env(d.variable), blanks)
		}
		if value == "" {
			continue
		}
		if err := d.read(&s, value); err != nil {
			problems = append(problems, d.refuse(name, value, err))
		}
	}
	if s.useProxy && s.proxy == nil && len(problems) == 0 {
		problems = append(problems, &scraperutils.ConfigError{Name: "MORPH_USE_PROXY", Value: env("MORPH_USE_PROXY"), Accepted: "MORPH_AUSTRALIAN_PROXY beside it"})
	}
	s.userAgent = strings.ReplaceAll(s.userAgent, "TODAY", today.Format(time.DateOnly))
	return s, errors.Join(problems...)
}

const blanks = " \t\r\n\v\f"

// refuse is the error for a value that can't be read. For a secret it has the reason instead of the value.
func (d setting) refuse(name, value string, why error) error {
	if d.secret {
		return &scraperutils.ConfigError{Name: name, Value: "(not shown)", Accepted: d.accepted + " (" + why.Error() + ")"}
	}
	return &scraperutils.ConfigError{Name: name, Value: value, Accepted: d.accepted}
}

// settings reads those of a command.
func (c console) settings(flags flagValues, now time.Time) (settings, error) {
	s, err := readSettings(flags, c.env, now)
	s.misspelt = misspelt(c.names)
	return s, err
}

// warnings is what the settings make of a run that must not be overlooked. Its report repeats it.
func (s settings) warnings() (all []string) {
	if s.notCompliant {
		all = append(all, "MORPH_NOT_COMPLIANT is set: pages that a robots.txt forbids are fetched all the same")
	}
	if s.insecure {
		all = append(all, "MORPH_DISABLE_SSL_CHECK is set: no certificate is checked, so anybody on the way can read and change what is exchanged")
	}
	return all
}

// tell writes all warnings, for commands without a log.
func (s settings) tell(w io.Writer) {
	for _, warning := range append(s.misspelt, s.warnings()...) {
		fmt.Fprintln(w, "WARNING: "+warning)
	}
}

// prefix is what the names of variables begin with.
const prefix = "MORPH_"

// misspelt returns a warning for each name that is nearly a setting's. Those that are not are left alone: platforms that run
// scrapers hand a user's own variables over under names like these.
func misspelt(names []string) (warnings []string) {
	var known []string
	for _, d := range declared {
		if strings.HasPrefix(d.variable, prefix) {
			known = append(known, d.variable)
		}
	}
	for _, name := range names {
		most := min(max(1, (len(name)-len(prefix))/3), 3) // letters that may be wrong
		nearest := scraperutils.Nearest(strings.ToUpper(name), known, most)
		if len(nearest) > 0 && !slices.Contains(known, name) {
			warnings = append(warnings, name+" in the environment is no setting: did you mean "+nearest[0]+"?")
		}
	}
	return warnings
}

// pacer is how polite the requests of one process are, all together.
func (s settings) pacer(replay bool) *pace.Limiter {
	return pace.New(pace.Config{
		MaxLoad:     s.maxLoad,
		RandomDelay: s.randomDelay,
		NoDelay:     s.noDelay || replay,
		NoRetry:     replay, // it would play the same again
	})
}

// atLeastOne checks a flag that counts.
func atLeastOne(flag string, n int) error {
	if n < 1 {
		return &scraperutils.ConfigError{Name: flag, Value: strconv.Itoa(n), Accepted: "a number from 1"}
	}
	return nil
}

// search is how one visit searches by date. What is random in it belongs to that visit.
func (s settings) search() register.Search {
	search := register.Search{Plan: s.plan, Cycle: s.cycle}
	if !s.inOrder {
		search.Random = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	return search
}
