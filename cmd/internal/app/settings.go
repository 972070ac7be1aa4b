package app

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

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

	runTimeout     time.Duration // 0: the scheduler's default
	maxWorkers     int           // 0: all
	disableThreads bool

	maxLoad      float64       // 0: the default
	randomDelay  time.Duration // on average
	noDelay      bool          // neither of these two
	notCompliant bool          // what a robots.txt forbids is fetched all the same

	clientTimeout time.Duration
	insecure      bool     // no certificate is checked
	proxy         *url.URL // the Australian one, or nil
	useProxy      bool     // for all authorities
	userAgent     string

	plan   dates.Plan // of searches that are spread over days
	cycle  *int       // where options with several values stand, instead of at the day
	random bool       // spans of days are searched in random order

	quality quality.Limit // how many bad records are borne
	vacuum  bool          // after the clean-up
	debug   int
}

// flagValues are the flags that have a variable too, as they were written; "" is not given.
type flagValues struct {
	authority, runTimeout, maxWorkers, maxLoad string
}

// readSettings puts flags and environment together. Each value that can't be read is one line of the error.
func readSettings(f flagValues, env func(string) string, today time.Time) (settings, error) {
	r := reader{env: env}
	s := settings{
		authorities:    read(&r, "--authority", f.authority, "MORPH_AUTHORITIES", "labels with commas between them", authorities.Labels),
		expectBad:      read(&r, "", "", "MORPH_EXPECT_BAD", "labels with commas between them", authorities.Labels),
		runTimeout:     read(&r, "--run-timeout", f.runTimeout, "MORPH_RUN_TIMEOUT", "seconds or a duration like 6h, over zero", duration),
		maxWorkers:     read(&r, "--max-workers", f.maxWorkers, "MORPH_MAX_WORKERS", "a number from 1", between(1, math.MaxInt32)),
		disableThreads: r.isSet("MORPH_DISABLE_THREADS"),
		maxLoad:        read(&r, "--max-load", f.maxLoad, "MORPH_MAX_LOAD", "a percentage from 1 to 80", load),
		randomDelay:    read(&r, "", "", "MORPH_RANDOM_DELAY", "an average number of seconds, 0 or more", delay),
		notCompliant:   r.isSet("MORPH_NOT_COMPLIANT"),
		clientTimeout:  read(&r, "", "", "MORPH_CLIENT_TIMEOUT", "seconds or a duration like 60s, over zero", duration),
		insecure:       r.isSet("MORPH_DISABLE_SSL_CHECK"),
		useProxy:       r.isSet("MORPH_USE_PROXY"),
		userAgent:      strings.ReplaceAll(read(&r, "", "", "MORPH_USER_AGENT", "one line of text", oneLine), "TODAY", today.Format(time.DateOnly)),
		plan: dates.Plan{
			Days:      readOr(&r, "MORPH_DAYS", "a number of days, 1 to 10000", between(1, 10_000), dates.DefaultPlan().Days),
			EveryTime: readOr(&r, "MORPH_EVERYTIME", "a number of days, 1 to 10000", between(1, 10_000), dates.DefaultPlan().EveryTime),
			MaxPeriod: readOr(&r, "MORPH_MAX_PERIOD", "a number of runs, 1 to 4", between(1, 4), dates.DefaultPlan().MaxPeriod),
		},
		cycle:  read(&r, "", "", "MORPH_CYCLE_POSITION", "a number from 0", position),
		random: !r.isSet("MORPH_DISABLE_RANDOM"),
		quality: quality.Limit{
			Base:       readOr(&r, "MORPH_UNPROCESSABLE_BASE", "a number from 0", number, quality.DefaultLimit().Base),
			Percentage: readOr(&r, "MORPH_UNPROCESSABLE_PERCENTAGE", "a number from 0", number, quality.DefaultLimit().Percentage),
		},
		vacuum: r.isSet("VACUUM"),
		debug:  debugLevel(env),
	}
	s.proxy = r.proxy("MORPH_AUSTRALIAN_PROXY")
	if s.useProxy && s.proxy == nil && len(r.problems) == 0 {
		r.problems = append(r.problems, &scraperutils.ConfigError{Name: "MORPH_USE_PROXY", Value: env("MORPH_USE_PROXY"), Accepted: "MORPH_AUSTRALIAN_PROXY beside it"})
	}
	return s, errors.Join(r.problems...)
}

