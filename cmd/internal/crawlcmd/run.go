package crawlcmd

import (
	"context"
	"errors"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scheduler"
)

// runCommand fetches what a frontier holds.
type runCommand struct {
	given
	Recrawl   bool   `help:"Fetch pages again: a day after the first visit, then later if they have not changed, and earlier if they have."`
	Keep      bool   `help:"Wait for more URLs when nothing is left."`
	NoDelay   bool   `help:"Do not rest between requests; only for your own test sites."`
	WarcPlain bool   `help:"Do not compress WARC files."`
	Fixtures  bool   `help:"Fetch built-in sites on loopback instead of the network; without URLs, fetch their list."`
	LogFormat string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"Write the log as text, or as json with one object per line."`
	Render    bool   `help:"Read pages as they are after their scripts, with the program browse, found beside this one or on the PATH."`
	Verbose   bool   `short:"v" help:"Log one line per fetch."`

	Frontier    string `placeholder:"PLACE" help:"${frontier}"`
	Scope       string `placeholder:"SCOPE" help:"${scope}"`
	Depth       string `placeholder:"N" help:"${depth}"`
	Include     string `placeholder:"PATTERNS" help:"${include}"`
	Exclude     string `placeholder:"PATTERNS" help:"${exclude}"`
	MaxPages    string `placeholder:"N" help:"${max_pages}"`
	MaxPerHost  string `placeholder:"N" help:"${max_per_host}"`
	Sitemaps    string `placeholder:"SWITCH" help:"${sitemaps}"`
	Links       string `placeholder:"KINDS" help:"${links}"`
	Nofollow    string `placeholder:"HOW" help:"${nofollow}"`
	MaxVariants string `placeholder:"N" help:"${max_variants}"`
	MaxSeries   string `placeholder:"N" help:"${max_series}"`
	MaxSegments string `placeholder:"N" help:"${max_segments}"`
	MaxLength   string `placeholder:"N" help:"${max_length}"`
	SessionIDs  string `name:"session-ids" placeholder:"NAMES" help:"${session_ids}"`
	SortQuery   string `placeholder:"SWITCH" help:"${sort_query}"`
	PerHost     string `placeholder:"N" help:"${per_host}"`
	MaxLoad     string `placeholder:"PERCENT" help:"${max_load}"`
	MinInterval string `placeholder:"TIME" help:"${min_interval}"`
	Lease       string `placeholder:"TIME" help:"${lease}"`
	Requests    string `placeholder:"N" help:"${requests}"`
	Retries     string `placeholder:"N" help:"${retries}"`
	RetryAfter  string `placeholder:"TIME" help:"${retry_after}"`
	Down        string `placeholder:"TIME" help:"${down}"`
	Accept      string `placeholder:"TYPES" help:"${accept}"`
	MaxBody     string `placeholder:"SIZE" help:"${max_body}"`
	Redirects   string `placeholder:"HOW" help:"${redirects}"`
	Timeout     string `placeholder:"TIME" help:"${timeout}"`
	UserAgent   string `placeholder:"TEXT" help:"${user_agent}"`
	Proxy       string `placeholder:"URL" help:"${proxy}"`
	Warc        string `placeholder:"DIR" help:"${warc}"`
	Jsonl       string `placeholder:"FILE" help:"${jsonl}"`
	Amqp        string `placeholder:"URL" help:"${amqp}"`
	Out         string `placeholder:"EXCHANGE/KEY" help:"${out}"`
	FromAmqp    string `placeholder:"QUEUE" help:"${from_amqp}"`
	Listen      string `placeholder:"ADDRESS" help:"${listen}"`
	ListenToken string `placeholder:"TOKEN" help:"${listen_token}"`
	RunTimeout  string `placeholder:"TIME" help:"${run_timeout}"`
}

// Run implements cli.Command.
func (r *runCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	s, err := readSettings(c)
	if err != nil {
		return cli.ExitUsage, err
	}
	if err := r.check(); err != nil {
		return cli.ExitUsage, err
	}
	for _, warning := range declared.Misspelt(c.Names) {
		c.Complain(c.Name + ": " + warning)
	}
	tuneMemory(c.Env)
	s.rules.Keep = r.Keep || s.queue != ""
	s.rules.Recrawl = r.Recrawl
	s.pace.NoDelay = r.NoDelay
	file, err := r.open()
	if err != nil {
		return cli.ExitUsage, err
	}
	j, err := openJob(ctx, c, s, r)
	if err != nil {
		if file != nil {
			err = errors.Join(err, file.Close())
		}
		return cli.ExitUsage, err
	}
	if s.runTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, s.runTimeout, &scheduler.RunTimeoutError{Limit: s.runTimeout})
		defer cancel()
	}
	return j.run(ctx, r.given, file)
}
