package crawlcmd_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/frontier/postgres"
	"github.com/multiscraper/multiscraper/db/frontier/postgres/postgrestest"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/frontiertest"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// size is how large a test of a cluster is.
type size struct {
	hosts, pages      int
	interval, latency time.Duration
	lease             time.Duration
	paused            int // leases that one stands still for
}

// sizes are those where one worker is killed, of all tests, and of what several machines promise to bear.
var small, quick, large = size{hosts: 10, pages: 12, interval: 250 * time.Millisecond, latency: 10 * time.Millisecond, lease: 3 * time.Second},
	size{hosts: 30, pages: 30, interval: 250 * time.Millisecond, latency: 10 * time.Millisecond, lease: 3 * time.Second, paused: 2},
	size{hosts: 200, pages: 100, interval: 500 * time.Millisecond, latency: 50 * time.Millisecond, lease: 5 * time.Second, paused: 4}

// queueCluster is a cluster that fetches a queue.
type queueCluster struct{ *cluster }

func newCluster(t *testing.T, s *postgrestest.Server, z size) queueCluster {
	folder, web := t.TempDir(), newLedger(t, z.latency)
	shared.Store(folder, s.Schema(t))
	good(t, folder, "add", "-f", write(t, folder, "urls", list(z.hosts, z.pages)))
	return queueCluster{&cluster{t: t, server: s, folder: folder, web: &web.journal, interval: z.interval, lease: z.lease,
		random: seeded(t), pages: z.hosts * z.pages, members: map[string]*child{},
		flags: func(name string) []string {
			return []string{"--scope", "none", "--proxy", web.proxy(), "--jsonl", filepath.Join(folder, name+".jsonl"), "--user-agent", name, "--max-load", "80"}
		}}}
}

// check holds what was promised against what happened.
func (c queueCluster) check() {
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

	twice := c.twice()
	t.Logf("%d requests, %d of them again, least gap %s, by worker %v", c.web.total(), twice, c.web.least(), c.web.agents())
}

// stored returns the IDs of the pages in the files of all workers.
func (c queueCluster) stored() map[string]bool {
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
	if !full && !testsize.Full() {
		c := newCluster(t, &server, small)
		c.run(c.kill)
		c.check()
		return
	}
	s := &postgrestest.Server{Durable: true, Like: &server}
	t.Cleanup(s.Close)
	var alone time.Duration
	if full {
		c := newCluster(t, s, z)
		alone = c.run()
		c.check()
		t.Logf("%s without faults", alone.Round(time.Millisecond))
	}
	c := newCluster(t, s, z)
	faults := []func(){c.kill, c.stopFor(z.paused), c.restart, func() { c.join() }}
	if full {
		faults = append(faults, c.kill, c.kill, c.roll)
	}
	c.random.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
	took := c.run(faults...)
	c.check()
	t.Logf("%s with faults", took.Round(time.Millisecond))
	if full {
		assert.Less(t, took, alone*3/2)
	}
}
