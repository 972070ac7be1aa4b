package crawl_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// roomy is a client that asks for room before it reads a body, as fetch does.
type roomy struct {
	*web
	worker *crawl.Worker

	mu        sync.Mutex // guards the rest
	out, most int        // bodies that are not given back
}

func (r *roomy) Do(ctx context.Context, q *scraperutils.Request) (*scraperutils.Response, error) {
	a, err := r.web.Do(ctx, q)
	if err == nil {
		r.worker.Room(ctx)
		r.count(1)
	}
	return a, err
}

func (r *roomy) count(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.out += n
	r.most = max(r.most, r.out)
}

// slow is a sink that takes its time for each group.
type slow struct{ takes time.Duration }

func (s slow) Store(context.Context, []*crawl.Page) error {
	time.Sleep(s.takes)
	return nil
}

func (slow) Close() error { return nil }

// Where answers come faster than they are stored, no more of them than there is room for are in memory. Those that would have to wait for
// longer than their servers do are read all the same.
func TestRoom(t *testing.T) {
	const pages = 8
	for name, c := range map[string]struct {
		takes  time.Duration // to store a group
		within bool          // no more are in memory than there is room for
	}{
		"no sink":                          {0, true},
		"a sink that is slow":              {300 * time.Millisecond, true},
		"a sink that all but stands still": {5 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				crew := newCrew(t, entries(20, 10)...)
				client := &roomy{web: crew.web}
				crew.run(t, func(w *crawl.Worker) {
					client.worker, w.Client, w.Pages = w, client, pages
					w.Sinks = nil
					if c.takes > 0 {
						w.Sinks = []crawl.Sink{slow{c.takes}}
					}
					w.Free = func([]byte) { client.count(-1) }
				})
				assert.Equal(t, 200, crew.counts(t).Done)
				assert.Zero(t, client.out)
				assert.Equal(t, c.within, client.most <= pages, "%d at once", client.most)
			})
		})
	}
}

// Who asks for room outside a visit has it.
func TestRoomForAnybody(t *testing.T) {
	new(crawl.Worker).Room(t.Context())
}
