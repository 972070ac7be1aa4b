package frontiertest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// far is a URL at a depth, found on h/via.
func far(path string, depth int) crawl.Entry {
	e := entry("h", path)
	e.Depth, e.Via = depth, "https://h/via"
	return e
}

// read has the URLs of a lease done that lead to links; none of them is farther than three from what was added.
func read(items []crawl.Item, links ...crawl.Entry) []crawl.Result {
	all := results(items, crawl.Result{State: crawl.StateDone})
	for i, item := range items {
		all[i].Links = crawl.PackLinks(item.Depth, 3, links)
	}
	return all
}

func depths(t testing.TB, f crawl.Frontier) map[string]int {
	t.Helper()
	urls, err := f.URLs(t.Context(), crawl.URLFilter{})
	require.NoError(t, err)
	all := map[string]int{}
	for _, u := range urls {
		all[u.URL] = u.Depth
	}
	return all
}

// The smaller depth wins, with where it is from, whatever the URL's state; all else of it stays.
func nearest(t *testing.T, d Driver) {
	for _, state := range []crawl.State{"", crawl.StateReady, crawl.StateRetry, crawl.StateDone, crawl.StateFailed} {
		f := fresh(t, d)
		add(t, f, start, far("0", 5))
		if state != "" {
			l := claimOne(t, f, start, 1)
			complete(t, f, start, crawl.Report{Held: l.Held, Results: results(l.URLs, crawl.Result{State: state, Due: at(time.Hour), Reason: "http-404", At: start})})
		}
		want := statusOf(t, f, "https://h/0")
		nearer := far("0", 2)
		nearer.Via, nearer.Priority, nearer.Series = "https://h/nearer", 7, 9
		assert.Equal(t, crawl.Added{Known: 3}, add(t, f, start, far("0", 5), nearer, far("0", 4)), state)
		want.Depth, want.Via = 2, nearer.Via
		assert.Equal(t, want, statusOf(t, f, "https://h/0"), state)
		assert.Equal(t, crawl.Added{New: 1, Known: 1}, add(t, f, start, far("new", 3), far("new", 1)), "in one batch")
		assert.Equal(t, 1, statusOf(t, f, "https://h/new").Depth)
		audit(t, f)
	}
}

// What a page leads to is nearer when the page is, and so on; what was beyond the bound is then added. No page is fetched again for that.
func nearerPages(t *testing.T, d Driver) {
	place := d.New(t, crawl.Hash)
	f := open(t, place, start)
	add(t, f, start, far("a", 3))
	l := claimOne(t, f, start, 9)
	beyond, known := far("beyond", 4), far("b", 4)
	complete(t, f, start, crawl.Report{Held: l.Held, Results: read(l.URLs, beyond, known)})
	assert.True(t, due(t, f).IsZero(), "what is beyond the bound is not added")

	assert.Equal(t, crawl.Added{Known: 1}, add(t, f, at(time.Second), far("a", 2)))
	require.NoError(t, f.Close())
	f = open(t, place, start)
	assert.Equal(t, at(time.Second), due(t, f))
	l = claimOne(t, f, at(time.Second), 9)
	assert.ElementsMatch(t, []string{"beyond", "b"}, paths(l.URLs))
	assert.Equal(t, 3, l.URLs[0].Depth)
	assert.Equal(t, "https://h/a", l.URLs[0].Via)
	complete(t, f, at(time.Second), crawl.Report{Held: l.Held, Results: read(l.URLs, far("last", 4), far("a", 4))})

	assert.Equal(t, crawl.Added{Known: 1}, add(t, f, at(2*time.Second), far("a", 1)))
	assert.Empty(t, claim(t, f, at(2*time.Second), 9, 9), "those two are nearer, and done")
	assert.Equal(t, at(2*time.Second), due(t, f))
	assert.Equal(t, []string{"last"}, paths(claimOne(t, f, at(2*time.Second), 9).URLs))
	assert.Equal(t, map[string]int{"https://h/a": 1, "https://h/b": 2, "https://h/beyond": 2, "https://h/last": 3}, depths(t, f))
	assert.Empty(t, claim(t, f, at(3*time.Second), 9, 9), "all is as near as it can be")
	audit(t, f)
}

