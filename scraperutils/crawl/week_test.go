package crawl_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/frontiertest"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// TestWeek is a worker's week with stories that come in all day, from hosts of every kind: many answer well, some are slow, busy, away for
// hours or gone for good, some ask for a crawl-delay, and by a power law a few have most of the stories. SIMULATION_WEEK is how large
// it is, as a part of 5,000 hosts with 500,000 stories a day; a small part of it runs always.
func TestWeek(t *testing.T) {
	part, days := 0.01, 1
	if p, err := strconv.ParseFloat(os.Getenv("SIMULATION_WEEK"), 64); err == nil {
		part, days = p, 7
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWeek(14, part, days)
		w.run(t)
		w.report(t)
		w.check(t)
	})
}

// The kinds of hosts, and how many of a thousand they are.
var kinds = []struct {
	name string
	part int
}{{"good", 850}, {"crawl-delay 10 s", 50}, {"slow, 10 to 30 s", 20}, {"busy, one in five", 30}, {"away for 6 h a day", 30}, {"gone", 20}}

// weekHost is a host, and what became of its stories.
type weekHost struct {
	name   string
	kind   string
	weight float64 // up to this host
	median time.Duration
	rand   *rand.Rand

	added, done, failed int
	slowest             time.Duration // from when a story was added to its page
}

// week is the world of the test.
type week struct {
	rand   *rand.Rand
	days   int
	perDay int
	hosts  []*weekHost
	named  map[string]*weekHost
	memory *frontiertest.Memory
	began  time.Time

	mu      sync.Mutex // guards the rest, and the hosts
	delays  []float64  // of good hosts, in seconds
	failed  map[string]int
	flying  int // requests
	most    int
	backlog []int // at the end of each day
}

func newWeek(seed uint64, part float64, days int) *week {
	w := &week{rand: rand.New(rand.NewPCG(seed, 0)), days: days, perDay: int(500_000 * part), named: map[string]*weekHost{}, memory: frontiertest.NewMemory(), failed: map[string]int{}, began: time.Now()}
	sum := 0.0
	n := int(5000 * part)
	for i := range n {
		sum += 1 / float64(i+1)
		h := &weekHost{name: fmt.Sprintf("h%d.example", i), weight: sum, median: time.Duration(float64(400*time.Millisecond) * math.Exp(0.6*w.rand.NormFloat64())), kind: kindOf(w.rand.IntN(1000))}
		h.rand = rand.New(rand.NewPCG(seed, uint64(i+1)))
		if i < max(n/500, 1) { // who has most is there
			h.kind = kinds[0].name
		}
		w.hosts, w.named[h.name] = append(w.hosts, h), h
	}
	return w
}

func kindOf(draw int) string {
	for _, k := range kinds {
		if draw -= k.part; draw < 0 {
			return k.name
		}
	}
	return kinds[0].name
}

// run has stories come every five minutes, for the days.
func (w *week) run(t *testing.T) {
	s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{NoRetry: true, DownFor: 10 * time.Minute}), ForgetAfter: time.Hour})
	serving, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(serving) }()
	wake := make(chan struct{}, 1)
	worker := &crawl.Worker{Name: "w", Frontier: w.memory.Open(), Scheduler: s, Client: w, URLs: 64, Rules: crawl.Rules{Keep: true}, Wake: wake, OnVisit: w.visited}
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(w.days)*24*time.Hour)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- worker.Run(ctx) }()
	for tick := 0; ctx.Err() == nil; tick++ {
		_, err := w.memory.Open().Add(ctx, time.Now(), w.stories(w.perDay/288))
		require.NoError(t, err)
		select {
		case wake <- struct{}{}:
		default:
		}
		time.Sleep(5*time.Minute - time.Millisecond)
		if (tick+1)%288 == 0 {
			counts, err := w.memory.Open().Counts(t.Context(), time.Now())
			require.NoError(t, err)
			w.backlog = append(w.backlog, counts.Ready+counts.Waiting)
		}
	}
	assert.ErrorIs(t, <-ended, context.DeadlineExceeded)
	stop()
	require.NoError(t, <-served)
}

// stories are n new ones, of hosts by their weight.
func (w *week) stories(n int) (all []crawl.Entry) {
	for range n {
		draw := w.rand.Float64() * w.hosts[len(w.hosts)-1].weight
		h := w.hosts[sort.Search(len(w.hosts)-1, func(i int) bool { return w.hosts[i].weight > draw })]
		h.added++
		all = append(all, crawl.Entry{Host: scraperutils.Host{Name: h.name, Port: "80"}, URL: fmt.Sprintf("http://%s/%d", h.name, h.added)})
	}
	return all
}

