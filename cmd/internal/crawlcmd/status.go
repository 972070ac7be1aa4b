package crawlcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// statusCommand says how much a frontier holds.
type statusCommand struct {
	frontierFlag
	JSON  bool          `name:"json" help:"Print a JSON object."`
	Watch bool          `help:"Repeat until interrupted."`
	Every time.Duration `default:"2s" placeholder:"TIME" help:"Repeat at this interval, with --watch."`
}

// frontierStatus is the state of a frontier at a time.
type frontierStatus struct {
	crawl.Counts
	Workers []workerLine `json:"workers"`
	Rate    float64      `json:"rate"` // URLs that are done, a second, since the last look; 0 at the first
	at      time.Time
	slow    []slowHost
	Traps   []trapLine `json:"traps"` // links that were left out
}

// trapLine is a trap in JSON.
type trapLine struct {
	Host    string `json:"host"`
	Rule    string `json:"rule"`
	Count   int    `json:"count"`
	Example string `json:"example"`
}

// Run implements cli.Command.
func (s *statusCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	if s.Watch && (s.Every < 100*time.Millisecond || s.Every > 24*time.Hour) {
		return cli.ExitUsage, &scraperutils.ConfigError{Name: "--every", Value: s.Every.String(), Accepted: "a time from 100ms to 24h"}
	}
	return look(ctx, c, func(_ settings, f crawl.Frontier) error {
		var before *frontierStatus
		for {
			now, err := takeStatus(ctx, f, before)
			if err != nil {
				return err
			}
			if err := s.print(c.Stdout, now, before != nil); err != nil || !s.Watch {
				return err
			}
			before = &now
			select {
			case <-time.After(s.Every):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	})
}

func takeStatus(ctx context.Context, f crawl.Frontier, before *frontierStatus) (s frontierStatus, err error) {
	s.at = time.Now()
	if s.Counts, err = f.Counts(ctx, s.at); err != nil {
		return s, err
	}
	if s.slow, err = slowest(ctx, f, 10); err != nil {
		return s, err
	}
	if s.Workers, err = workersOf(ctx, f, s.at, before); err != nil {
		return s, err
	}
	traps, err := f.Traps(ctx, listedTraps)
	if err != nil {
		return s, err
	}
	s.Traps = make([]trapLine, 0, len(traps))
	for _, t := range traps {
		s.Traps = append(s.Traps, trapLine{t.Host.String(), t.Rule, t.Count, t.Example})
	}
	if before != nil {
		s.Rate = round(float64(s.Done-before.Done) / s.at.Sub(before.at).Seconds())
	}
	return s, err
}

// print writes a status; again: in place of the one before, on a terminal.
func (s *statusCommand) print(w io.Writer, now frontierStatus, again bool) error {
	if s.JSON {
		return json.NewEncoder(w).Encode(now)
	}
	if s.Watch && cli.IsTerminal(w) {
		if _, err := io.WriteString(cli.Unprinted(w), "\x1b[H\x1b[J"); err != nil {
			return err
		}
	} else if again {
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "ready     %12s   unfinished, of hosts that can be asked now\n", scraperutils.Digits(now.Ready))
	fmt.Fprintf(w, "waiting   %12s   unfinished, of hosts that rest\n", scraperutils.Digits(now.Waiting))
	fmt.Fprintf(w, "retrying  %12s   of both, after a try that failed\n", scraperutils.Digits(now.Retrying))
	fmt.Fprintf(w, "done      %12s\n", scraperutils.Digits(now.Done))
	fmt.Fprintf(w, "failed    %12s  %s\n", scraperutils.Digits(now.Failed), reasons(now.FailedBy, 6))
	fmt.Fprintf(w, "hosts     %12s   %s at work\n", scraperutils.Digits(now.Hosts), scraperutils.Digits(now.Leased))
	printWorkers(w, now.Workers)
	if again {
		fmt.Fprintf(w, "rate      %12.1f   URLs a second\n", now.Rate)
	}
	printTraps(w, now.Traps)
	if len(now.slow) > 0 {
		fmt.Fprintln(w, "slowest")
	}
	for _, h := range now.slow {
		fmt.Fprintln(w, "  "+h.String())
	}
	return nil
}

// How many traps are shown, and how many are listed in JSON.
const (
	shownTraps  = 10
	listedTraps = 100_000
)

// printTraps says which links were left out, and why.
func printTraps(w io.Writer, traps []trapLine) {
	if len(traps) == 0 {
		return
	}
	fmt.Fprintln(w, "left out")
	for _, t := range traps[:min(len(traps), shownTraps)] {
		fmt.Fprintf(w, "  %s: %s: %s, such as %s\n", t.Host, t.Rule, scraperutils.Count(t.Count, "link"), scraperutils.Shortened(t.Example, 200))
	}
	if more := len(traps) - shownTraps; more > 0 {
		fmt.Fprintf(w, "  and %s more: --json\n", scraperutils.Digits(more))
	}
}
