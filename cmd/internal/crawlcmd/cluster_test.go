package crawlcmd_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/frontier/postgres"
	"github.com/multiscraper/multiscraper/db/frontier/postgres/postgrestest"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/frontiertest"
)

// cluster is several processes that fetch from one database.
type cluster struct {
	t        *testing.T
	server   *postgrestest.Server
	folder   string
	web      *ledger
	interval time.Duration // between two requests to a host
	lease    time.Duration
	random   *rand.Rand
	pages    int

	members map[string]*child
	next    int // number of the next member
	faults  []outage
}

// outage is a time around which a page may be fetched twice.
type outage struct {
	what        string
	from, until time.Time
}

// size is how large a test of a cluster is.
type size struct {
	hosts, pages      int
	interval, latency time.Duration
	lease             time.Duration
	paused            int // leases that one stands still for
}

// sizes are those of a quick suite, and of what several machines promise to bear.
var quick, large = size{hosts: 30, pages: 30, interval: 250 * time.Millisecond, latency: 10 * time.Millisecond, lease: 3 * time.Second, paused: 2},
	size{hosts: 200, pages: 100, interval: 500 * time.Millisecond, latency: 50 * time.Millisecond, lease: 5 * time.Second, paused: 4}

func newCluster(t *testing.T, s *postgrestest.Server, z size, seed uint64) *cluster {
	folder := t.TempDir()
	shared.Store(folder, s.Schema(t))
	c := &cluster{t: t, server: s, folder: folder, web: newLedger(t, z.latency), interval: z.interval, lease: z.lease,
		random: rand.New(rand.NewPCG(seed, 0)), pages: z.hosts * z.pages, members: map[string]*child{}}
	good(t, folder, "add", "-f", write(t, folder, "urls", list(z.hosts, z.pages)))
	return c
}

// join starts a worker.
func (c *cluster) join() string {
	c.next++
	name := fmt.Sprint("w", c.next)
	c.members[name] = start(c.t, c.folder, "--scope", "none", "--proxy", c.web.proxy(), "--jsonl", filepath.Join(c.folder, name+".jsonl"), "--user-agent", name,
		"--max-load", "80", "--min-interval", c.interval.String(), "--lease", c.lease.String())
	return name
}

// any returns one of the members.
func (c *cluster) any() string {
	for n := c.next; ; n = 1 + c.random.IntN(c.next) {
		if name := fmt.Sprint("w", n); c.members[name] != nil && (n != c.next || len(c.members) == 1) {
			return name
		}
	}
}

// note notes an outage that begins now, with what was in flight before.
func (c *cluster) note(what string) *outage {
	c.t.Logf("%s after %d pages", what, c.web.total())
	c.faults = append(c.faults, outage{what: what, from: time.Now().Add(-c.lease), until: time.Now()})
	return &c.faults[len(c.faults)-1]
}

// await waits until some more pages have been fetched.
func (c *cluster) await(part float64) {
	enough := c.web.total() + int(part*float64(c.pages))
	await(c.t, func() bool { return c.web.total() >= min(enough, c.pages*9/10) })
}

// end waits until nothing is left, and returns how long all took.
func (c *cluster) end(began time.Time) time.Duration {
	for name, m := range c.members {
		timer := time.AfterFunc(10*time.Minute, func() { _ = m.Process.Kill() })
		_ = m.Wait()
		timer.Stop()
		assert.Zero(c.t, m.ProcessState.ExitCode(), "%s: %s%s", name, m.out, m.complaints)
	}
	return time.Since(began)
}

// run runs three workers to the end, with faults or without.
func (c *cluster) run(faults ...func()) time.Duration {
	began := time.Now()
	for range 3 {
		c.join()
	}
	for _, fault := range faults {
		c.await(0.8 / float64(len(faults)+1))
		fault()
	}
	return c.end(began)
}

// kill kills a worker, and starts another in its place.
func (c *cluster) kill() {
	name := c.any()
	c.members[name].kill(c.t)
	c.note("killed " + name)
	delete(c.members, name)
	c.join()
}

// stopFor has a worker stand still for some leases.
func (c *cluster) stopFor(leases int) func() {
	return func() {
		name := c.any()
		o := c.note("stopped " + name)
		require.NoError(c.t, c.members[name].Process.Signal(syscall.SIGSTOP))
		time.Sleep(time.Duration(leases) * c.lease)
		require.NoError(c.t, c.members[name].Process.Signal(syscall.SIGCONT))
		o.until = time.Now().Add(c.lease) // its places in other workers' lines end with their leases
	}
}

