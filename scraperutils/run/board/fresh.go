package board

import (
	"context"
	"sync"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/run/report"
)

// fresh is how old an overview may be.
const fresh = time.Second

// Fresh returns a function that reads as read does, but at most once a second, however many call it: one of them reads, and the others wait for
// it. Only errors are not kept. It may be called from any goroutine.
func Fresh(read func(context.Context) (*report.Overview, error)) func(context.Context) (*report.Overview, error) {
	r := &reader{source: read, turn: make(chan struct{}, 1)}
	return r.read
}

// reader reads for many.
type reader struct {
	source func(context.Context) (*report.Overview, error)
	turn   chan struct{} // holds one while the source is read

	mu       sync.Mutex       // guards the rest
	overview *report.Overview // nil: it was never read
	at       time.Time        // when it was read
}

func (r *reader) read(ctx context.Context) (*report.Overview, error) {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	r.mu.Lock()
	overview, at := r.overview, r.at
	r.mu.Unlock()
	if overview != nil && time.Since(at) < fresh {
		return overview, nil
	}
	overview, err := r.source(ctx)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.overview, r.at = overview, time.Now()
	return overview, nil
}
