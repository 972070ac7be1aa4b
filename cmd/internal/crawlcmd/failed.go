package crawlcmd

import (
	"context"
	"fmt"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// failedCommand lists failed URLs, or has them tried again.
type failedCommand struct {
	frontierFlag
	Reason string `placeholder:"R" help:"Select only URLs that failed for this reason, as status names it: http-404, robots, dns."`
	Retry  bool   `help:"Try them again."`
	JSON   bool   `name:"json" help:"Print one JSON object per line."`
	Limit  int    `default:"0" placeholder:"N" help:"Limit the list to N; 0 means all."`
}

// Run implements cli.Command.
func (r *failedCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	if r.Limit < 0 {
		return cli.ExitUsage, &scraperutils.ConfigError{Name: "--limit", Value: fmt.Sprint(r.Limit), Accepted: "a number from 0"}
	}
	filter := crawl.URLFilter{State: crawl.StateFailed, Reason: r.Reason, Limit: r.Limit}
	return look(ctx, c, func(_ settings, f crawl.Frontier) error {
		if !r.Retry {
			return eachURL(ctx, f, filter, func(u crawl.URLStatus) error { return printURL(c.Stdout, r.JSON, u) })
		}
		n, err := f.Retry(ctx, time.Now(), filter)
		if n > 0 || err == nil {
			fmt.Fprintf(c.Stdout, "%s to be tried again\n", scraperutils.Count(n, "URL"))
		}
		return err
	})
}

// eachURL calls do for all URLs of a filter, however many there are.
func eachURL(ctx context.Context, f crawl.Frontier, filter crawl.URLFilter, do func(crawl.URLStatus) error) error {
	const page = 5000
	for left := filter.Limit; ; {
		filter.Limit = page
		if left > 0 {
			filter.Limit = min(page, left)
		}
		all, err := f.URLs(ctx, filter)
		if err != nil {
			return err
		}
		for _, u := range all {
			if err := do(u); err != nil {
				return err
			}
			filter.After = u.Cursor
		}
		if len(all) < filter.Limit {
			return nil
		}
		if left > 0 {
			if left -= len(all); left == 0 {
				return nil
			}
		}
	}
}
