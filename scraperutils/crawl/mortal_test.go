package crawl_test

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// mortal is what a worker knows of the world, until it dies: then its requests, commits and pages reach nobody any more.
type mortal struct {
	crawl.Frontier
	client interface {
		Do(context.Context, *scraperutils.Request) (*scraperutils.Response, error)
	}
	sink crawl.Sink
	slow func() error
	dead atomic.Bool

	mu      sync.Mutex
	resumed chan struct{} // closed when it goes on; nil: it is awake
}

func (m *mortal) die() { m.dead.Store(true) }

func (m *mortal) pause() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.resumed = make(chan struct{})
}

func (m *mortal) resume() {
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.resumed)
	m.resumed = nil
}

// act is what each thing that a worker does passes.
func (m *mortal) act() error {
	m.mu.Lock()
	resumed := m.resumed
	m.mu.Unlock()
	if resumed != nil {
		<-resumed
	}
	if m.dead.Load() {
		return errDead
	}
	return nil
}

func (m *mortal) Do(ctx context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	before := time.Now()
	if err := m.act(); err != nil {
		return nil, err
	}
	if time.Now().After(before) { // it stood still, so it would only now look at its lease, and not send
		return nil, &pace.DownError{Err: errDead}
	}
	response, err := m.client.Do(ctx, r)
	if dead := m.act(); dead != nil {
		return nil, dead
	}
	return response, err
}

func (m *mortal) Claim(ctx context.Context, now time.Time, c crawl.Claim) ([]crawl.Lease, error) {
	if err := cmp.Or(m.act(), m.slow()); err != nil {
		return nil, err
	}
	return m.Frontier.Claim(ctx, now, c)
}

func (m *mortal) Renew(ctx context.Context, now, until time.Time, held []crawl.Held) ([]int64, error) {
	if err := m.act(); err != nil {
		return nil, err
	}
	return m.Frontier.Renew(ctx, now, until, held)
}

func (m *mortal) Complete(ctx context.Context, now time.Time, reports []crawl.Report) ([]crawl.Receipt, error) {
	if err := cmp.Or(m.act(), m.slow()); err != nil {
		return nil, err
	}
	time.Sleep(5 * time.Millisecond)
	if err := m.act(); err != nil {
		return nil, err
	}
	return m.Frontier.Complete(ctx, now, reports)
}

func (m *mortal) Announce(ctx context.Context, now time.Time, w crawl.WorkerStatus) (bool, error) {
	if err := m.act(); err != nil {
		return false, err
	}
	return m.Frontier.Announce(ctx, now, w)
}

func (m *mortal) Leave(ctx context.Context, name string) error {
	if err := m.act(); err != nil {
		return err
	}
	return m.Frontier.Leave(ctx, name)
}

func (m *mortal) Store(ctx context.Context, pages []*crawl.Page) error {
	if err := m.act(); err != nil {
		return err
	}
	return m.sink.Store(ctx, pages)
}
func (m *mortal) Close() error { return m.Frontier.Close() }
