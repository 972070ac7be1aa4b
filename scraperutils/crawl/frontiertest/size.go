package frontiertest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// steps is how much longer a claim may take of what is ten to a hundred times larger. Who looks at all of it takes that often as long.
const steps = 12

// quickest returns the shortest time of some tries, which the rest of the machine disturbs least.
func quickest(tries int, try func()) time.Duration {
	best := time.Hour
	for range tries {
		began := time.Now()
		try()
		best = min(best, time.Since(began))
	}
	return best
}

// large skips a test that takes many round trips, where not all tests are run.
func (d Driver) large(t *testing.T) {
	t.Helper()
	if d.Remote && !Full() {
		testsize.SkipUnlessFull(t)
	}
}

// addAll adds many URLs in batches.
func addAll(t testing.TB, f crawl.Frontier, all []crawl.Entry) {
	t.Helper()
	const batch = 20_000
	for len(all) > 0 {
		n := min(batch, len(all))
		require.Equal(t, n, add(t, f, start, all[:n]...).New)
		all = all[n:]
	}
}

// A claim and its completion cost what the URLs cost that they are about, not what the host has.
func largeHost(t *testing.T, d Driver) {
	d.large(t)
	turn := func(n int) time.Duration {
		f := fresh(t, d)
		all := entries("large", n)
		for i := range all { // those in front are due tomorrow
			if all[i].Priority = 3; i%2 == 0 {
				all[i].Priority, all[i].Due = 1, at(24*time.Hour)
			}
		}
		addAll(t, f, all)
		took := quickest(20, func() {
			l := claimOne(t, f, start, 4)
			require.Len(t, l.URLs, 4)
			require.Equal(t, 3, l.URLs[0].Priority)
			r := results(l.URLs, crawl.Result{State: crawl.StateDone})
			r[0].State, r[0].Due = crawl.StateRetry, at(time.Hour)
			more := complete(t, f, start, crawl.Report{Held: l.Held, Results: r, Keep: true, More: 4, Until: at(time.Hour)})
			require.Len(t, more.URLs, 4)
			require.True(t, complete(t, f, start, crawl.Report{Held: l.Held}).Released)
		})
		audit(t, f)
		return took
	}
	small, large := turn(d.size(500, 1000, 1000, 1000)), turn(d.size(20_000, 20_000, 50_000, 100_000))
	assert.Less(t, large, small*steps)
}

// addHosts adds URLs of n hosts, one of each.
func addHosts(t testing.TB, f crawl.Frontier, n int) {
	all := make([]crawl.Entry, n)
	for i := range all {
		all[i] = entry(fmt.Sprintf("host-%d.example", i), "")
	}
	addAll(t, f, all)
}

func manyHosts(t *testing.T, d Driver) {
	d.large(t)
	turn := func(n int) time.Duration {
		place := d.New(t, crawl.Hash)
		f := open(t, place, start)
		addHosts(t, f, n)
		require.NoError(t, f.Close())
		f = open(t, place, start)
		took := quickest(20, func() { turnOver(t, f, start, 16, 1) })
		got, err := f.Counts(t.Context(), start)
		require.NoError(t, err)
		assert.Equal(t, n, got.Hosts)
		assert.Equal(t, 20*16, got.Done)
		assert.Equal(t, n-20*16, got.Ready)
		assert.Equal(t, start, due(t, f))
		return took
	}
	small, large := turn(d.size(500, 2000, 2000, 2000)), turn(d.size(20_000, 20_000, 30_000, 50_000)) // a million is the benchmark's
	assert.Less(t, large, small*steps)
}

// turnOver claims hosts with URLs and has all of them done.
func turnOver(t testing.TB, f crawl.Frontier, now time.Time, hosts, urls int) {
	leases := claim(t, f, now, hosts, urls)
	require.Len(t, leases, hosts)
	reports := make([]crawl.Report, len(leases))
	for i, l := range leases {
		reports[i] = crawl.Report{Held: l.Held, NotBefore: now, Interval: time.Second, Rule: "max_load", Results: results(l.URLs,
			crawl.Result{State: crawl.StateDone, Status: 200, At: now, Took: time.Second, Bytes: 1000, ETag: `"5f3a"`, Digest: "0123456789abcdef"})}
	}
	_, err := f.Complete(t.Context(), now, reports)
	require.NoError(t, err)
}

// Benchmarks runs the benchmarks of a driver: a million hosts, turns without links, and adding URLs.
func Benchmarks(b *testing.B, d Driver) {
	b.Run("a million hosts", func(b *testing.B) { benchmarkMillion(b, d) })
	b.Run("turns", func(b *testing.B) { benchmarkTurns(b, d) })
	b.Run("known", func(b *testing.B) { benchmarkKnown(b, d) })
}

// benchmarkMillion is what a claim of 256 hosts costs where a million wait, how long they took to add, and what opening costs then.
func benchmarkMillion(b *testing.B, d Driver) {
	place := d.New(b, crawl.Hash)
	f := open(b, place, start)
	began := time.Now()
	addHosts(b, f, 1_000_000)
	added := time.Since(began)
	require.NoError(b, f.Close())
	began = time.Now()
	f = open(b, place, start)
	claim(b, f, start, 1, 4)
	opened := time.Since(began)
	began = time.Now()
	_, err := f.Counts(b.Context(), start)
	require.NoError(b, err)
	counted := time.Since(began)
	for b.Loop() {
		turnOver(b, f, start, 256, 4)
	}
	b.ReportMetric(added.Seconds(), "s-added")
	b.ReportMetric(opened.Seconds()*1000, "ms-first-claim")
	b.ReportMetric(counted.Seconds()*1000, "ms-counts")
}

// benchmarkTurns claims 256 hosts and completes 1,024 URLs.
func benchmarkTurns(b *testing.B, d Driver) {
	f := fresh(b, d)
	var all []crawl.Entry
	for h := range 1000 {
		all = append(all, entries(fmt.Sprintf("host-%d.example", h), 400)...)
	}
	addAll(b, f, all)
	b.ResetTimer()
	urls := 0
	for now := start; b.Loop(); urls += 1024 {
		turnOver(b, f, now, 256, 4)
		now = now.Add(time.Second)
	}
	b.ReportMetric(float64(urls)/b.Elapsed().Seconds(), "URLs/s")
}

// benchmarkKnown adds URLs that are known.
func benchmarkKnown(b *testing.B, d Driver) {
	f := fresh(b, d)
	all := entries("host.example", 5000)
	addAll(b, f, all)
	urls := 0
	for b.Loop() {
		urls += add(b, f, start, all...).Known
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(urls), "µs/URL")
}
