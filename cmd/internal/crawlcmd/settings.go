package crawlcmd

import (
	"net/url"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/extract"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/scope"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

// Defaults of settings.
const (
	defaultFrontier = "crawl/frontier.sqlite"
	defaultRequests = 256
	defaultMaxBody  = 10 << 20
)

// maxTime is the longest time that a setting may be.
const maxTime = 365 * 24 * time.Hour

// settings is how a crawl behaves, whoever said so: flags win over the environment, which wins over defaults.
type settings struct {
	frontier place
	scope    scope.Scope // of Kind "" where nobody said
	links    extract.HTML
	maxPages int  // 0: any number
	sitemaps bool // those of a robots.txt are read
	rules    crawl.Rules
	redirect string // follow or link; "": as the scope has it
	pace     pace.Config
	requests int           // in flight at once
	maxBody  int           // bytes
	lease    time.Duration // 0: the default
	timeout  time.Duration
	agent    string
	proxy    *url.URL // nil: none

	warc  string // a folder, "off", or "": where no other sink is named
	jsonl string // a file, "-" or ""
	amqp  string // a broker, or ""
	out   route
	queue string // URLs come from it too; "": none

	listen     string // "": nobody
	token      string
	runTimeout time.Duration // 0: none
}

// declared is all settings. The table in docs/crawl.md is made from it.
//
//go:generate go test -run ^TestSettingsAreDocumented$ -update
var declared = slices.Concat(cli.Settings[settings]{
	{Variable: "CRAWL_FRONTIER", Flag: "--frontier", Default: defaultFrontier, Accepted: "the path of a file, or postgres://user:password@host:port/database", Secret: true,
		Meaning: "keep the frontier (the URLs that are known, and when each is due) here: a file for one process, or a database for any number of them",
		Read:    cli.Into(parsePlace, func(s *settings) *place { return &s.frontier })},
}, following, cli.Settings[settings]{
	{Variable: "CRAWL_PER_HOST", Flag: "--per-host", Default: "1", Accepted: "a number from 1 to 100",
		Meaning: "send up to N requests at once to a host; if N is more than 1, requests keep their distance from start to start",
		Read:    cli.Into(cli.Whole(1, 100), func(s *settings) *int { return &s.pace.PerHost })},
	{Variable: "CRAWL_MAX_LOAD", Flag: "--max-load", Default: "50", Accepted: "a percentage from 1 to 80",
		Meaning: "take at most this share of a server's time, in percent, 1 to 80",
		Read:    cli.Into(cli.Percentage(pace.MinLoad, pace.MaxLoad), func(s *settings) *float64 { return &s.pace.MaxLoad })},
	{Variable: "CRAWL_MIN_INTERVAL", Flag: "--min-interval", Default: "0", Accepted: "seconds or a duration like 5s, at most a day",
		Meaning: "leave at least this time between two requests to a host",
		Read:    cli.Into(cli.Duration(24*time.Hour), func(s *settings) *time.Duration { return &s.pace.MinInterval })},
	{Variable: "CRAWL_REQUESTS", Flag: "--requests", Default: "256", Accepted: "a number from 1 to 100000",
		Meaning: "keep up to N requests in flight; each counts until its result is stored, so a kill repeats no more than N",
		Read:    cli.Into(cli.Whole(1, 100_000), func(s *settings) *int { return &s.requests })},
	{Variable: "CRAWL_LEASE", Flag: "--lease", Default: "1m", Accepted: "seconds or a duration like 30s, from 1s to 1h",
		Meaning: "lease hosts for this long: so long the hosts of a dead process wait; a live process renews its leases in time",
		Read:    cli.Into(lease, func(s *settings) *time.Duration { return &s.lease })},
	{Variable: "CRAWL_RETRIES", Flag: "--retries", Default: "3, 12 with --keep", Accepted: "a number from 0 to 1000",
		Meaning: "try a URL up to N more times if a later answer may differ",
		Read:    cli.Into(retries, func(s *settings) *int { return &s.rules.Retries })},
	{Variable: "CRAWL_RETRY_AFTER", Flag: "--retry-after", Default: "1m, doubling; 1h with --keep", Accepted: "seconds or a duration like 1h, over zero, at most a year",
		Meaning: "wait this long before another try",
		Read:    cli.Into(cli.Timeout(maxTime), func(s *settings) *time.Duration { return &s.rules.RetryAfter })},
	{Variable: "CRAWL_DOWN", Flag: "--down", Default: "10m", Accepted: "seconds or a duration like 10m, over zero, at most a year",
		Meaning: "let a host that can't be reached rest for this long; this does not use up its URLs' tries",
		Read:    cli.Into(cli.Timeout(maxTime), func(s *settings) *time.Duration { return &s.rules.Down })},
	{Variable: "CRAWL_ACCEPT", Flag: "--accept", Default: "text/*, application/xhtml+xml, application/xml, application/vnd.wap.xhtml+xml", Accepted: "media types with commas between them, such as text/*,application/pdf; * is any",
		Meaning: "keep pages of these media types; a page without a type is kept, too",
		Read:    cli.Into(mediaTypes, func(s *settings) *[]string { return &s.rules.Accept })},
	{Variable: "CRAWL_MAX_BODY", Flag: "--max-body", Default: "10MB", Accepted: "a size like 500kB or 10MB, from 1 to 1GB",
		Meaning: "fail pages larger than this, decoded, without reading them to the end",
		Read:    cli.Into(size(1<<30), func(s *settings) *int { return &s.maxBody })},
	{Variable: "CRAWL_REDIRECTS", Flag: "--redirects", Default: "link where links are followed, else follow", Accepted: "follow or link",
		Meaning: "follow redirects on the same host at once (`follow`), or treat their targets like any other link (`link`); redirects to other hosts always get their own turn",
		Read:    cli.Into(cli.OneOf("follow", "link"), func(s *settings) *string { return &s.redirect })},
	{Variable: "CRAWL_TIMEOUT", Flag: "--timeout", Default: "60s", Accepted: "seconds or a duration like 60s, over zero, at most an hour",
		Meaning: "give up a request after this time, including the time to connect",
		Read:    cli.Into(cli.Timeout(time.Hour), func(s *settings) *time.Duration { return &s.timeout })},
	{Variable: "CRAWL_USER_AGENT", Flag: "--user-agent", Default: "built in", Accepted: "one line of text",
		Meaning: "send this user agent",
		Read:    cli.Into(cli.HeaderLine, func(s *settings) *string { return &s.agent })},
	{Variable: "CRAWL_PROXY", Flag: "--proxy", Default: "none", Accepted: "http://user:password@host:port, or host:port", Secret: true,
		Meaning: "send all requests through this proxy",
		Read:    cli.Into(proxy, func(s *settings) **url.URL { return &s.proxy })},
	{Variable: "CRAWL_WARC", Flag: "--warc", Default: "warc beside the frontier where no sink is named", Accepted: "a folder, or off",
		Meaning: "write pages to WARC files in this folder; `off`: write none",
		Read:    cli.Into(cli.Text, func(s *settings) *string { return &s.warc })},
	{Variable: "CRAWL_JSONL", Flag: "--jsonl", Default: "none", Accepted: "a file, or - for standard output",
		Meaning: "write pages to this file as JSON lines; `-`: to standard output, and the log to standard error",
		Read:    cli.Into(cli.Text, func(s *settings) *string { return &s.jsonl })},
	{Variable: "CRAWL_AMQP", Flag: "--amqp", Default: "none", Accepted: "amqp://user:password@host:port/vhost", Secret: true,
		Meaning: "use this broker for --out and --from-amqp",
		Read:    cli.Into(cli.Broker, func(s *settings) *string { return &s.amqp })},
	{Variable: "CRAWL_OUT", Flag: "--out", Default: "none", Accepted: "EXCHANGE/KEY, where EXCHANGE may be empty",
		Meaning: "publish pages to this exchange of the broker, with this key",
		Read:    cli.Into(parseRoute, func(s *settings) *route { return &s.out })},
	{Variable: "CRAWL_FROM_AMQP", Flag: "--from-amqp", Default: "none", Accepted: "the name of a queue",
		Meaning: "also take URLs from this queue of the broker, until the crawl is stopped; implies --keep",
		Read:    cli.Into(cli.Text, func(s *settings) *string { return &s.queue })},
	{Variable: "CRAWL_LISTEN", Flag: "--listen", Default: "off", Accepted: "host:port; other than loopback only with --listen-token",
		Meaning: "serve /metrics, /status, /healthz, and POST /urls at this address",
		Read:    cli.Into(cli.ListenAddress, func(s *settings) *string { return &s.listen })},
	{Variable: "CRAWL_LISTEN_TOKEN", Flag: "--listen-token", Default: "none", Accepted: "16 characters or more, without blanks", Secret: true,
		Meaning: "require this token from callers: Authorization: Bearer …",
		Read:    cli.Into(cli.Token, func(s *settings) *string { return &s.token })},
	{Variable: "CRAWL_RUN_TIMEOUT", Flag: "--run-timeout", Default: "none", Accepted: "seconds or a duration like 6h, over zero, at most a year",
		Meaning: "stop after this time, whatever is left",
		Read:    cli.Into(cli.Timeout(maxTime), func(s *settings) *time.Duration { return &s.runTimeout })},
})

// readSettings puts flags and environment together. Each value that can't be read is one line of the error.
func readSettings(c cli.Console) (settings, error) {
	s := settings{
		frontier: defaultFrontier, sitemaps: true, requests: defaultRequests, maxBody: defaultMaxBody,
		pace: pace.Config{MaxLoad: pace.DefaultMaxLoad, PerHost: 1}, links: extract.HTML{Agent: robots.Product},
	}
	if err := declared.Read(&s, c); err != nil {
		return s, err
	}
	return s, s.check()
}

// frontierFlag is what commands have that only look into a frontier.
type frontierFlag struct {
	Frontier string `placeholder:"PLACE" help:"${frontier}"`
}
