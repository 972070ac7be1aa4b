package crawlcmd

import (
	"bufio"
	"context"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// exportCommand writes what is known of URLs.
type exportCommand struct {
	frontierFlag
	Since string `placeholder:"TIME" help:"Write only URLs whose last visit ended at this time or later: 2026-01-31, 2026-01-31T10:00:00Z, or a duration before now such as 24h."`
	State string `enum:"ready,retry,done,failed," default:"" placeholder:"STATE" help:"Write only URLs in this state: ready, retry, done, or failed."`
}

// Run implements cli.Command.
func (e *exportCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	since, err := parseSince(e.Since, time.Now())
	if err != nil {
		return cli.ExitUsage, err
	}
	return look(ctx, c, func(_ settings, f crawl.Frontier) error {
		out := bufio.NewWriterSize(c.Stdout, 64<<10)
		err := eachURL(ctx, f, crawl.URLFilter{Since: since, State: crawl.State(e.State)}, func(u crawl.URLStatus) error { return printURL(out, true, u) })
		if e := out.Flush(); err == nil {
			err = e
		}
		return err
	})
}

// parseSince reads a time, or how long ago it was.
func parseSince(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly, "2006-01-02T15:04:05", time.DateTime} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, &scraperutils.ConfigError{Name: "--since", Value: s, Accepted: "a time like 2026-01-31 or 2026-01-31T10:00:00Z, or a duration like 24h"}
}
