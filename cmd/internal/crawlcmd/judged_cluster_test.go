package crawlcmd_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/db/frontier/postgres/postgrestest"
)

// judgedSize is how large a judged cluster is: hosts, pages of each, and the rest between two requests to a host.
func judgedSize() size {
	if full {
		return size{hosts: 100, pages: 200, interval: 250 * time.Millisecond, lease: 5 * time.Second, paused: 4}
	}
	return size{hosts: 6, pages: 40, interval: 5 * time.Millisecond, lease: 3 * time.Second}
}

// judgedCluster is a cluster that crawls a web which knows what a correct crawl asks for.
type judgedCluster struct {
	*cluster
	web *synthetic
}

func newJudgedCluster(t *testing.T, s *postgrestest.Server, z size) judgedCluster {
	web, folder := startSynthetic(t, buildSynthetic(t), 907, z.hosts, z.pages, "-slow", "20ms", "-big", "50000"), t.TempDir()
	shared.Store(folder, s.Schema(t))
	return judgedCluster{web: web, cluster: &cluster{t: t, server: s, folder: folder, web: &web.journal, interval: z.interval, lease: z.lease,
		random: seeded(t), pages: z.hosts * z.pages, members: map[string]*child{},
		flags: func(string) []string {
			return []string{"http://h000.test/", "--scope", "all", "--proxy", web.address, "--warc", "off", "--retry-after", "0.2s"}
		}}}
}

// check holds what was asked for against what is wanted.
func (c judgedCluster) check() {
	v, hosts := c.web.verdict(c.t), judgedSize().hosts
	assert.Zero(c.t, v.Counts.Missing, v.First["missing"])
	assert.Zero(c.t, v.Counts.Extra, v.First["extra"])
	assert.Zero(c.t, v.Counts.Forbidden, v.First["forbidden"])
	assert.LessOrEqual(c.t, v.Counts.Trapped, 100*hosts)
	assert.Equal(c.t, 1, v.Most)
	assert.GreaterOrEqual(c.t, time.Duration(v.Least), c.interval, "whoever asks")
	c.t.Logf("wanted %d, asked %d, requests %d, %d of them again; least gap %s", v.Counts.Wanted, v.Counts.Asked, v.Counts.Requests, c.twice(), time.Duration(v.Least))
}

// Three processes on one database ask together for what a correct crawl asks for, whoever is killed, stands still, joins and ends, and while
// the database is restarted: for all of that and nothing else, twice only for what a kill interrupted, and no host too early. Each reads
// the robots.txt of the hosts that it has.
func TestJudgedCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a database and several processes for seconds")
	}
	dear(t) // TestCluster has processes on one database, and TestJudgedCrawls the web
	z := judgedSize()
	if !full { // how long it takes is looked at
		t.Parallel()
		c := newJudgedCluster(t, &server, z)
		c.run(c.kill, c.leave)
		c.check()
		return
	}
	s := &postgrestest.Server{Durable: true, Like: &server}
	t.Cleanup(s.Close)
	c := newJudgedCluster(t, s, z)
	alone := c.run()
	c.check()
	t.Logf("%s without faults", alone.Round(time.Millisecond))
	c = newJudgedCluster(t, s, z)
	faults := []func(){c.kill, c.kill, c.kill, c.stopFor(z.paused), c.restart, func() { c.join() }, c.roll}
	c.random.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
	took := c.run(faults...)
	c.check()
	t.Logf("%s with faults", took.Round(time.Millisecond))
	assert.Less(t, took, alone*3/2)
}
