package frontiertest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

func traps(t testing.TB, f crawl.Frontier, limit int) []crawl.Trap {
	t.Helper()
	all, err := f.Traps(t.Context(), limit)
	require.NoError(t, err)
	return all
}

// bounded are URLs of a host that a bound changes.
func bounded(change func(*crawl.Entry), host string, paths ...string) (all []crawl.Entry) {
	for _, path := range paths {
		e := entry(host, path)
		change(&e)
		all = append(all, e)
	}
	return all
}

// A host holds so many URLs, finished ones among them, and each host its own.
func limits(t *testing.T, d Driver) {
	place := d.New(t, crawl.Hash)
	f := open(t, place, start)
	three := func(e *crawl.Entry) { e.Limit = 3 }
	assert.Equal(t, crawl.Added{New: 2}, add(t, f, start, bounded(three, "h", "0", "1")...))
	l := claimOne(t, f, start, 9)
	complete(t, f, start, crawl.Report{Held: l.Held, Results: []crawl.Result{{Key: l.URLs[0].Key, State: crawl.StateDone}, {Key: l.URLs[1].Key, State: crawl.StateFailed}}})
	assert.Equal(t, crawl.Added{New: 1, Over: 1}, add(t, f, start, bounded(three, "h", "2", "3")...), "those that are finished count")
	require.NoError(t, f.Close())

	f = open(t, place, start)
	assert.Equal(t, crawl.Added{Known: 3, Over: 2}, add(t, f, start, bounded(three, "h", "0", "1", "2", "3", "4")...))
	again := entry("h", "0")
	again.Again, again.Limit = true, 3
	assert.Equal(t, crawl.Added{Again: 1}, add(t, f, start, again), "what is known is not new")
	assert.Equal(t, crawl.Added{New: 3}, add(t, f, start, bounded(three, "other", "0", "1", "2")...))
	assert.Equal(t, crawl.Added{New: 1}, add(t, f, start, entry("h", "unbounded")))
	assert.Equal(t, crawl.Added{Over: 1}, add(t, f, start, bounded(three, "h", "6")...))
	assert.Equal(t, crawl.Added{New: 1}, add(t, f, start, bounded(func(e *crawl.Entry) { e.Limit = 5 }, "h", "7")...), "a higher limit lets more in")
	audit(t, f)
}

// So many URLs that differ in their queries alone; those that were added without the bound do not count, nor does the path itself.
func variants(t *testing.T, d Driver) {
	place := d.New(t, crawl.Hash)
	f := open(t, place, start)
	two := func(e *crawl.Entry) { e.Variants = 2 }
	assert.Equal(t, crawl.Added{New: 2}, add(t, f, start, entry("h", "list?free"), entry("h", "list?free=2")))
	assert.Equal(t, crawl.Added{New: 3, Known: 1, Over: 2}, add(t, f, start, bounded(two, "h", "list", "list?a", "list?b", "list?c", "list?free", "list?d")...))
	assert.Equal(t, crawl.Added{New: 4}, add(t, f, start, append(bounded(two, "h", "lists?a", "lists?b"), bounded(two, "g", "list?a", "list?b")...)...), "of another path, of another host")
	require.NoError(t, f.Close())

	f = open(t, place, start)
	assert.Equal(t, crawl.Added{Over: 1}, add(t, f, start, bounded(two, "h", "list?e")...))
	assert.Equal(t, crawl.Added{New: 1}, add(t, f, start, bounded(func(e *crawl.Entry) { e.Variants = 3 }, "h", "list?e")...))
	both := func(e *crawl.Entry) { e.Variants, e.Limit = 1, 1 }
	add(t, f, start, bounded(both, "h", "list?f")...)
	counted := map[string]int{}
	for _, trap := range traps(t, f, 0) {
		counted[trap.Rule] = trap.Count
	}
	assert.Equal(t, map[string]int{crawl.TrapVariants: 3, crawl.TrapLimit: 1}, counted, "the limit of the host is looked at first")
	audit(t, f)
}

