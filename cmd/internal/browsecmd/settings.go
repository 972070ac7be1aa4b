package browsecmd

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/browser"
	"github.com/multiscraper/multiscraper/scraperutils/browser/behavior"
	"github.com/multiscraper/multiscraper/scraperutils/browser/umbra"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// settings is how pages are opened, whoever said so: flags win over the environment, which wins over defaults.
type settings struct {
	browser  browser.Options
	outlinks bool
	robots   bool
	pace     pace.Config

	worker umbra.Options
	listen string // "": nobody
	token  string
}

// maxTime is the longest time that a setting may be.
const maxTime = 24 * time.Hour

// declared is all settings. The table in docs/browse.md is made from it.
//
//go:generate go test -run ^TestSettingsAreDocumented$ -update
var declared = cli.Settings[settings]{
	{Variable: "BROWSE_BROWSER", Flag: "--browser", Default: "the first of chromium-headless-shell, chromium and the like on the PATH", Accepted: "the path of Chromium, or its name on the PATH",
		Meaning: "open pages with this program",
		Read:    cli.Into(text, func(s *settings) *string { return &s.browser.Path })},
	{Variable: "BROWSE_BROWSERS", Flag: "--browsers", Default: "2", Accepted: "a number from 1 to 100",
		Meaning: "open up to N pages at once",
		Read:    cli.Into(cli.Whole(1, 100), func(s *settings) *int { return &s.browser.Pages })},
	{Variable: "BROWSE_USER_AGENT", Flag: "--user-agent", Default: "the browser's own", Accepted: "one line of text",
		Meaning: "send this user agent to pages",
		Read:    cli.Into(cli.HeaderLine, func(s *settings) *string { return &s.browser.UserAgent })},
	{Variable: "BROWSE_BEHAVIORS", Flag: "--behaviors", Default: "built in", Accepted: "a file of behaviors in YAML",
		Meaning: "act on pages as this file says; the first entry whose pattern matches the URL counts",
		Read:    cli.Into(behaviors, func(s *settings) **behavior.Set { return &s.browser.Behaviors })},
	{Variable: "BROWSE_OUTLINKS", Flag: "--outlinks", Default: "off", Accepted: cli.Switch,
		Meaning: "also send the links of the final page",
		Read:    cli.Into(cli.OnOff, func(s *settings) *bool { return &s.outlinks })},
	{Variable: "BROWSE_ALLOW_PRIVATE", Flag: "--allow-private", Default: "off", Accepted: cli.Switch,
		Meaning: "allow addresses of this machine and of private networks",
		Read:    cli.Into(cli.OnOff, func(s *settings) *bool { return &s.browser.AllowPrivate })},
	{Variable: "BROWSE_IGNORE_CERTIFICATES", Flag: "--ignore-certificates", Default: "off", Accepted: cli.Switch,
		Meaning: "do not check certificates",
		Read:    cli.Into(cli.OnOff, func(s *settings) *bool { return &s.browser.IgnoreCertificates })},
	{Variable: "BROWSE_ROBOTS", Flag: "--robots", Default: "off", Accepted: cli.Switch,
		Meaning: "do not open pages that a robots.txt forbids, and obey its delay",
		Read:    cli.Into(cli.OnOff, func(s *settings) *bool { return &s.robots })},
	{Variable: "BROWSE_PER_HOST", Flag: "--per-host", Default: "1", Accepted: "a number from 1 to 100",
		Meaning: "open up to N pages of one host at once",
		Read:    cli.Into(cli.Whole(1, 100), func(s *settings) *int { return &s.pace.PerHost })},
	{Variable: "BROWSE_MAX_LOAD", Flag: "--max-load", Default: "50", Accepted: "a percentage from 1 to 80",
		Meaning: "keep pages of a host open for at most this share of the time, in percent",
		Read:    cli.Into(cli.Percentage(pace.MinLoad, pace.MaxLoad), func(s *settings) *float64 { return &s.pace.MaxLoad })},
	{Variable: "BROWSE_MIN_INTERVAL", Flag: "--min-interval", Default: "0", Accepted: "seconds or a duration like 5s, at most a day",
		Meaning: "leave at least this time between two pages of a host",
		Read:    cli.Into(cli.Duration(maxTime), func(s *settings) *time.Duration { return &s.pace.MinInterval })},
	{Variable: "BROWSE_AMQP", Flag: "--amqp", Default: "none", Accepted: "amqp://user:password@host:port/vhost", Secret: true,
		Meaning: "use this broker for the queue",
		Read:    cli.Into(cli.Broker, func(s *settings) *string { return &s.worker.URL })},
	{Variable: "BROWSE_EXCHANGE", Flag: "--exchange", Default: umbra.DefaultName, Accepted: "a name of 255 bytes at most",
		Meaning: "take messages from this exchange, and send results to it",
		Read:    cli.Into(name, func(s *settings) *string { return &s.worker.Exchange })},
	{Variable: "BROWSE_QUEUE", Flag: "--queue", Default: umbra.DefaultQueue, Accepted: "a name of 249 bytes at most",
		Meaning: "take messages from this queue; the queues with .retry and .dead after its name belong to it",
		Read:    cli.Into(queue, func(s *settings) *string { return &s.worker.Queue })},
	{Variable: "BROWSE_ROUTING_KEY", Flag: "--routing-key", Default: umbra.DefaultQueue, Accepted: "a name of 255 bytes at most",
		Meaning: "bind the queue by this key",
		Read:    cli.Into(name, func(s *settings) *string { return &s.worker.Key })},
	{Variable: "BROWSE_RETRY_PAUSE", Flag: "--retry-pause", Default: "10s, doubling up to 2m", Accepted: "seconds or a duration like 10s, over zero, at most an hour",
		Meaning: "wait this long before another try of a page that failed",
		Read:    cli.Into(cli.Timeout(time.Hour), func(s *settings) *time.Duration { return &s.worker.RetryPause })},
	{Variable: "BROWSE_DRAIN", Flag: "--drain", Default: "60s", Accepted: "seconds or a duration like 60s, over zero, at most a day",
		Meaning: "give open pages this long to finish after a signal to end",
		Read:    cli.Into(cli.Timeout(maxTime), func(s *settings) *time.Duration { return &s.worker.Drain })},
	{Variable: "BROWSE_LISTEN", Flag: "--listen", Default: "off", Accepted: "host:port; other than loopback only with --listen-token",
		Meaning: "serve /metrics, /status, and /healthz at this address",
		Read:    cli.Into(cli.ListenAddress, func(s *settings) *string { return &s.listen })},
	{Variable: "BROWSE_LISTEN_TOKEN", Flag: "--listen-token", Default: "none", Accepted: "16 characters or more, without blanks", Secret: true,
		Meaning: "require this token from callers: Authorization: Bearer …",
		Read:    cli.Into(cli.Token, func(s *settings) *string { return &s.token })},
}