// proxy reads a proxy's URL. Its error does not show the value, which holds a password.
func (r *reader) proxy(variable string) *url.URL {
	value := r.env(variable)
	if value == "" {
		return nil
	}
	u, err := parseProxy(value)
	if err != nil {
		r.problems = append(r.problems, &scraperutils.ConfigError{Name: variable, Value: "(not shown)", Accepted: "http://user:password@host:port (" + err.Error() + ")"})
	}
	return u
}

// parseProxy checks a proxy's URL as the gem does, with its words.
func parseProxy(value string) (*url.URL, error) {
	u, err := url.Parse(value)
	switch {
	case !strings.HasPrefix(value, "http://") && !strings.HasPrefix(value, "https://"):
		//lint:ignore ST1005 the gem's sentence
		return nil, errors.New("Proxy URL must start with http:// or https://")
	case err != nil:
		//lint:ignore ST1005 the gem's sentence
		return nil, errors.New("Invalid proxy URL format")
	case u.Hostname() == "":
		//lint:ignore ST1005 the gem's sentence
		return nil, errors.New("Proxy URL must include host and port")
	}
	if _, err := between(1, math.MaxUint16)(cmp.Or(u.Port(), "80")); err != nil {
		//lint:ignore ST1005 the gem's sentence
		return nil, errors.New("Invalid proxy URL format")
	}
	return u, nil
}

// reader collects what can't be read.
type reader struct {
	env      func(string) string
	problems []error
}

func (r *reader) isSet(variable string) bool { return r.env(variable) != "" }

// read returns the flag's value, else the variable's, else the zero value.
func read[T any](r *reader, flag, value, variable, accepted string, parse func(string) (T, error)) (v T) {
	name := flag
	if value == "" {
		name, value = variable, r.env(variable)
	}
	if value == "" {
		return v
	}
	parsed, err := parse(value)
	if err != nil {
		r.problems = append(r.problems, &scraperutils.ConfigError{Name: name, Value: value, Accepted: accepted})
		return v
	}
	return parsed
}

// readOr returns the variable's value, or a default where it is not set.
func readOr[T any](r *reader, variable, accepted string, parse func(string) (T, error), byDefault T) T {
	if !r.isSet(variable) {
		return byDefault
	}
	return read(r, "", "", variable, accepted, parse)
}

var errRange = errors.New("out of range")

// delay reads seconds or a Go duration.
func delay(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if seconds, notSeconds := strconv.ParseFloat(s, 64); notSeconds == nil {
		if !(seconds >= 0 && seconds < math.MaxInt64/float64(time.Second)) { // not a number is neither
			return 0, errRange
		}
		d, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err == nil && d < 0 {
		err = errRange
	}
	return d, err
}

// duration reads such a thing over zero.
func duration(s string) (time.Duration, error) {
	d, err := delay(s)
	if err == nil && d == 0 {
		err = errRange
	}
	return d, err
}

// between reads a whole number in a range.
func between(low, high int) func(string) (int, error) {
	return func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err == nil && (n < low || n > high) {
			err = errRange
		}
		return n, err
	}
}

func position(s string) (*int, error) {
	n, err := between(0, math.MaxInt32)(s)
	return &n, err
}

// oneLine reads what is to be the value of a header.
func oneLine(s string) (string, error) {
	if !httpguts.ValidHeaderFieldValue(s) || strings.TrimSpace(s) == "" {
		return "", errRange
	}
	return s, nil
}

func number(s string) (float64, error) {
	n, err := strconv.ParseFloat(s, 64)
	if err == nil && !(n >= 0 && n <= math.MaxInt32) {
		err = errRange
	}
	return n, err
}

// load reads a percentage; what is out of range counts as the limit.
func load(s string) (float64, error) {
	p, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	if err == nil && math.IsNaN(p) {
		err = errRange
	}
	return min(max(p, pace.MinLoad), pace.MaxLoad), err
}

// debugLevel is lenient, as the gem is: the number that DEBUG begins with, else MORPH_DEBUG; 1 for any other text.
func debugLevel(env func(string) string) int {
	value := cmp.Or(env("DEBUG"), env("MORPH_DEBUG"))
	if value == "" {
		return 0
	}
	rest := strings.TrimLeft(value, "0123456789")
	level, err := strconv.Atoi(strings.TrimSuffix(value, rest))
	if err != nil {
		return 1
	}
	return level
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
	if s.random {
		search.Random = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	return search
}
