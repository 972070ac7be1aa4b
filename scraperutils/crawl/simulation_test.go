package crawl_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/frontiertest"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/scope"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// TestSimulation runs whole crews of workers on one frontier in a bubble: a seed decides answers, latencies, kills, pauses, slow and
// failing commits and sinks, who joins and who leaves, whether pages are added or found on each other, and how deep they are followed.
// SIMULATION_SEEDS is how many seeds are tried, SIMULATION_SEED the first.
func TestSimulation(t *testing.T) {
	seeds, first := testsize.Of(20, 150), uint64(1)
	if testing.Short() {
		seeds = 15
	}
	if n, err := strconv.Atoi(os.Getenv("SIMULATION_SEEDS")); err == nil {
		seeds = n
	}
	if n, err := strconv.ParseUint(os.Getenv("SIMULATION_SEED"), 10, 64); err == nil {
		first = n
	}
	for seed := first; seed < first+uint64(seeds); seed++ {
		if !t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { simulate(t, seed) })
		}) {
			return // the first one that fails is the one to look at
		}
	}
}

// simulation is a crew whose members die, sleep, join and leave.
type simulation struct {
	*crew
	seed   uint64
	random *rand.Rand // of the one goroutine that decides
	rest   time.Duration
	lease  time.Duration
	hosts  int
	pages  int  // of each
	linked bool // only the first is added: the others are found
	depth  int  // how far they may be; 0: any number of links

	mu     sync.Mutex // guards the rest
	faults []fault
}

// uncommitted is for how long what was fetched may wait to be counted: a hiccup, and the pause before the next try.
const uncommitted = time.Minute

// fault is a time around which a request may be done twice.
type fault struct{ from, until time.Time }

func simulate(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 0))
	hosts, pages := 1+random.IntN(12), 1+random.IntN(25)
	s := &simulation{seed: seed, random: random, lease: 20 * time.Second, hosts: hosts, pages: pages, linked: seed%2 == 0}
	if seed%4 == 0 {
		s.depth = 1 + random.IntN(5)
	}
	s.crew = newCrew(t, s.added()...)
	s.rest = time.Duration(1+random.IntN(3)) * time.Second
	s.pace = pace.Config{MinInterval: s.rest, DownFor: 30 * time.Second}
	s.web.latency = s.latency
	s.web.answer = s.answer
	s.sink.fail = s.hiccup("sink")

	began := time.Now()
	for n := 0; ; n++ {
		s.member(t, fmt.Sprintf("w%d", n))
		counts := s.counts(t)
		if counts.Ready+counts.Waiting == 0 {
			break
		}
		require.Less(t, time.Since(began), 48*time.Hour, "it does not end: %+v", counts)
	}
	s.check(t)
}

// added is what is added: all pages, or the one that leads to the others.
func (s *simulation) added() []crawl.Entry {
	if s.linked {
		return entries(1, 1)
	}
	return entries(s.hosts, s.pages)
}

// member starts a worker, beside others perhaps, and waits for what the seed has for it: an end, a kill, or a pause.
func (s *simulation) member(t *testing.T, name string) {
	var all sync.WaitGroup
	for i := range 1 + s.random.IntN(3) {
		fateOf, after := s.random.IntN(4), time.Duration(s.random.IntN(90_000))*time.Millisecond
		t.Logf("%s %s.%d: end %d after %s", time.Now().Format("15:04:05.000"), name, i, fateOf, after)
		all.Go(func() { s.live(t, fmt.Sprintf("%s.%d", name, i), fateOf, after) })
	}
	all.Wait()
}

// The ends of a worker.
const (
	toTheEnd = iota
	told     // it is told to end
	killed   // it is gone without a word
	paused   // it stands still for some leases, then goes on
)

// live is a worker's life.
func (s *simulation) live(t *testing.T, name string, end int, after time.Duration) {
	w, stop := s.worker(t, name)
	defer stop()
	m := &mortal{Frontier: w.Frontier, client: w.Client, sink: s.sink, slow: s.hiccup(name)}
	w.Frontier, w.Client, w.Sinks, w.Lease = m, m, []crawl.Sink{m}, s.lease
	w.Rules = crawl.Rules{Retries: 6, RetryAfter: 20 * time.Second, Down: 30 * time.Second}
	if s.linked {
		w.Scope = scope.Scope{Kind: scope.All, Depth: s.depth}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = w.Run(ctx) // what it says is not what counts
	}()
	select {
	case <-ended:
		return
	case <-time.After(after):
	}
	switch end {
	case told:
		cancel()
		<-ended
		s.fault(0) // where it could not commit in the time that it had
	case killed:
		m.die()
		s.fault(0)
		cancel()
	case paused:
		m.pause()
		time.Sleep(4 * s.lease)
		s.fault(5 * s.lease)
		m.resume()
	}
	<-ended
}

// fault notes that something has happened to a worker that had requests in flight, now and for some time before.
func (s *simulation) fault(before time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, fault{time.Now().Add(-before - uncommitted), time.Now()})
}

// draw returns a number from 0 to 1 that the seed gives to a text.
func (s *simulation) draw(text string) float64 {
	h := fnv.New64a()
	fmt.Fprint(h, s.seed, text)
	return rand.New(rand.NewPCG(h.Sum64(), s.seed)).Float64()
}

func (s *simulation) latency(r *scraperutils.Request) time.Duration {
	return time.Duration(s.draw("latency"+r.URL.String()) * float64(4*time.Second))
}