func trapsCounted(t *testing.T, d Driver) {
	place := d.New(t, crawl.Hash)
	f := open(t, place, start)
	add(t, f, start, entry("h", ""))
	l := claimOne(t, f, start, 1)
	host := func(name string) crawl.Trap { return crawl.Trap{Host: entry(name, "").Host} }
	trap := func(name, rule string, n int, example string) crawl.Trap {
		t := host(name)
		t.Rule, t.Count, t.Example = rule, n, example
		return t
	}
	one := func(e *crawl.Entry) { e.Limit = 1 }
	receipts, err := f.Complete(t.Context(), start, []crawl.Report{
		{Held: l.Held, Trapped: []crawl.Trap{trap("h", "depth", 2, "first"), trap("h", "depth", 3, "second")}, Found: bounded(one, "h", "over")},
		{Held: crawl.Held{HostID: l.HostID, Token: l.Token + 1}, Trapped: []crawl.Trap{trap("nobody's", "series", 7, "'; drop table traps; --")}},
	})
	require.NoError(t, err)
	assert.Equal(t, []crawl.Receipt{{Released: true}, {Lost: true}}, receipts)
	want := []crawl.Trap{trap("nobody's", "series", 7, "'; drop table traps; --"), trap("h", "depth", 5, "first"), trap("h", crawl.TrapLimit, 1, "https://h/over")}
	assert.Equal(t, want, traps(t, f, 0), "also with a lost lease, of a host that nobody has added")
	assert.Equal(t, want[:1], traps(t, f, 1))
	require.NoError(t, f.Close())
	f = open(t, place, start)
	assert.Equal(t, want, traps(t, f, 0))
	hosts, err := f.Hosts(t.Context(), crawl.HostFilter{})
	require.NoError(t, err)
	assert.Len(t, hosts, 1)
	for i := range 130 {
		add(t, f, start, bounded(one, fmt.Sprint("h", i), "0", "1")...)
	}
	assert.Len(t, traps(t, f, 0), crawl.DefaultTraps)
	assert.Len(t, traps(t, f, 1000), 133)
}

func seriesAndVisited(t *testing.T, d Driver) {
	f := fresh(t, d)
	e := entry("h", "0")
	e.Series, e.Sitemap = 7, true
	add(t, f, start, e)
	e.Series, e.Sitemap, e.Again = 3, false, true
	add(t, f, start, e)
	for i, c := range []struct {
		state   crawl.State
		at      time.Duration
		visited time.Duration
	}{
		{crawl.StateRetry, 2 * time.Second, 0},
		{crawl.StateReady, 12 * time.Second, 10 * time.Second},
		{crawl.StateRetry, 22 * time.Second, 10 * time.Second},
		{crawl.StateFailed, 32 * time.Second, 10 * time.Second},
		{crawl.StateDone, 42 * time.Second, 40 * time.Second},
	} {
		l := claimOne(t, f, at(c.at), 1)
		assert.True(t, l.URLs[0].Sitemap)
		assert.Equal(t, 7, l.URLs[0].Series, "as it was found first")
		complete(t, f, at(c.at), crawl.Report{Held: l.Held, Results: results(l.URLs, crawl.Result{State: c.state, At: at(c.at), Took: 2 * time.Second})})
		if c.state == crawl.StateFailed {
			add(t, f, at(c.at), e)
		}
		want := time.Time{}
		if c.visited > 0 {
			want = at(c.visited)
		}
		assert.Equal(t, want, statusOf(t, f, e.URL).Visited, "%d: %s", i, c.state)
	}
}

// The hosts of what was added, known or not; not those of what was found on pages.
func seeds(t *testing.T, d Driver) {
	place := d.New(t, crawl.Hash)
	f := open(t, place, start)
	found := entry("found", "")
	found.Depth = 1
	later := entry("later", "")
	later.Depth = 2
	add(t, f, start, found, later, entry("a", "0"), entry("a", "1"))
	moved := entry("moved", "")
	l := claim(t, f, start, 1, 1)[0]
	complete(t, f, start, crawl.Report{Held: l.Held, Found: []crawl.Entry{moved}})
	later.Depth = 0
	assert.Equal(t, crawl.Added{Known: 1}, add(t, f, start, later))
	require.NoError(t, f.Close())
	f = open(t, place, start)
	got, err := f.Seeds(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []scraperutils.Host{entry("a", "").Host, later.Host, moved.Host}, got)
	assert.Equal(t, 0, statusOf(t, f, later.URL).Depth)
}
