package crawlcmd_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/frontier"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/frontiertest"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// full has the kills of a test be as many and as large as a crawl promises to bear, which takes longer than a suite has time for.
var full = os.Getenv("MULTISCRAPER_KILLS") == "full"

// dear skips a test that costs too much for make test, unless kills are as many and as large as promised, or all tests are run.
func dear(t testing.TB) {
	t.Helper()
	if !full {
		testsize.SkipUnlessFull(t)
	}
}

// seeded returns what decides at which moments a test kills: MULTISCRAPER_SEED is another seed than 14.
func seeded(t testing.TB) *rand.Rand {
	seed := uint64(14)
	if n, err := strconv.ParseUint(os.Getenv("MULTISCRAPER_SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("MULTISCRAPER_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

// Thirty URLs of one host, killed in the middle and started again: thirty pages, none asked twice but the one that was in flight.
func TestKilledOnOneHost(t *testing.T) {
	t.Parallel()
	web, folder := newWeb(t), t.TempDir()
	web.latency = 10 * time.Millisecond
	if full {
		web.latency = 100 * time.Millisecond
	}
	good(t, folder, "add", "-f", write(t, folder, "urls", list(1, 30)))
	args := []string{"--proxy", web.proxy(), "--jsonl", filepath.Join(folder, "pages.jsonl"), "--max-load", "50", "--requests", "1"}
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
	assert.LessOrEqual(t, web.total(), 30+1)
	assert.Equal(t, 1, web.mostAtOnce())
	t.Logf("%d pages before the kill, %d requests in all", before, web.total())
}

// However often a crawl is killed, each URL ends as it would have, and is asked again only around a kill, no more of them than were in
// flight; what the frontier counts is what there is, and a reader of the pages that drops repeats by ID has each once, wherever they go.
func TestKilledAgainAndAgain(t *testing.T) {
	dear(t) // TestKilledOnOneHost is killed once
	t.Parallel()
	hosts, pages, kills, latency := 50, 20, 3, 5*time.Millisecond // make kills has the size
	if full {
		hosts, pages, kills, latency = 500, 40, 20, 50*time.Millisecond
	}
	web, out := newWeb(t), newOutlets(t)
	web.latency = latency
	web.busy = func(url string, asked int) bool { return strings.HasSuffix(url, "3") && asked < 2 }
	good(t, out.folder, "add", "-f", write(t, out.folder, "urls", list(hosts, pages)))
	const inFlight = 64
	args := append(out.flags(), "--proxy", web.proxy(), "--no-delay", "--requests", strconv.Itoa(inFlight), "--retry-after", "0.1", "--retries", "100")
	r := seeded(t)
	for range kills {
		c := start(t, out.folder, args...)
		enough := web.total() + hosts*pages/40 + r.IntN(hosts*pages/(2*kills)) // half of the pages, in all kills
		await(t, func() bool { return web.total() >= enough })
		c.kill(t)
	}
	before := len(pagesIn(t, out.folder))
	require.Less(t, before, hosts*pages, "it was killed too late for this test to say anything")
	good(t, out.folder, args...)

	out.check(t, hosts*pages, kills*inFlight)
	busy := hosts * pages / 10
	assert.LessOrEqual(t, web.total(), hosts*pages+2*busy+kills*inFlight, "what was in flight at a kill is asked again, nothing else")
	for url, n := range web.asked {
		assert.LessOrEqual(t, n, 3+kills, url)
	}
	assert.Equal(t, 1, web.mostAtOnce())
	auditFrontier(t, out.folder, hosts*pages)
	t.Logf("%d pages before the last start, %d requests beyond those that are needed", before, web.total()-hosts*pages-2*busy)
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
