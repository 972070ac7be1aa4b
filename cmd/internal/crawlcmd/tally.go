package crawlcmd

import (
	"context"
	"sync"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// tally is what a run has done so far. Its methods may be called from any goroutine.
type tally struct {
	metrics  *metrics
	inputErr error // why an input could not be read to its end; the feeding goroutine's until the run is over

	mu sync.Mutex // guards the rest
	sums
}

// sums is what was counted.
type sums struct {
	pages    int
	requests int
	bytes    int64
	retries  int
	failed   map[string]int // by the first word of the reason
}

func newTally() *tally {
	return &tally{metrics: newMetrics(), sums: sums{failed: map[string]int{}}}
}

// visited counts a fetch.
func (t *tally) visited(v crawl.Visit) {
	t.metrics.visited(v)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests++
	t.bytes += int64(v.Result.Bytes)
	switch {
	case v.Page != nil:
		t.pages++
	case v.Result.State == crawl.StateRetry:
		t.retries++
	case v.Result.State == crawl.StateFailed:
		t.failed[crawl.ReasonWord(v.Result.Reason)]++
	}
}

// now returns what was counted so far.
func (t *tally) now() sums {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sums
	s.failed = make(map[string]int, len(t.failed))
	for reason, n := range t.failed {
		s.failed[reason] = n
	}
	return s
}

func (s sums) failures() (n int) {
	for _, k := range s.failed {
		n += k
	}
	return n
}

// timed is a frontier whose commits are timed.
type timed struct {
	crawl.Frontier
	tally *tally
}

// Complete implements crawl.Frontier.
func (t timed) Complete(ctx context.Context, now time.Time, reports []crawl.Report) ([]crawl.Receipt, error) {
	began := time.Now()
	receipts, err := t.Frontier.Complete(ctx, now, reports)
	if err == nil {
		t.tally.metrics.commit.Observe(time.Since(began).Seconds())
	}
	return receipts, err
}
