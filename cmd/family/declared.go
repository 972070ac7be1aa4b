package family

import (
	"net/url"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/run/notify"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// Values that several settings take.
const (
	someLabels = "labels with commas between them"
	someDays   = "a number of days, 1 to 10000"
)

// declared is all settings of a family. A table in docs/configuration.md is made from it.
//
//go:generate go test -run ^TestSettingsAreDocumented$ -update
func (f *Family) declared() cli.Settings[settings] {
	all := append(f.declaredRun(), f.declaredNetwork()...)
	if f.Searches {
		all = append(all, f.declaredDays()...)
	}
	return append(all, f.declaredRest()...)
}

// declaredRun is the settings of what is run.
func (f *Family) declaredRun() cli.Settings[settings] {
	site, sites := f.Registry.Site, f.Registry.Sites
	return cli.Settings[settings]{
		{Variable: f.variable(strings.ToUpper(sites)), Flag: "--" + site, Default: "all", Accepted: someLabels,
			Meaning: "scrape only these: labels with commas between them; `" + f.Help.Pattern + "`, `platform/*`",
			Read:    cli.Into(registry.Labels, func(s *settings) *[]string { return &s.labels })},
		{Variable: f.variable("EXPECT_BAD"), Default: "none", Accepted: someLabels,
			Meaning: "expect these labels, as above, to fail; if one of them is scraped and works, that is unexpected",
			Read:    cli.Into(registry.Labels, func(s *settings) *[]string { return &s.expectBad })},
		{Variable: f.variable("RUN_TIMEOUT"), Flag: "--run-timeout", Default: "6h", Accepted: "seconds or a duration like 6h, over zero, at most a year",
			Meaning: "stop after this time, whatever is left: seconds, or a duration",
			Read:    cli.Into(cli.Timeout(365*24*time.Hour), func(s *settings) *time.Duration { return &s.runTimeout })},
		{Variable: f.variable("MAX_WORKERS"), Flag: "--max-workers", Default: "all", Accepted: "a number from 1 to 100000",
			Meaning: "scrape up to N " + sites + " at once",
			Read:    cli.Into(cli.Whole(1, 100_000), func(s *settings) *int { return &s.maxWorkers })},
		{Variable: f.variable("DISABLE_THREADS"), Default: "off", Accepted: cli.Switch,
			Meaning: "scrape one " + site + " after the other",
			Read:    cli.Into(cli.OnOff, func(s *settings) *bool { return &s.disableThreads })},
	}
}

// declaredNetwork is the settings of how requests go out.
func (f *Family) declaredNetwork() cli.Settings[settings] {
	return cli.Settings[settings]{
		{Variable: f.variable("MAX_LOAD"), Flag: "--max-load", Default: "50", Accepted: "a percentage from 1 to 80",
			Meaning: "take at most this share of a server's time, in percent, 1 to 80",
			Read:    cli.Into(cli.Percentage(pace.MinLoad, pace.MaxLoad), func(s *settings) *float64 { return &s.network.Pace.MaxLoad })},
		{Variable: f.variable("RANDOM_DELAY"), Default: "0", Accepted: "an average number of seconds, 0 to 3600",
			Meaning: "add this much to each rest, on average",
			Read:    cli.Into(cli.Duration(time.Hour), func(s *settings) *time.Duration { return &s.network.Pace.RandomDelay })},
		{Variable: f.variable("NOT_COMPLIANT"), Default: "off", Accepted: cli.Switch,
			Meaning: "fetch pages even if robots.txt forbids them; the report warns",
			Read:    cli.Into(cli.OnOff, func(s *settings) *bool { return &s.network.NotCompliant })},
		{Variable: f.variable("CLIENT_TIMEOUT"), Default: "60", Accepted: "seconds or a duration like 60s, over zero, at most an hour",
			Meaning: "give up a request after this time, including the time to connect",
			Read:    cli.Into(cli.Timeout(time.Hour), func(s *settings) *time.Duration { return &s.network.Timeout })},
		{Variable: f.variable("DISABLE_SSL_CHECK"), Default: "off", Accepted: cli.Switch,
			Meaning: "do not check certificates; log and report warn",
			Read:    cli.Into(cli.OnOff, func(s *settings) *bool { return &s.network.Insecure })},
		{Variable: f.variable(f.Proxy.Variable), Default: "none", Accepted: "http://user:password@host:port", Secret: true,
			Meaning: "use this proxy for " + f.Proxy.For + "; without it they are asked directly, with a warning; built-in sites and recordings never use it",
			Read:    cli.Into(cli.Proxy, func(s *settings) **url.URL { return &s.network.Proxy })},
		{Variable: f.variable("USE_PROXY"), Default: "off", Accepted: cli.Switch,
			Meaning: "use that proxy for all " + f.Registry.Sites,
			Read:    cli.Into(cli.OnOff, func(s *settings) *bool { return &s.network.ProxyForAll })},
		{Variable: f.variable("USER_AGENT"), Default: "built in", Accepted: "one line of text",
			Meaning: "send this user agent; `TODAY` becomes the date",
			Read:    cli.Into(cli.HeaderLine, func(s *settings) *string { return &s.network.UserAgent })},
	}
}

// declaredDays is the settings of searches by date.
func (f *Family) declaredDays() cli.Settings[settings] {
	return cli.Settings[settings]{
		{Variable: f.variable("DAYS"), Default: "33", Accepted: someDays,
			Meaning: "keep this many days up to date where a site is searched by date; [below](#searching-by-date)",
			Read:    cli.Into(cli.Whole(1, 10_000), func(s *settings) *int { return &s.plan.Days })},
		{Variable: f.variable("EVERYTIME"), Default: "4", Accepted: someDays,
			Meaning: "search this many of these days in every run",
			Read:    cli.Into(cli.Whole(1, 10_000), func(s *settings) *int { return &s.plan.EveryTime })},
		{Variable: f.variable("MAX_PERIOD"), Default: "2", Accepted: "a number of runs, 1 to 4",
			Meaning: "search each of the others once in at most this many runs",
			Read:    cli.Into(cli.Whole(1, 4), func(s *settings) *int { return &s.plan.MaxPeriod })},
		{Variable: f.variable("CYCLE_POSITION"), Default: "by day", Accepted: "a number from 0 to 1000000",
			Meaning: "use the value at this position of a `period` with several",
			Read:    cli.Into(position, func(s *settings) **int { return &s.cycle })},
		{Variable: f.variable("DISABLE_RANDOM"), Default: "off", Accepted: cli.Switch,
			Meaning: "search spans of days in order, the oldest first",
			Read:    cli.Into(cli.OnOff, func(s *settings) *bool { return &s.inOrder })},
	}
}

// declaredRest is the settings of what becomes of records, and of the log.
func (f *Family) declaredRest() cli.Settings[settings] {
	return cli.Settings[settings]{
		{Variable: f.variable("UNPROCESSABLE_BASE"), Default: "5.01", Accepted: "a number from 0 to 1000000",
			Meaning: "give up a site with more bad records than this plus the percentage below",
			Read:    cli.Into(cli.Number(0, 1_000_000), func(s *settings) *float64 { return &s.quality.Base })},
		{Variable: f.variable("UNPROCESSABLE_PERCENTAGE"), Default: "10", Accepted: "a percentage from 0 to 100",
			Meaning: "add this percentage of the saved records to that limit",
			Read:    cli.Into(cli.Percentage(0, 100), func(s *settings) *float64 { return &s.quality.Percentage })},
		{Variable: f.variable("KEEP_DAYS"), Flag: "--keep-days", Default: "30", Accepted: "a number of days, 1 to 100000, or 0: forever",
			Meaning: "delete records that were last scraped more than N days ago",
			Read:    cli.Into(cli.Whole(0, 100_000), func(s *settings) *int { return &s.keepDays })},
		{Variable: "VACUUM", Default: "off", Accepted: cli.Switch,
			Meaning: "shrink the file after the clean-up",
			Read:    cli.Into(cli.OnOff, func(s *settings) *bool { return &s.vacuum })},
		{Variable: f.variable("NOTIFY"), Flag: "--notify", Default: "none", Accepted: "a command line for the shell",
			Meaning: "tell a command of each run in which a site began to fail or works again: text on its standard input, JSON in the file that `SCRAPE_JSON` names",
			Read:    cli.Into(notify.ParseCommand, func(s *settings) *notify.Command { return &s.notify })},
		{Variable: f.variable("WEBHOOK"), Flag: "--webhook", Default: "none", Accepted: "https://host/path", Secret: true,
			Meaning: "post the same JSON to a webhook, such as Slack's; only its host is ever shown",
			Read:    cli.Into(notify.ParseWebhook, func(s *settings) **url.URL { return &s.webhook })},
		{Variable: f.variable("DEBUG"), Default: "0", Accepted: "0 to 3",
			Meaning: "log more; 1: agents, requests, waits, and commits; 2: also turns and records; 3: the same",
			Read:    cli.Into(cli.DebugLevel, func(s *settings) *int { return &s.debug })},
		{Variable: "DEBUG", Default: "0", Accepted: "0 to 3",
			Meaning: "the same; this one wins",
			Read:    cli.Into(cli.DebugLevel, func(s *settings) *int { return &s.debug })},
	}
}

// position reads where options with several values stand.
func position(s string) (*int, error) {
	n, err := cli.Whole(0, 1_000_000)(s)
	return &n, err
}
