package app

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/dates"
	"github.com/multiscraper/multiscraper/scraperutils/notify"
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

	network  egress.Settings // how requests go out
	attempts int             // on an authority that fails

	plan    dates.Plan // of searches that are spread over days
	cycle   *int       // where options with several values stand, instead of at the day
	inOrder bool       // spans of days are searched oldest first, instead of in random order

	quality quality.Limit // how many bad records are borne
	vacuum  bool          // after the clean-up
	debug   int

	notify  notify.Command // that is told of the run; no Line: none
	webhook *url.URL       // that is told of it; nil: none

	misspelt []string // warnings about names in the environment that are nearly a setting's
}

// Values that several settings take.
const (
	someLabels = "labels with commas between them"
	someDays   = "a number of days, 1 to 10000"
)

// declared is all settings. The table in docs/configuration.md is made from it.
//
//go:generate go test -run ^TestSettingsAreDocumented$ -update
var declared = cli.Settings[settings]{
	{Variable: "MORPH_AUTHORITIES", Flag: "--authority", Default: "all", Accepted: someLabels,
		Meaning: "labels with commas between them; `noo*`, `platform/*`",
		Read:    cli.Into(authorities.Labels, func(s *settings) *[]string { return &s.authorities })},
	{Variable: "MORPH_EXPECT_BAD", Default: "none", Accepted: someLabels,
		Meaning: "labels, as above, whose failure is expected; one that is scraped and works is then unexpected",
		Read:    cli.Into(authorities.Labels, func(s *settings) *[]string { return &s.expectBad })},
	{Variable: "MORPH_RUN_TIMEOUT", Flag: "--run-timeout", Default: "6h", Accepted: "seconds or a duration like 6h, over zero, at most a year",
		Meaning: "when to stop, whatever is left: seconds, or a duration",
		Read:    cli.Into(cli.Timeout(365*24*time.Hour), func(s *settings) *time.Duration { return &s.runTimeout })},
	{Variable: "MORPH_MAX_WORKERS", Flag: "--max-workers", Default: "all", Accepted: "a number from 1 to 100000",
		Meaning: "how many authorities are scraped at once",
		Read:    cli.Into(cli.Whole(1, 100_000), func(s *settings) *int { return &s.maxWorkers })},
	{Variable: "MORPH_DISABLE_THREADS", Default: "off", Accepted: cli.Switch,
		Meaning: "one authority after the other",
		Read:    cli.Into(cli.OnOff, func(s *settings) *bool { return &s.disableThreads })},
	{Variable: "MORPH_MAX_LOAD", Flag: "--max-load", Default: "50", Accepted: "a percentage from 1 to 80",
		Meaning: "how much of a server's time we take, in percent, 1 to 80",
		Read:    cli.Into(cli.Percentage(pace.MinLoad, pace.MaxLoad), func(s *settings) *float64 { return &s.network.Pace.MaxLoad })},
	{Variable: "MORPH_RANDOM_DELAY", Default: "0", Accepted: "an average number of seconds, 0 to 3600",
		Meaning: "time added to each rest, on average",
		Read:    cli.Into(cli.Duration(time.Hour), func(s *settings) *time.Duration { return &s.network.Pace.RandomDelay })},
	{Variable: "MORPH_NOT_COMPLIANT", Default: "off", Accepted: cli.Switch,
		Meaning: "fetch what a robots.txt forbids; the report warns",
		Read:    cli.Into(cli.OnOff, func(s *settings) *bool { return &s.network.NotCompliant })},
	{Variable: "MORPH_CLIENT_TIMEOUT", Default: "60", Accepted: "seconds or a duration like 60s, over zero, at most an hour",
		Meaning: "how long a request may take, connecting included",
		Read:    cli.Into(cli.Timeout(time.Hour), func(s *settings) *time.Duration { return &s.network.Timeout })},
	{Variable: "MORPH_DISABLE_SSL_CHECK", Default: "off", Accepted: cli.Switch,
		Meaning: "no certificate is checked; log and report warn",
		Read:    cli.Into(cli.OnOff, func(s *settings) *bool { return &s.network.Insecure })},
	{Variable: "MORPH_AUSTRALIAN_PROXY", Default: "none", Accepted: "http://user:password@host:port", Secret: true,
		Meaning: "for authorities that answer Australian addresses only, which are else asked directly, with a warning; not for built-in sites and recordings",
		Read:    cli.Into(cli.Proxy, func(s *settings) **url.URL { return &s.network.Proxy })},
	{Variable: "MORPH_USE_PROXY", Default: "off", Accepted: cli.Switch,
		Meaning: "all authorities through that proxy",
		Read:    cli.Into(cli.OnOff, func(s *settings) *bool { return &s.network.ProxyForAll })},
	{Variable: "MORPH_USER_AGENT", Default: "built in", Accepted: "one line of text",
		Meaning: "instead of the built-in one; `TODAY` becomes the date",
		Read:    cli.Into(cli.HeaderLine, func(s *settings) *string { return &s.network.UserAgent })},
	{Variable: "MORPH_DAYS", Default: "33", Accepted: someDays,
		Meaning: "of how many days what is searched by date is kept up to date; [below](#searching-by-date)",
		Read:    cli.Into(cli.Whole(1, 10_000), func(s *settings) *int { return &s.plan.Days })},
	{Variable: "MORPH_EVERYTIME", Default: "4", Accepted: someDays,
		Meaning: "how many of them are asked for in every run",
		Read:    cli.Into(cli.Whole(1, 10_000), func(s *settings) *int { return &s.plan.EveryTime })},
	{Variable: "MORPH_MAX_PERIOD", Default: "2", Accepted: "a number of runs, 1 to 4",
		Meaning: "in how many runs each of the others is asked for",
		Read:    cli.Into(cli.Whole(1, 4), func(s *settings) *int { return &s.plan.MaxPeriod })},
	{Variable: "MORPH_CYCLE_POSITION", Default: "by day", Accepted: "a number from 0 to 1000000",
		Meaning: "which value of a `period` with several is used",
		Read:    cli.Into(position, func(s *settings) **int { return &s.cycle })},
	{Variable: "MORPH_DISABLE_RANDOM", Default: "off", Accepted: cli.Switch,
		Meaning: "search spans of days oldest first",
		Read:    cli.Into(cli.OnOff, func(s *settings) *bool { return &s.inOrder })},
	{Variable: "MORPH_UNPROCESSABLE_BASE", Default: "5.01", Accepted: "a number from 0 to 1000000",
		Meaning: "a site with more bad records than this, and the percentage below, is given up",
		Read:    cli.Into(cli.Number(0, 1_000_000), func(s *settings) *float64 { return &s.quality.Base })},
	{Variable: "MORPH_UNPROCESSABLE_PERCENTAGE", Default: "10", Accepted: "a percentage from 0 to 100",
		Meaning: "of the saved records, in percent",
		Read:    cli.Into(cli.Percentage(0, 100), func(s *settings) *float64 { return &s.quality.Percentage })},
	{Variable: "VACUUM", Default: "off", Accepted: cli.Switch,
		Meaning: "make the file smaller after the clean-up",
		Read:    cli.Into(cli.OnOff, func(s *settings) *bool { return &s.vacuum })},
	{Variable: "MORPH_NOTIFY", Flag: "--notify", Default: "none", Accepted: "a command line for the shell",
		Meaning: "tell a command of each run in which a site began to fail or works again: text on its standard input, JSON in the file that `SCRAPE_JSON` names",
		Read:    cli.Into(notify.ParseCommand, func(s *settings) *notify.Command { return &s.notify })},
	{Variable: "MORPH_WEBHOOK", Flag: "--webhook", Default: "none", Accepted: "https://host/path", Secret: true,
		Meaning: "post the same JSON to a webhook, such as Slack's; only its host is ever shown",
		Read:    cli.Into(notify.ParseWebhook, func(s *settings) **url.URL { return &s.webhook })},
	{Variable: "MORPH_DEBUG", Default: "0", Accepted: "0 to 3",
		Meaning: "1: agents, requests, waits and commits; 2: turns and records; 3: the same",
		Read:    cli.Into(cli.DebugLevel, func(s *settings) *int { return &s.debug })},
	{Variable: "DEBUG", Default: "0", Accepted: "0 to 3",
		Meaning: "the same; it wins",
		Read:    cli.Into(cli.DebugLevel, func(s *settings) *int { return &s.debug })},
}

