package crawlcmd_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/frontier/postgres/postgrestest"
)

// cluster is several processes that work on one database.
type cluster struct {
	t        *testing.T
	server   *postgrestest.Server
	folder   string
	web      *journal
	flags    func(name string) []string // of a worker
	interval time.Duration              // between two requests to a host
	lease    time.Duration
	random   *rand.Rand
	pages    int // that there are, about

	members map[string]*child
	next    int // number of the next member
	faults  []outage
}

// outage is a time around which a page may be fetched twice.
type outage struct {
	what        string
	from, until time.Time
}

// join starts a worker.
func (c *cluster) join() string {
	c.next++
	name := fmt.Sprint("w", c.next)
	c.members[name] = start(c.t, c.folder, append(c.flags(name), "--min-interval", c.interval.String(), "--lease", c.lease.String())...)
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

// note notes an outage that begins now, with what was in flight before. What had been sent by then may reach its host a moment later.
func (c *cluster) note(what string) *outage {
	c.t.Logf("%s after %d pages", what, c.web.total())
	c.faults = append(c.faults, outage{what: what, from: time.Now().Add(-c.lease), until: time.Now().Add(time.Second)})
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

// leave has a worker end.
func (c *cluster) leave() {
	name := c.any()
	require.NoError(c.t, c.members[name].Process.Signal(syscall.SIGTERM))
	assert.Equal(c.t, 143, c.members[name].end(c.t))
	delete(c.members, name)
}

// restart restarts the database, once all workers have found it: one that can't even begin ends.
func (c *cluster) restart() {
	await(c.t, func() bool {
		workers := good(c.t, c.folder, "status", "--json")
		return !slices.ContainsFunc(slices.Collect(maps.Values(c.members)), func(m *child) bool { return !strings.Contains(workers, fmt.Sprintf("-%d-", m.Process.Pid)) })
	})
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

// twice returns how many pages were asked for again that had been had: each around an outage.
func (c *cluster) twice() (n int) {
	last := map[string]seen{}
	for _, s := range c.web.byHost() {
		before, again := last[s.url]
		if again && before.status < 500 && !strings.HasSuffix(s.url, "/robots.txt") {
			n++
			assert.True(c.t, c.excused(before, s), "%s was fetched by %s at %s and by %s at %s", s.url, before.agent, before.ended, s.agent, s.began)
		}
		last[s.url] = s
	}
	return n
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
