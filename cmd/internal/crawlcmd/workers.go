package crawlcmd

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// workerLine is a worker, in JSON too.
type workerLine struct {
	Name   string  `json:"name"`
	Since  string  `json:"since"`
	Silent float64 `json:"silent_s"` // for how long it has not said that it is there
	Hosts  int     `json:"hosts"`    // that it leases
	Done   int     `json:"done"`     // URLs since it began, failed ones too
	Failed int     `json:"failed"`
	Rate   float64 `json:"rate"` // URLs a second: since the last look, or else since it began
	Stop   bool    `json:"stop"` // it is about to end

	since   time.Time
	missing bool // it is silent for longer than workers are that live
}

// workersOf lists the workers of a frontier.
func workersOf(ctx context.Context, f crawl.Frontier, now time.Time, before *frontierStatus) ([]workerLine, error) {
	all, err := f.Workers(ctx, now)
	lines := make([]workerLine, 0, len(all))
	for _, w := range all {
		silent := max(now.Sub(w.Seen), 0)
		line := workerLine{
			Name: w.Name, Since: stamp(w.Since), Silent: round(silent.Seconds()), Hosts: w.Hosts, Done: w.Done, Failed: w.Failed, Stop: w.Stop,
			since: w.Since, missing: silent > crawl.MissingAfter,
		}
		line.Rate = round(rateOf(w, now, before))
		lines = append(lines, line)
	}
	return lines, err
}

// rateOf is how many URLs a worker does a second.
func rateOf(w crawl.WorkerStatus, now time.Time, before *frontierStatus) float64 {
	since, done := w.Since, 0
	if before != nil {
		for _, b := range before.Workers {
			if b.Name == w.Name {
				since, done = before.at, b.Done
			}
		}
	}
	if took := now.Sub(since).Seconds(); took > 0 {
		return float64(w.Done-done) / took
	}
	return 0
}

func printWorkers(out io.Writer, all []workerLine) {
	if len(all) == 0 {
		fmt.Fprintln(out, "workers              0   crawl goes on")
		return
	}
	fmt.Fprintf(out, "workers   %12s\n", scraperutils.Digits(len(all)))
	for _, w := range all {
		fmt.Fprintln(out, "  "+w.String())
	}
}

// String says what a worker does.
func (w workerLine) String() string {
	s := fmt.Sprintf("%s: %s, %s done, %.1f a second, since %s", w.Name, scraperutils.Count(w.Hosts, "host"), scraperutils.Digits(w.Done), w.Rate, clock(w.since))
	switch {
	case w.missing:
		s += fmt.Sprintf("; silent for %s: it is dead or cut off", shortTime(time.Duration(w.Silent*float64(time.Second))))
	case w.Stop:
		s += "; about to end"
	}
	return s
}

// sorted are the members of a set.
func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
