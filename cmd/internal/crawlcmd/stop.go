package crawlcmd

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// stopCommand ends a running crawl.
type stopCommand struct {
	frontierFlag
	Wait time.Duration `default:"60s" placeholder:"TIME" help:"Wait this long for all processes to end."`
}

// Run implements cli.Command.
func (s *stopCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	return look(ctx, c, func(given settings, f crawl.Frontier) error {
		told, err := f.StopWorkers(ctx, time.Now())
		if err != nil {
			return err
		}
		if told == 0 {
			fmt.Fprintf(c.Stdout, "no crawl works on %s\n", given.frontier)
			return nil
		}
		return awaitEnds(ctx, c.Stdout, f, s.Wait)
	})
}

// awaitEnds waits until those have left that were told to stop, and names each. One that is silent has died: nobody waits for it.
func awaitEnds(ctx context.Context, out io.Writer, f crawl.Frontier, wait time.Duration) error {
	limit := time.NewTimer(wait)
	defer limit.Stop()
	poll := time.NewTicker(100 * time.Millisecond)
	defer poll.Stop()
	for here := map[string]bool{}; ; {
		all, err := f.Workers(ctx, time.Now())
		if err != nil {
			return err
		}
		still := map[string]bool{}
		for _, w := range all {
			switch missing := time.Since(w.Seen) > crawl.MissingAfter; {
			case w.Stop && !missing:
				still[w.Name] = true
			case w.Stop && len(here) == 0:
				fmt.Fprintf(out, "%s was last heard of %s ago: its hosts are free when its leases end\n", w.Name, shortTime(time.Since(w.Seen)))
			}
		}
		for name := range here {
			if !still[name] {
				fmt.Fprintf(out, "%s has ended: what was in flight is kept, what is left waits\n", name)
			}
		}
		if here = still; len(here) == 0 {
			return nil
		}
		select {
		case <-poll.C:
		case <-limit.C:
			return fmt.Errorf("%s told to end and not gone after %s: %s", scraperutils.Count(len(here), "worker was", "workers were"), wait, strings.Join(sorted(here), ", "))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