// readSettings puts flags and environment together. Each value that can't be read is one line of the error.
func readSettings(c cli.Console) (settings, error) {
	s := settings{browser: browser.Options{Pages: 2}, pace: pace.Config{MaxLoad: pace.DefaultMaxLoad, PerHost: 1}}
	if err := declared.Read(&s, c); err != nil {
		return s, err
	}
	for _, warning := range declared.Misspelt(c.Names) {
		c.Complain(c.Name + ": " + warning)
	}
	return s, s.check()
}

// check returns what settings lack beside each other.
func (s settings) check() error {
	refuse := func(name, value, accepted string) error {
		return &scraperutils.ConfigError{Name: name, Value: value, Accepted: accepted}
	}
	switch {
	case s.listen != "" && s.token == "" && !cli.OnLoopback(s.listen):
		return refuse("--listen", s.listen, "an address on loopback, such as localhost:8080, or --listen-token beside it")
	case s.listen == "" && s.token != "":
		return refuse("--listen-token", "(not shown)", "--listen beside it")
	}
	return nil
}

func text(s string) (string, error) { return s, nil }

var errLong = errors.New("too long")

func name(s string) (string, error) {
	if len(s) > 255 {
		return "", errLong
	}
	return s, nil
}

func queue(s string) (string, error) {
	if len(s) > 255-len(".retry") {
		return "", errLong
	}
	return s, nil
}

// behaviors reads a file.
func behaviors(path string) (*behavior.Set, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set, err := behavior.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return set, nil
}
