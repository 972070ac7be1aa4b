package postgres_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/frontier/postgres"
	"github.com/multiscraper/multiscraper/db/frontier/postgres/postgrestest"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/frontiertest"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// work adds, claims and completes with several goroutines, and holds every answer against what it did: each URL is new once, and each
// visit counts once.
type work struct {
	frontier crawl.Frontier
	hosts    int

	mu    sync.Mutex // guards the rest
	added int
	new   int
	ended map[string]int
}

func (w *work) entry(text string) crawl.Entry {
	host := fmt.Sprintf("h%d.example", len(text)*7919%w.hosts)
	return crawl.Entry{Host: scraperutils.Host{Name: host, Port: "80"}, URL: "http://" + host + "/" + text}
}

func (w *work) add(t *testing.T, who string, n int, r *rand.Rand) {
	var batch []crawl.Entry
	for i := range 1 + r.IntN(20) {
		batch = append(batch, w.entry(fmt.Sprint(who, n, "-", i)+string(make([]byte, r.IntN(5)))))
	}
	added, err := w.frontier.Add(t.Context(), time.Now(), batch)
	assert.NoError(t, err)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.added, w.new = w.added+len(batch), w.new+added.New
}

func (w *work) turn(t *testing.T, who string, n int, r *rand.Rand) {
	leases, err := w.frontier.Claim(t.Context(), time.Now(), crawl.Claim{Worker: who, Hosts: 3, URLs: 4, Until: time.Now().Add(time.Minute)})
	assert.NoError(t, err)
	var reports []crawl.Report
	for i, l := range leases {
		report := crawl.Report{Held: l.Held, Found: []crawl.Entry{w.entry(fmt.Sprint("found", who, n, "-", i)), w.entry(fmt.Sprint("all", r.IntN(100)))}}
		for _, u := range l.URLs {
			report.Results = append(report.Results, crawl.Result{Key: u.Key, State: crawl.StateDone, Attempts: u.Attempts + 1, At: time.Now()})
		}
		reports = append(reports, report)
	}
	receipts, err := w.frontier.Complete(t.Context(), time.Now(), reports)
	if !assert.NoError(t, err) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, l := range leases {
		assert.False(t, receipts[i].Lost, "nobody else has claimed it")
		for _, u := range l.URLs {
			w.ended[u.URL]++
		}
	}
}

// run works until the faults are over.
func (w *work) run(t *testing.T, seed uint64, faults func()) {
	w.ended = map[string]int{}
	over := make(chan bool)
	var all sync.WaitGroup
	for i := range 3 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		all.Go(func() {
			for n := 0; !t.Failed(); n++ {
				select {
				case <-over:
					return
				default:
				}
				w.turn(t, fmt.Sprint("w", i, "."), n, r)
				w.add(t, fmt.Sprint("a", i, "."), n, r)
			}
		})
	}
	faults()
	close(over)
	all.Wait()
}

// check looks at what is there, without faults.
func (w *work) check(t *testing.T, url string) {
	f := open(t, url, postgres.Options{Existing: true, Clock: postgres.CallersClock})
	require.NoError(t, frontiertest.Audit(t.Context(), f))
	assert.Equal(t, w.added, w.new, "each was added once, and is new once")
	require.NotEmpty(t, w.ended)
	for _, u := range all(t, f) {
		assert.Equal(t, w.ended[u.URL], u.Visits, u.URL)
		assert.LessOrEqual(t, u.Visits, 1, u.URL)
		delete(w.ended, u.URL)
	}
	assert.Empty(t, w.ended)
}

func all(t *testing.T, f crawl.Frontier) []crawl.URLStatus {
	urls, err := f.URLs(t.Context(), crawl.URLFilter{Limit: 1 << 30})
	require.NoError(t, err)
	return urls
}

// inFull returns how much a test does: some where all tests run, and more in make contract.
func inFull(some, more int) int {
	if frontiertest.Full() {
		return more
	}
	return some
}

// skipUnlessFull skips a test that costs too much for make test, but not in make contract.
func skipUnlessFull(t *testing.T) {
	t.Helper()
	if !frontiertest.Full() {
		testsize.SkipUnlessFull(t)
	}
}

// A server that is restarted, or crashes, costs time: no call fails, and what was acknowledged is there.
func TestRestarts(t *testing.T) {
	skipUnlessFull(t) // TestConnectionsThatBreak breaks connections one by one
	t.Parallel()
	const seed = 15
	s := postgrestest.Server{Durable: true, Like: &server}
	defer s.Close()
	url := s.Schema(t)
	f := open(t, url, postgres.Options{})
	w := &work{frontier: f, hosts: 20}
	random := rand.New(rand.NewPCG(seed, 99))
	restarts := inFull(2, 4)
	w.run(t, seed, func() {
		for i := range restarts {
			time.Sleep(time.Duration(200+random.IntN(300)) * time.Millisecond)
			[]func(){s.Kill, s.Stop}[i%2]()
			require.NoError(t, s.Start())
		}
		time.Sleep(200 * time.Millisecond)
	})
	w.check(t, url)
	t.Logf("%d URLs added over %d restarts", w.added, restarts)
}

// A connection that breaks anywhere, also between a commit and its answer, has nothing done twice.
func TestConnectionsThatBreak(t *testing.T) {
	t.Parallel()
	const seed = 16
	url := server.Schema(t)
	p := newCutter(t, url, seed)
	w := &work{frontier: open(t, p.url, postgres.Options{}), hosts: 20}
	w.run(t, seed, func() {
		for p.cuts() < testsize.Of(10, 60) && !t.Failed() {
			time.Sleep(10 * time.Millisecond)
		}
	})
	p.heal()
	w.check(t, url)
	t.Logf("%d URLs added over %d cuts", w.added, p.cuts())
}

