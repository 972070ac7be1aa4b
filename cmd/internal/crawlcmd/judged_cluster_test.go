package crawlcmd_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Three processes on one database, of which one is killed, one joins and one is told to end, ask together for what a correct crawl asks
// for: all of that, and nothing else. Each reads the robots.txt of the hosts that it has.
func TestJudgedCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a database and several processes for seconds")
	}
	t.Parallel()
	hosts, pages := 6, 40 // make kills has the size
	if full {
		hosts, pages = 100, 200
	}
	web, folder := startSynthetic(t, buildSynthetic(t), 907, hosts, pages, "-slow", "20ms", "-big", "50000"), share(t, t.TempDir())
	join := func() *child {
		return start(t, folder, "http://h000.test/", "--scope", "all", "--proxy", web.address, "--warc", "off", "--retry-after", "0.2s", "--no-delay", "--lease", "3s")
	}
	first, second, third := join(), join(), join()
	reach := func(part int) {
		await(t, func() bool { return web.verdict(t).Counts.Requests >= hosts*pages*part/5 })
	}
	reach(1)
	first.kill(t)
	fourth := join()
	reach(3)
	assert.NoError(t, second.Process.Signal(syscall.SIGTERM))
	assert.Equal(t, 143, second.end(t))
	for _, c := range []*child{third, fourth} {
		assert.Zero(t, c.end(t), c.complaints)
	}
	v := web.verdict(t)
	assert.Zero(t, v.Counts.Missing, v.First["missing"])
	assert.Zero(t, v.Counts.Extra, v.First["extra"])
	assert.Zero(t, v.Counts.Forbidden, v.First["forbidden"])
	assert.LessOrEqual(t, v.Counts.Trapped, 100*hosts)
	assert.Equal(t, 1, v.Most)
	t.Logf("wanted %d, asked %d, requests %d, twice %d: %s; least gap %s", v.Counts.Wanted, v.Counts.Asked, v.Counts.Requests, v.Counts.Twice,
		strings.Join(v.First["twice"], " "), time.Duration(v.Least))
}