// restart restarts the database.
func (c *cluster) restart() {
	c.t.Logf("the database is restarted after %d pages", c.web.total())
	c.server.Stop()
	require.NoError(c.t, c.server.Start())
}

// roll has each worker end and another one take its place, one after the other.
func (c *cluster) roll() {
	c.t.Logf("a rolling restart after %d pages", c.web.total())
	began := time.Now()
	old := c.members
	c.members = map[string]*child{}
	for _, m := range old {
		c.join()
		time.Sleep(c.lease / 2)
		require.NoError(c.t, m.Process.Signal(syscall.SIGTERM))
		assert.Equal(c.t, 143, m.end(c.t))
	}
	c.t.Logf("the longest time without a request in it: %s", c.web.silence(began, time.Now()).Round(time.Millisecond))
}

// check holds what was promised against what happened.
func (c *cluster) check() {
	t := c.t
	f, err := postgres.Open(t.Context(), frontierOf(c.folder), postgres.Options{Existing: true, Clock: postgres.CallersClock})
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, frontiertest.Audit(t.Context(), f))
	counts, err := f.Counts(t.Context(), time.Now())
	require.NoError(t, err)
	assert.Equal(t, c.pages, counts.Done)
	assert.Zero(t, counts.Ready+counts.Waiting+counts.Failed)
	assert.Len(t, c.stored(), c.pages, "every page is in one of the files")
	assert.GreaterOrEqual(t, c.web.least(), c.interval, "whoever asks")

	last, twice := map[string]seen{}, 0
	for _, s := range c.web.byHost() {
		if before, again := last[s.url]; again {
			twice++
			assert.True(t, c.excused(before, s), "%s was fetched by %s at %s and by %s at %s", s.url, before.agent, before.ended, s.agent, s.began)
		}
		last[s.url] = s
	}
	t.Logf("%d requests, %d of them again, least gap %s, by worker %v", c.web.total(), twice, c.web.least(), c.web.agents())
}

// stored returns the IDs of the pages in the files of all workers.
func (c *cluster) stored() map[string]bool {
	all := map[string]bool{}
	for n := range c.next {
		file, err := os.Open(filepath.Join(c.folder, fmt.Sprint("w", n+1, ".jsonl")))
		require.NoError(c.t, err)
		defer file.Close()
		for scanner := bufio.NewScanner(file); scanner.Scan(); {
			var p struct{ ID string }
			if err := json.Unmarshal(scanner.Bytes(), &p); err == nil { // a kill may have cut the last line off
				all[p.ID] = true
			}
		}
	}
	return all
}

// excused reports whether a page was fetched shortly before an outage, so that nobody knew of it afterwards.
func (c *cluster) excused(first, second seen) bool {
	for _, o := range c.faults {
		if !first.ended.Before(o.from) && !first.began.After(o.until) && second.began.After(o.from) {
			return true
		}
	}
	return false
}

// Three processes on one database fetch every page, however often one is killed, stands still, joins or is replaced, and while the
// database is restarted: twice only what a kill interrupted, and no host is asked too early by anybody.
func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a database and several processes for seconds")
	}
	z := large
	if !full { // how long it takes is looked at
		z = quick
		t.Parallel()
	}
	seed := uint64(15)
	if n, err := strconv.ParseUint(os.Getenv("MULTISCRAPER_SEED"), 10, 64); err == nil {
		seed = n
	}
	s := &postgrestest.Server{Durable: true}
	t.Cleanup(s.Close)
	var alone time.Duration
	if full {
		c := newCluster(t, s, z, seed)
		alone = c.run()
		c.check()
		t.Logf("%s without faults", alone.Round(time.Millisecond))
	}
	c := newCluster(t, s, z, seed)
	faults := []func(){c.kill, c.stopFor(z.paused), c.restart, func() { c.join() }}
	if full {
		faults = append(faults, c.kill, c.kill, c.roll)
	}
	c.random.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
	took := c.run(faults...)
	c.check()
	t.Logf("MULTISCRAPER_SEED=%d: %s with faults", seed, took.Round(time.Millisecond))
	if full {
		assert.Less(t, took, alone*3/2)
	}
}
