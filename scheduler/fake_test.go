package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// web is a fake client: every host answers after the latency that the test says, in the bubble's time.
type web struct {
	latency func(r *scraperutils.Request) time.Duration
	answer  func(r *scraperutils.Request) error // nil: all is well

	mu                 sync.Mutex // never held over a sleep
	log                []exchange
	busy               map[string]int
	worst              int // most requests at once on one host
	atOnce, mostAtOnce int
}

// exchange is one request as the server saw it.
type exchange struct {
	host, path   string
	began, ended time.Time
}

func newWeb(latency func(r *scraperutils.Request) time.Duration) *web {
	return &web{latency: latency, busy: map[string]int{}}
}

func constant(d time.Duration) func(*scraperutils.Request) time.Duration {
	return func(*scraperutils.Request) time.Duration { return d }
}

// seeded draws a latency from the request alone.
func seeded(seed uint64) func(*scraperutils.Request) time.Duration {
	return func(r *scraperutils.Request) time.Duration {
		h := seed
		for _, c := range r.URL.String() {
			h = h*1099511628211 + uint64(c)
		}
		return time.Duration(rand.New(rand.NewPCG(h, seed)).Int64N(int64(3 * time.Second)))
	}
}

func (w *web) Do(ctx context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	host, began := r.URL.Host, time.Now()
	w.mu.Lock()
	w.busy[host]++
	w.atOnce++
	w.worst, w.mostAtOnce = max(w.worst, w.busy[host]), max(w.mostAtOnce, w.atOnce)
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.busy[host]--
		w.atOnce--
		w.log = append(w.log, exchange{host, r.URL.Path, began, time.Now()})
		w.mu.Unlock()
	}()
	took := w.latency(r)
	select {
	case <-time.After(took):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if w.answer != nil {
		if err := w.answer(r); err != nil {
			return nil, err
		}
	}
	return &scraperutils.Response{URL: r.URL, Status: 200, Body: []byte(r.URL.Path), Took: took}, nil
}

func get(t testing.TB, rawURL string) *scraperutils.Request {
	t.Helper()
	u, err := url.Parse(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	return &scraperutils.Request{Method: "GET", URL: u}
}

// pages returns a scraper that gets n pages of a host, one after the other.
func pages(t testing.TB, client scheduler.Client, host string, n int) func(context.Context) error {
	return func(ctx context.Context) error {
		for i := range n {
			if _, err := scheduler.ExecuteRequest(ctx, client, get(t, fmt.Sprintf("http://%s/%d", host, i))); err != nil {
				return err
			}
		}
		return nil
	}
}

func register(t testing.TB, s *scheduler.Scheduler, label string, scrape func(context.Context) error, o ...scheduler.Option) {
	t.Helper()
	if err := s.Register(label, scrape, o...); err != nil {
		t.Fatal(err)
	}
}

func run(t testing.TB, s *scheduler.Scheduler) *scheduler.Results {
	t.Helper()
	r, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var errBroken = errors.New("it is broken")

// clientFunc answers with what it makes.
type clientFunc func() *scraperutils.Response

func (f clientFunc) Do(context.Context, *scraperutils.Request) (*scraperutils.Response, error) {
	return f(), nil
}

// recordingPacer does as it is told, for every host.
type recordingPacer struct {
	revived int
	wait    func() scraperutils.Wait
	observe func(o scraperutils.Outcome) bool
}

func (p *recordingPacer) Pace(scraperutils.Host) scraperutils.Pace { return p }

func (p *recordingPacer) Earliest() scraperutils.Wait {
	if p.wait == nil {
		return scraperutils.Wait{}
	}
	return p.wait()
}

func (p *recordingPacer) Observe(o scraperutils.Outcome) bool {
	return p.observe != nil && p.observe(o)
}

func (p *recordingPacer) Sent(time.Time) {}

func (p *recordingPacer) Revive() { p.revived++ }
