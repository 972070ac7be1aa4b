package crawlcmd_test

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/frontier"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/frontiertest"
)

// full has the kills of a test be as many and as large as a crawl promises to bear, not as many as a quick suite has time for.
var full = os.Getenv("MULTISCRAPER_KILLS") == "full"

// Thirty URLs of one host, killed in the middle and started again: thirty pages, none asked twice but those whose commit was under way:
// on a busy machine a few answers may wait for it.
func TestKilledOnOneHost(t *testing.T) {
	web, folder := newWeb(t), t.TempDir()
	web.latency = 10 * time.Millisecond
	if full {
		web.latency = 100 * time.Millisecond
	}
	good(t, folder, "add", "-f", write(t, folder, "urls", list(1, 30)))
	args := []string{"--proxy", web.proxy(), "--jsonl", filepath.Join(folder, "pages.jsonl"), "--max-load", "50"}
	c := start(t, folder, args...)
	if full {
		time.Sleep(3500 * time.Millisecond)
	} else {
		await(t, func() bool { return web.total() >= 12 })
	}
	c.kill(t)
	before := len(pagesIn(t, folder))
	require.Less(t, before, 30, "it was killed too late for this test to say anything")
	good(t, folder, args...)
	assert.Len(t, pagesIn(t, folder), 30)
	assert.LessOrEqual(t, web.total(), 30+crawl.DefaultURLs)
	assert.Equal(t, 1, web.mostAtOnce())
	t.Logf("%d pages before the kill, %d requests in all", before, web.total())
}

// However often a crawl is killed, each URL ends as it would have, and is asked again only around a kill; what the frontier counts is
// what there is, and a reader of the pages that drops repeats by ID has each once.
func TestKilledAgainAndAgain(t *testing.T) {
	hosts, pages, kills, latency := 100, 20, 5, 5*time.Millisecond
	if full {
		hosts, pages, kills, latency = 500, 40, 20, 50*time.Millisecond
	}
	web, folder := newWeb(t), t.TempDir()
	web.latency = latency
	web.busy = func(url string, asked int) bool { return strings.HasSuffix(url, "3") && asked < 2 }
	good(t, folder, "add", "-f", write(t, folder, "urls", list(hosts, pages)))
	const unsettled = 64 + 2*512 // requests in flight, and visits that the worker has not committed yet: a group, and those that wait for the next
	args := []string{"--proxy", web.proxy(), "--jsonl", filepath.Join(folder, "pages.jsonl"), "--no-delay", "--requests", "64",
		"--retry-after", "0.1", "--retries", "100"}
	r := rand.New(rand.NewPCG(14, 1))
	for range kills {
		c := start(t, folder, args...)
		enough := web.total() + hosts*pages/40 + r.IntN(hosts*pages/(2*kills)) // half of the pages, in all kills
		await(t, func() bool { return web.total() >= enough })
		c.kill(t)
	}
	before := len(pagesIn(t, folder))
	require.Less(t, before, hosts*pages, "it was killed too late for this test to say anything")
	good(t, folder, args...)

	all := pagesIn(t, folder)
	assert.Len(t, all, hosts*pages, "every page is there")
	again := 0
	for _, n := range all {
		again += n - 1
	}
	assert.LessOrEqual(t, again, kills*unsettled)
	busy := hosts * pages / 10
	assert.LessOrEqual(t, web.total(), hosts*pages+2*busy+kills*unsettled, "what was not settled at a kill is asked again, nothing else")
	for url, n := range web.asked {
		assert.LessOrEqual(t, n, 3+kills, url)
	}
	assert.Equal(t, 1, web.mostAtOnce())
	auditFrontier(t, folder, hosts*pages)
	t.Logf("%d pages before the last start, %d twice, %d requests", before, again, web.total())
}

// pagesIn returns how often each page is in the file of JSON lines, by ID.
func pagesIn(t testing.TB, folder string) map[string]int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "pages.jsonl"))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	ids := map[string]int{}
	for scanner := bufio.NewScanner(strings.NewReader(string(text[:strings.LastIndex(string(text), "\n")+1]))); scanner.Scan(); {
		var p struct{ ID string }
		require.NoError(t, json.Unmarshal(scanner.Bytes(), &p))
		ids[p.ID]++
	}
	return ids
}

// auditFrontier holds what the frontier counts against a count, and all URLs to be done.
func auditFrontier(t testing.TB, folder string, done int) {
	t.Helper()
	f, err := frontier.Join(t.Context(), filepath.Join(folder, "frontier.sqlite"), frontier.Options{Existing: true})
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, frontiertest.Audit(t.Context(), f))
	counts, err := f.Counts(t.Context(), time.Now())
	require.NoError(t, err)
	assert.Equal(t, done, counts.Done)
	assert.Zero(t, counts.Ready+counts.Waiting+counts.Failed)
}