func (s *simulation) answer(r *scraperutils.Request, asked int) (*scraperutils.Response, error) {
	switch d := s.draw("answer" + r.URL.String()); {
	case d < 0.1 && asked < 2:
		return status(503), nil
	case d < 0.15 && asked < 1:
		return status(429, "Retry-After", "30"), nil
	case d < 0.2:
		return status(404), nil
	case d < 0.25 && asked < 1:
		return nil, refused
	case d < 0.3:
		return status(301, "Location", moved(d, r.URL.Path)), nil
	}
	a := page(r)
	a.Body = append(a.Body, links(s.links(r.URL)...)...)
	return a, nil
}

// moved is where a page has moved that drew a number.
func moved(draw float64, path string) string {
	return fmt.Sprintf("http://moved%d.example%s", int(draw*1000)%3, path)
}

// links are those of a page: to two on its host, one on the next, and one anywhere, in some spelling.
func (s *simulation) links(u *url.URL) (all []string) {
	var host, number int
	if n, err := fmt.Sscanf(u.Host+u.Path, "h%d.example/%d", &host, &number); n != 2 || err != nil || !s.linked {
		return nil
	}
	for _, next := range []int{2*number + 1, 2*number + 2} {
		if next < s.pages {
			all = append(all, fmt.Sprintf("./x/../%d?sid=%d#%d", next, host, number))
		}
	}
	far := int(s.draw("far"+u.String()) * float64(s.hosts*s.pages))
	return append(all, fmt.Sprintf("HTTP://H%d.example:80/%d", (host+1)%s.hosts, number), fmt.Sprintf("http://h%d.example/%d", far%s.hosts, far/s.hosts), "/0")
}

// wanted returns what a crawl that misses nothing asks for, and how many links each is from what was added.
func (s *simulation) wanted(t *testing.T) map[string]int {
	t.Helper()
	all, queue := map[string]int{}, []string(nil)
	add := func(raw string, depth int) {
		if before, ok := all[raw]; (!ok || depth < before) && (s.depth == 0 || depth <= s.depth) {
			all[raw] = depth
			queue = append(queue, raw)
		}
	}
	for _, e := range s.added() {
		add(e.URL, 0)
	}
	for ; len(queue) > 0; queue = queue[1:] {
		page, err := url.Parse(queue[0])
		require.NoError(t, err)
		switch d := s.draw("answer" + page.String()); {
		case d < 0.2: // not there, at last
		case d < 0.3:
			add(moved(d, page.Path), all[page.String()])
		default:
			for _, l := range s.links(page) {
				u, err := urls.Form{}.Parse(page.String())
				require.NoError(t, err)
				u, err = urls.Form{}.Resolve(u, l)
				require.NoError(t, err)
				add(u.String(), all[page.String()]+1)
			}
		}
	}
	return all
}

// hiccup returns a function that fails now and then, for 20 seconds.
func (s *simulation) hiccup(name string) func() error {
	began := time.Now()
	fails := func(slot int) bool { return s.draw(fmt.Sprint("hiccup", name, slot)) < 0.1 }
	return func() error {
		if slot := int(time.Since(began) / (20 * time.Second)); fails(slot) && !fails(slot-1) {
			return errors.New("not now")
		}
		return nil
	}
}

// check holds what was promised against what happened.
func (s *simulation) check(t *testing.T) {
	counts := s.counts(t)
	known, err := s.memory.Open().URLs(t.Context(), crawl.URLFilter{Limit: 1 << 20})
	require.NoError(t, err)
	done, stored := 0, map[string]string{}
	for _, p := range s.sink.pages {
		if before := stored[p.URL]; before != "" {
			require.Equal(t, before, p.ID, "a repeat has another ID: %s", p.URL)
		}
		stored[p.URL] = p.ID
	}
	for _, u := range known {
		switch u.State {
		case crawl.StateDone:
			done++
			if u.Status == 200 {
				require.Contains(t, stored, u.URL, "done and not stored")
			}
		case crawl.StateFailed:
			require.Positive(t, s.web.asked[u.URL], "failed without being asked: %s", u.URL)
			require.Equal(t, "http-404", u.Reason, u.URL)
		default:
			t.Fatalf("%s is %s", u.URL, u.State)
		}
	}
	wanted := s.wanted(t)
	for _, u := range known {
		require.Contains(t, wanted, u.URL, "nobody wanted it")
		if s.depth > 0 {
			require.Equal(t, wanted[u.URL], u.Depth, "how far %s is", u.URL)
		}
	}
	require.Len(t, known, len(wanted))
	require.Equal(t, done, counts.Done)
	require.Equal(t, len(known)-done, counts.Failed)
	require.Zero(t, counts.Leased)
	require.NoError(t, frontiertest.Audit(t.Context(), s.memory.Open()))
	s.checkRequests(t)
}

// checkRequests looks at what the hosts saw: one request at a time, rests between them, and none twice but around a fault.
func (s *simulation) checkRequests(t *testing.T) {
	log := slices.Clone(s.web.log)
	slices.SortFunc(log, func(a, b exchange) int { return cmp.Or(cmp.Compare(a.host, b.host), a.began.Compare(b.began)) })
	for i := range log[:max(len(log)-1, 0)] {
		a, b := log[i], log[i+1]
		if a.host != b.host {
			continue
		}
		require.GreaterOrEqual(t, b.began.Sub(a.ended), s.rest, "%s: %s after %s", a.host, b.url, a.url)
	}
	good := map[string]exchange{}
	for _, e := range log {
		if !e.good {
			continue
		}
		if before, ok := good[e.url]; ok {
			excused := slices.ContainsFunc(s.faults, func(f fault) bool { return !before.ended.Before(f.from) && !before.began.After(f.until) })
			require.True(t, excused, "%s was fetched twice, at %s and %s; faults: %v", e.url, before.ended, e.ended, s.faults)
		}
		good[e.url] = e
	}
}

var errDead = errors.New("dead")
