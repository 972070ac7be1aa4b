package crawlcmd_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/frontier"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// A crawl between two queues is killed again and again: at each moment a URL is in the queue or in the frontier, in the end each is a page
// in the other queue, and nothing is left unacknowledged. What is no URL stops nothing.
func TestKilledBetweenQueues(t *testing.T) {
	dear(t) // TestCluster has a kill, and amqp's own tests have a broker
	t.Parallel()
	hosts, pages, kills := 25, 40, 3
	if full {
		hosts, pages, kills = 250, 40, 20
	}
	web, out := newWeb(t), newOutlets(t)
	web.latency = 5 * time.Millisecond
	bodies := make([]string, 0, hosts*pages+10)
	for p := range pages {
		for h := range hosts {
			bodies = append(bodies, fmt.Sprintf(`{"url":"http://h%d.example/%d","priority":%d}`, h, p, p%10))
		}
	}
	bad := []string{"", "no URL", "{}", `{"url":1}`, "[1,2]", `{"url":"ftp://a.example/"}`, "\xff\xfe", `{"url":"http://a.example/"`, "null", `{"link":"","priority":3}`}
	in := broker.Queue(t, nil)
	broker.Put(t, in, append(bodies, bad...)...)

	const inFlight = 64
	args := append(out.flags(), "--from-amqp", in, "--proxy", web.proxy(), "--no-delay", "--requests", strconv.Itoa(inFlight), "--retry-after", "0.1")
	r := seeded(t)
	for range kills {
		c := start(t, out.folder, args...)
		enough := web.total() + 1 + r.IntN(hosts*pages/(2*kills))
		await(t, func() bool { return web.total() >= enough })
		c.kill(t)
		await(t, func() bool { return broker.Consumers(t, in) == 0 })
		assert.Equal(t, hosts*pages, len(either(t, filepath.Join(out.folder, "frontier.sqlite"), in)), "each is in the queue or in the frontier")
	}
	c := start(t, out.folder, args...)
	await(t, func() bool { return doneIn(t, out.folder) == hosts*pages })
	await(t, func() bool { return broker.Waiting(t, in) == 0 })
	require.NoError(t, c.Process.Signal(syscall.SIGTERM))
	assert.Equal(t, 143, c.end(t), c.complaints)
	await(t, func() bool { return broker.Consumers(t, in) == 0 })
	assert.Zero(t, broker.Waiting(t, in), "all is acknowledged")
	out.check(t, hosts*pages, kills*inFlight)
	assert.LessOrEqual(t, web.total(), hosts*pages+kills*inFlight)
	auditFrontier(t, out.folder, hosts*pages)
}

// either returns the URLs that a frontier or a queue of messages has.
func either(t *testing.T, path, queue string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, m := range broker.Messages(t, queue) {
		var o struct{ URL string }
		if json.Unmarshal([]byte(m.Body), &o) == nil && len(o.URL) > len("http://h") && o.URL[:8] == "http://h" {
			all[o.URL] = true
		}
	}
	f, err := frontier.Join(t.Context(), path, frontier.Options{Existing: true})
	require.NoError(t, err)
	defer f.Close()
	known, err := f.URLs(t.Context(), crawl.URLFilter{Limit: 1 << 20})
	require.NoError(t, err)
	for _, u := range known {
		all[u.URL] = true
	}
	return all
}

func doneIn(t *testing.T, folder string) int {
	t.Helper()
	var status struct{ Done int }
	require.NoError(t, json.Unmarshal([]byte(good(t, folder, "status", "--json")), &status))
	return status.Done
}
