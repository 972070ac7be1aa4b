package crawl_test

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/frontiertest"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// web is a fake client: hosts that answer in the bubble's time, and a log of what they saw.
type web struct {
	latency func(*scraperutils.Request) time.Duration
	answer  func(r *scraperutils.Request, asked int) (*scraperutils.Response, error) // asked: how often this URL was before; nil: a page

	mu    sync.Mutex // never held over a sleep
	asked map[string]int
	log   []exchange
}

// exchange is one request as its host saw it.
type exchange struct {
	host, url    string
	began, ended time.Time
	good         bool // it was a page
}

func newWeb() *web {
	return &web{asked: map[string]int{}, latency: func(*scraperutils.Request) time.Duration { return 100 * time.Millisecond }}
}

func (w *web) Do(ctx context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	began := time.Now()
	w.mu.Lock()
	asked := w.asked[r.URL.String()]
	w.asked[r.URL.String()]++
	w.mu.Unlock()
	took, good := w.latency(r), false
	defer func() {
		w.mu.Lock()
		w.log = append(w.log, exchange{r.URL.Host, r.URL.String(), began, time.Now(), good})
		w.mu.Unlock()
	}()
	select {
	case <-time.After(took):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	response, err := page(r), error(nil)
	if w.answer != nil {
		if a, e := w.answer(r, asked); a != nil || e != nil {
			response, err = a, e
		}
	}
	if response != nil {
		good = response.Status == 200
		response.URL, response.Took = r.URL, took
	}
	return response, err
}

func page(r *scraperutils.Request) *scraperutils.Response {
	return &scraperutils.Response{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte("page " + r.URL.String())}
}

func status(code int, header ...string) *scraperutils.Response {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &scraperutils.Response{Status: code, Header: h}
}

var refused = &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}

// gaps returns the least time between the end of an answer and the next request of a host, over all hosts; below zero they overlapped.
func (w *web) gaps() time.Duration {
	log := slices.Clone(w.log)
	slices.SortFunc(log, func(a, b exchange) int { return cmp.Or(cmp.Compare(a.host, b.host), a.began.Compare(b.began)) })
	least := time.Hour
	for i := range len(log) - 1 {
		if log[i].host == log[i+1].host {
			least = min(least, log[i+1].began.Sub(log[i].ended))
		}
	}
	return least
}

// kept is a sink that keeps pages in memory.
type kept struct {
	mu    sync.Mutex // guards the rest
	pages []*crawl.Page
	fail  func() error // nil: never
}

func (k *kept) Store(_ context.Context, pages []*crawl.Page) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fail != nil {
		if err := k.fail(); err != nil {
			return err
		}
	}
	k.pages = append(k.pages, pages...)
	return nil
}

func (*kept) Close() error { return nil }

func (k *kept) ids() map[string]int {
	ids := map[string]int{}
	for _, p := range k.pages {
		ids[p.ID]++
	}
	return ids
}

// entries are n pages of each of some hosts.
func entries(hosts, pages int) (all []crawl.Entry) {
	for h := range hosts {
		for p := range pages {
			all = append(all, entry(fmt.Sprintf("http://h%d.example/%d", h, p)))
		}
	}
	return all
}

func entry(rawURL string) crawl.Entry {
	u, err := url.Parse(rawURL)
	if err != nil {
		panic(err) // the test is wrong
	}
	return crawl.Entry{Host: scraperutils.HostOf(u), URL: rawURL}
}

// crew is a frontier in memory and what a worker needs besides it.
type crew struct {
	memory *frontiertest.Memory
	web    *web
	sink   *kept
	pace   pace.Config

	requests int // in flight at once; 0: as many as a scheduler allows
}

func newCrew(t *testing.T, all ...crawl.Entry) *crew {
	t.Helper()
	c := &crew{memory: frontiertest.NewMemory(), web: newWeb(), sink: &kept{}}
	_, err := c.memory.Open().Add(t.Context(), time.Now(), all)
	require.NoError(t, err)
	return c
}

// worker returns a worker, and a function that ends the scheduler that serves it.
func (c *crew) worker(t *testing.T, name string) (*crawl.Worker, func()) {
	t.Helper()
	config := c.pace
	config.NoRetry, config.DownFor = true, 10*time.Minute
	s := scheduler.New(scheduler.Config{Pacer: pace.New(config), MaxPerHost: config.PerHost, MaxRequests: c.requests})
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	stop := func() {
		cancel()
		require.NoError(t, <-served)
	}
	return &crawl.Worker{Name: name, Frontier: c.memory.Open(), Scheduler: s, Client: c.web, Sinks: []crawl.Sink{c.sink}, PerHost: config.PerHost}, stop
}

// run runs one worker until nothing is left.
func (c *crew) run(t *testing.T, change func(*crawl.Worker)) {
	t.Helper()
	w, stop := c.worker(t, "w")
	defer stop()
	if change != nil {
		change(w)
	}
	require.NoError(t, w.Run(t.Context()))
}

func (c *crew) counts(t *testing.T) crawl.Counts {
	t.Helper()
	counts, err := c.memory.Open().Counts(t.Context(), time.Now())
	require.NoError(t, err)
	return counts
}

// url returns what is known of a URL.
func (c *crew) url(t *testing.T, rawURL string) crawl.URLStatus {
	t.Helper()
	all, err := c.memory.Open().URLs(t.Context(), crawl.URLFilter{URL: rawURL})
	require.NoError(t, err)
	require.Len(t, all, 1)
	return all[0]
}