// position reads where options with several values stand.
func position(s string) (*int, error) {
	n, err := cli.Whole(0, 1_000_000)(s)
	return &n, err
}

// readSettings puts flags and environment together. Each value that can't be read is one line of the error.
func readSettings(c cli.Console, today time.Time) (settings, error) {
	s := settings{network: egress.Settings{Pace: pace.Config{MaxLoad: pace.DefaultMaxLoad}}, plan: dates.DefaultPlan(), quality: quality.DefaultLimit(), misspelt: declared.Misspelt(c.Names)}
	err := declared.Read(&s, c)
	if err == nil && s.network.ProxyForAll && s.network.Proxy == nil {
		err = &scraperutils.ConfigError{Name: "MORPH_USE_PROXY", Value: c.Env("MORPH_USE_PROXY"), Accepted: "MORPH_AUSTRALIAN_PROXY beside it"}
	}
	s.network.UserAgent = strings.ReplaceAll(s.network.UserAgent, "TODAY", today.Format(time.DateOnly))
	return s, err
}

// warnings is what the settings make of a run that must not be overlooked. Its report repeats it.
func (s settings) warnings() (all []string) {
	if s.network.NotCompliant {
		all = append(all, "MORPH_NOT_COMPLIANT is set: pages that a robots.txt forbids are fetched all the same")
	}
	if s.network.Insecure {
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
