package browsecmd

import (
	"context"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/browser/umbra"
	"github.com/multiscraper/multiscraper/scraperutils/run/status"
)

// status is what the worker says to those who ask.
func (j *job) status(context.Context) (status.Status, error) {
	stats, pages := j.worker.Stats(), j.worker.Pages()
	s := j.watch.About(j.name)
	if s.State == status.Working && len(pages) == 0 {
		s.State = status.Waiting
	}
	figure := func(name string, n int, unit string, total bool) status.Figure {
		return status.Figure{Name: name, Value: float64(n), Unit: unit, Total: total}
	}
	s.Figures = []status.Figure{
		figure("done", stats.Done, "pages", true), figure("sent", stats.Results, "requests", true), figure("to be tried again", stats.Retried, "pages", true),
		figure("dead", stats.Dead, "pages", true), figure("open", count(pages, umbra.PhaseOpen), "pages", false),
		figure("waiting", count(pages, umbra.PhaseWaiting), "pages", false), figure("not sent yet", stats.Waiting, "requests", false),
	}
	for _, p := range pages {
		s.Slow = append(s.Slow, describe(p))
	}
	if text := blocked(stats); text != "" {
		s.Problems = append(s.Problems, text)
	}
	s.Problems = append(s.Problems, j.troubles.Lately(time.Now())...)
	return s, nil
}

// blocked says why results wait, or "".
func blocked(s umbra.Stats) string {
	if s.Blocked == "" {
		return ""
	}
	return "the broker takes nothing now: " + s.Blocked
}