// Do is the hosts' answer.
func (w *week) Do(ctx context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	w.mu.Lock()
	w.flying++
	w.most = max(w.most, w.flying)
	h := w.named[r.URL.Host]
	took := time.Duration(float64(h.median) * math.Exp(0.4*h.rand.NormFloat64()))
	if h.kind == "slow, 10 to 30 s" {
		took = 10*time.Second + time.Duration(h.rand.Int64N(int64(20*time.Second)))
	}
	busy := h.kind == "busy, one in five" && h.rand.IntN(5) == 0
	w.mu.Unlock()
	defer func() { w.mu.Lock(); w.flying--; w.mu.Unlock() }()
	sum := fnv.New32a()
	sum.Write([]byte(h.name))
	hour := (int(time.Since(w.began)/time.Hour) + int(sum.Sum32()%24)) % 24
	if h.kind == "gone" || h.kind == "away for 6 h a day" && hour < 6 {
		return nil, refused
	}
	select {
	case <-time.After(took):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	response := page(r)
	if busy {
		response = status(503)
	}
	if h.kind == "crawl-delay 10 s" {
		response.CrawlDelay = 10 * time.Second
	}
	response.URL, response.Took = r.URL, took
	return response, nil
}

// visited counts.
func (w *week) visited(v crawl.Visit) {
	w.mu.Lock()
	defer w.mu.Unlock()
	h := w.named[v.Host]
	switch v.Result.State {
	case crawl.StateDone:
		h.done++
		late := v.Result.At.Sub(v.Item.Added)
		h.slowest = max(h.slowest, late)
		if h.kind == "good" {
			w.delays = append(w.delays, late.Seconds())
		}
	case crawl.StateFailed:
		h.failed++
		w.failed[crawl.ReasonWord(v.Result.Reason)]++
	}
}

// report says how the days went.
func (w *week) report(t *testing.T) {
	slices.Sort(w.delays)
	at := func(q float64) time.Duration {
		return time.Duration(w.delays[int(q*float64(len(w.delays)-1))] * float64(time.Second)).Round(10 * time.Millisecond)
	}
	t.Logf("%d hosts, %d stories a day, %d days; %d requests in flight at most; unfinished at the end of each day: %v; failed: %v", len(w.hosts), w.perDay, w.days, w.most, w.backlog, w.failed)
	t.Logf("from a story to its page, of good hosts: median %v, 90 %% %v, 99 %% %v, all %v", at(0.5), at(0.9), at(0.99), at(1))
	for _, k := range kinds {
		var hosts, added, done, failed int
		for _, h := range w.hosts {
			if h.kind == k.name {
				hosts, added, done, failed = hosts+1, added+h.added, done+h.done, failed+h.failed
			}
		}
		t.Logf("%-20s %4d hosts: %8d stories, %8d pages, %6d failed, %6d unfinished", k.name, hosts, added, done, failed, added-done-failed)
	}
	behind := slices.Clone(w.hosts)
	slices.SortFunc(behind, func(a, b *weekHost) int { return (b.added - b.done - b.failed) - (a.added - a.done - a.failed) })
	for _, h := range behind[:min(5, len(behind))] {
		t.Logf("most unfinished: %s (%s, median %v), %d a day: %d of %d", h.name, h.kind, h.median.Round(time.Millisecond), h.added/w.days, h.added-h.done-h.failed, h.added)
	}
}

// check holds the week to what was promised: no story is lost, and a good host's wait for nothing but its own line.
func (w *week) check(t *testing.T) {
	counts, err := w.memory.Open().Counts(t.Context(), time.Now())
	require.NoError(t, err)
	added := 0
	for _, h := range w.hosts {
		added += h.added
		if h.kind == "good" {
			assert.Zero(t, h.failed, h.name)
		}
		if need := 2 * h.median.Seconds() * float64(h.added/w.days); h.kind == "good" && need < 86400/2 {
			lately := 20 + 2*h.added/(288*w.days) // in the last ten minutes, or so
			assert.LessOrEqual(t, h.added-h.done, lately, "%s has room for all its stories", h.name)
		}
	}
	assert.Equal(t, added, counts.Done+counts.Failed+counts.Ready+counts.Waiting)
	require.NoError(t, frontiertest.Audit(t.Context(), w.memory.Open()))
}