// cutter is a way to the server that breaks by a seed.
type cutter struct {
	url    string
	server string

	mu     sync.Mutex // guards the rest
	random *rand.Rand
	n      int
	healed bool
}

func newCutter(t *testing.T, to string, seed uint64) *cutter {
	u, err := url.Parse(to)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &cutter{server: u.Host, random: rand.New(rand.NewPCG(seed, 7))}
	u.Host = l.Addr().String()
	c.url = u.String()
	var conns sync.WaitGroup
	conns.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			conns.Go(func() { c.serve(client) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		conns.Wait()
	})
	return c
}

// serve passes on what both sides say, and cuts them off after some bytes of the server's, which it has said already.
func (c *cutter) serve(client net.Conn) {
	defer client.Close()
	upstream, err := net.Dial("tcp", c.server)
	if err != nil {
		return
	}
	defer upstream.Close()
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		_, _ = io.Copy(upstream, client)
		_ = upstream.Close()
	}()
	c.mu.Lock()
	most := int64(3000 + c.random.IntN(20_000))
	if c.healed {
		most = 1 << 60
	}
	c.mu.Unlock()
	if n, _ := io.CopyN(client, upstream, most); n == most {
		c.mu.Lock()
		c.n++
		c.mu.Unlock()
	}
	_ = client.Close()
	<-asked
}

func (c *cutter) cuts() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (c *cutter) heal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.healed = true
}

// Workers of several machines that find the same hosts and links are never in each other's way for good: nothing waits in a circle.
func TestNobodyWaitsInACircle(t *testing.T) {
	t.Parallel()
	url := server.Schema(t)
	var groups sync.WaitGroup
	for user := range 4 {
		f := open(t, url, postgres.Options{})
		r := rand.New(rand.NewPCG(17, uint64(user)))
		groups.Go(func() {
			for n := range inFull(testsize.Of(4, 20), 40) {
				mix(t, f, r, n)
			}
		})
	}
	groups.Wait()
	f := open(t, url, postgres.Options{Clock: postgres.CallersClock})
	require.NoError(t, frontiertest.Audit(t.Context(), f))
	assert.Zero(t, postgrestest.Deadlocks(t, url))
}

// mix does one thing of each kind with hosts and links that others use at the same time.
func mix(t *testing.T, f crawl.Frontier, r *rand.Rand, n int) {
	found := func() (all []crawl.Entry) {
		for range 30 {
			h := scraperutils.Host{Name: fmt.Sprintf("h%d.example", r.IntN(30)), Port: "80"}
			all = append(all, crawl.Entry{Host: h, URL: fmt.Sprintf("http://%s/%d?q=%d", h.Name, r.IntN(5)+n/10, r.IntN(5)), Again: r.IntN(5) == 0,
				Depth: r.IntN(2), Limit: 200 * r.IntN(2), Variants: 3 * r.IntN(2)})
		}
		return all
	}
	leases, err := f.Claim(t.Context(), time.Now(), crawl.Claim{Worker: "w", Hosts: 8, URLs: 5, Until: time.Now().Add(time.Minute)})
	assert.NoError(t, err)
	_, err = f.Add(t.Context(), time.Now(), found())
	assert.NoError(t, err)
	var reports []crawl.Report
	var held []crawl.Held
	for _, l := range leases {
		report := crawl.Report{Held: l.Held, Found: found()}
		for i, u := range l.URLs {
			result := crawl.Result{Key: u.Key, State: crawl.StateDone}
			if i%2 == 1 {
				result = crawl.Result{Key: u.Key, State: crawl.StateFailed, Reason: "http-404"}
			}
			report.Results = append(report.Results, result)
		}
		reports, held = append(reports, report), append(held, l.Held)
	}
	r.Shuffle(len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
	_, err = f.Renew(t.Context(), time.Now(), time.Now().Add(time.Minute), held)
	assert.NoError(t, err)
	_, err = f.Complete(t.Context(), time.Now(), reports)
	assert.NoError(t, err)
	_, err = f.Retry(t.Context(), time.Now(), crawl.URLFilter{Limit: 20})
	assert.NoError(t, err)
}

// Who waits for work is told of it, also after the server was away.
func TestToldOfWork(t *testing.T) {
	skipUnlessFull(t) // TestAddBesideAWorker of crawlcmd has a worker that waits for work
	t.Parallel()
	s := postgrestest.Server{Like: &server}
	defer s.Close()
	url := s.Schema(t)
	told := make(chan bool, 100)
	open(t, url, postgres.Options{OnWork: func() { told <- true }})
	other := open(t, url, postgres.Options{})
	for n := range 2 {
		if n == 1 {
			s.Stop()
			require.NoError(t, s.Start())
		}
		for i, heard := 0, false; !heard; i++ { // it may not listen yet
			_, err := other.Add(t.Context(), time.Now(), entries(fmt.Sprint("h", n, "-", i), 1))
			require.NoError(t, err)
			select {
			case <-told:
				heard = true
			case <-time.After(100 * time.Millisecond):
			}
		}
		for len(told) > 0 {
			<-told
		}
	}
}

// What an opening has kept for its own sake goes with it.
func TestNothingIsLeftOfAnOpening(t *testing.T) {
	url := server.Schema(t)
	for range 3 {
		f, err := postgres.Open(t.Context(), url, postgres.Options{})
		require.NoError(t, err)
		_, err = f.Add(t.Context(), time.Now(), entries("h", 3))
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	assert.Zero(t, postgrestest.Number(t, url, "select count(*) from marks"))
}
