package crawlcmd

import (
	"context"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/run/status"
)

// shownSlow is how many hosts are named of those that others are done before.
const shownSlow = 3

// picture is how far a job is, for a screen, a log and those who ask for its status.
type picture struct {
	sums
	counts crawl.Counts
	active int // hosts that this process fetches
	slow   []slowHost
}

func (j *job) look(ctx context.Context) (p picture, err error) {
	p.sums, p.active = j.tally.now(), j.worker.Active()
	if p.counts, err = j.worker.Frontier.Counts(ctx, time.Now()); err != nil {
		return p, err
	}
	p.slow, err = slowest(ctx, j.worker.Frontier, shownSlow)
	return p, err
}

// status is what the job says to those who ask.
func (j *job) status(ctx context.Context) (status.Status, error) {
	p, err := j.look(ctx)
	if err != nil {
		return status.Status{}, err
	}
	s := j.watch.About(j.worker.Name)
	if s.State == status.Working && p.active == 0 && p.counts.Ready == 0 {
		s.State = status.Waiting
	}
	urls := func(name string, n int) status.Figure {
		return status.Figure{Name: name, Value: float64(n), Unit: "URLs"}
	}
	s.Figures = []status.Figure{
		{Name: "pages", Value: float64(p.pages), Unit: "pages", Total: true}, {Name: "read", Value: float64(p.bytes), Unit: "bytes", Total: true},
		{Name: "at work", Value: float64(p.active), Unit: "hosts"}, urls("ready", p.counts.Ready), urls("waiting", p.counts.Waiting),
		urls("to be tried again", p.counts.Retrying), urls("done", p.counts.Done), urls("failed", p.counts.Failed),
	}
	for _, h := range p.slow {
		s.Slow = append(s.Slow, h.String())
	}
	s.Problems = j.troubles.Lately(time.Now())
	return s, nil
}