// The URLs that a host goes on with are as near as what came with the same report says.
func nearerNext(t *testing.T, d Driver) {
	f := fresh(t, d)
	add(t, f, start, far("a", 3), far("b", 3))
	l := claimOne(t, f, start, 1)
	other := far(map[string]string{"a": "b", "b": "a"}[paths(l.URLs)[0]], 1)
	receipt := complete(t, f, start, crawl.Report{Held: l.Held, Keep: true, Until: l.Until, More: 9, Found: []crawl.Entry{other}, Results: read(l.URLs)})
	require.Len(t, receipt.URLs, 1)
	assert.Equal(t, 1, receipt.URLs[0].Depth)
}

// A page that is found nearer while it is read leads as far as it then does.
func nearerMeanwhile(t *testing.T, d Driver) {
	f := fresh(t, d)
	add(t, f, start, far("a", 3), far("b", 3))
	l := claimOne(t, f, start, 9)
	add(t, f, start, far("a", 2))
	complete(t, f, start, crawl.Report{Held: l.Held, Found: []crawl.Entry{far("b", 1)}, Results: read(l.URLs, far("beyond", 4))})
	next := claimOne(t, f, start, 9)
	assert.Equal(t, []string{"beyond"}, paths(next.URLs))
	assert.Equal(t, 2, next.URLs[0].Depth, "found on both, on one of them nearer")
	complete(t, f, start, crawl.Report{Held: next.Held, Results: results(next.URLs, crawl.Result{State: crawl.StateDone})})
	assert.True(t, due(t, f).IsZero())
}

// What is kept are the links of the last visit that had some. Those of a lost lease do not count.
func linksReplaced(t *testing.T, d Driver) {
	f := fresh(t, d)
	add(t, f, start, far("a", 3))
	l := claimOne(t, f, start, 9)
	first, second := read(l.URLs, far("old", 4)), read(l.URLs, far("new", 4))
	first[0].State, first[0].Due, second[0].State = crawl.StateReady, start, crawl.StateFailed
	complete(t, f, start, crawl.Report{Held: l.Held, Results: first})
	l = claimOne(t, f, start, 9)
	complete(t, f, start, crawl.Report{Held: l.Held, Keep: true, Until: l.Until, Results: second})
	complete(t, f, start, crawl.Report{Held: l.Held, Results: results(l.URLs, crawl.Result{State: crawl.StateDone})})
	assert.True(t, complete(t, f, start, crawl.Report{Held: l.Held, Results: first}).Lost)
	add(t, f, start, far("a", 0))
	assert.Equal(t, []string{"new"}, paths(claimOne(t, f, start, 9).URLs))
}

// A claim follows some of many, so that others need not wait for all.
func manyNearer(t *testing.T, d Driver) {
	f := fresh(t, d)
	const pages = crawl.NearerPages + 6
	var all []crawl.Entry
	for i := range pages {
		all = append(all, far(fmt.Sprint(i), 3))
	}
	add(t, f, start, all...)
	l := claimOne(t, f, start, pages)
	var done []crawl.Result
	for _, u := range l.URLs {
		done = append(done, read([]crawl.Item{u}, far("below-"+paths([]crawl.Item{u})[0], 4))...)
	}
	complete(t, f, start, crawl.Report{Held: l.Held, Results: done})
	for i := range all {
		all[i].Depth = 2
	}
	add(t, f, start, all...)
	for _, want := range []int{crawl.NearerPages, 6} {
		l := claimOne(t, f, start, pages)
		assert.Len(t, l.URLs, want)
		complete(t, f, start, crawl.Report{Held: l.Held, Results: results(l.URLs, crawl.Result{State: crawl.StateDone})})
	}
	assert.True(t, due(t, f).IsZero())
	audit(t, f)
}
