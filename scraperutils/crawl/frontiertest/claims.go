package frontiertest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

func claimsByDue(t *testing.T, d Driver) {
	f := fresh(t, d)
	for i, host := range []string{"c", "a", "d", "b"} {
		e := entry(host, "")
		e.Due = at(time.Duration(i) * time.Second)
		add(t, f, start, e)
	}
	assert.Equal(t, start, due(t, f))
	assert.Equal(t, []string{"c", "a", "d"}, names(claim(t, f, at(2*time.Second), 9, 9)), "b has a second to go")
	assert.Equal(t, at(3*time.Second), due(t, f))
	assert.Empty(t, claim(t, f, at(3*time.Second-1), 9, 9))
	l := claimOne(t, f, at(3*time.Second), 9)
	assert.Equal(t, "b", l.Host.Name)
	assert.Equal(t, at(63*time.Second), l.Until)
	assert.Equal(t, 1, l.Waiting)
	assert.Equal(t, at(62*time.Second), due(t, f), "the end of the first lease")
}

func claimsAtMost(t *testing.T, d Driver) {
	f := fresh(t, d)
	for _, host := range []string{"a", "b", "c"} {
		add(t, f, start, entries(host, 5)...)
	}
	assert.Empty(t, claim(t, f, start, 0, 1))
	assert.Empty(t, claim(t, f, start, 1, 0), "a host without a URL is of no use")
	leases := claim(t, f, start, 2, 3)
	require.Len(t, leases, 2)
	assert.Len(t, leases[0].URLs, 3)
	assert.Equal(t, 5, leases[0].Waiting)
	assert.Len(t, claimOne(t, f, start, 9).URLs, 5)
	assert.Empty(t, claim(t, f, start, 9, 9), "all are leased")
}

func urlsByPriority(t *testing.T, d Driver) {
	f := fresh(t, d)
	for path, e := range map[string]crawl.Entry{
		"first":     {Priority: -3, Due: at(-time.Second)},
		"second":    {Priority: 0, Due: start},
		"third":     {Priority: 3, Due: at(-time.Hour)},
		"fourth":    {Priority: 9, Due: at(-2 * time.Hour)},
		"fifth":     {Priority: 44},
		"not yet":   {Priority: 0, Due: at(time.Millisecond)},
		"not today": {Priority: 3, Due: at(24 * time.Hour)},
	} {
		e.Host, e.URL = entry("h", path).Host, entry("h", path).URL
		add(t, f, start, e)
	}
	l := claimOne(t, f, start, 99)
	assert.Equal(t, []string{"first", "second", "third", "fourth", "fifth"}, paths(l.URLs))
	complete(t, f, start, crawl.Report{Held: l.Held})
	assert.Equal(t, []string{"first", "second", "third"}, paths(claimOne(t, f, start, 3).URLs))
}

func lostLeases(t *testing.T, d Driver) {
	f := fresh(t, d)
	add(t, f, start, entries("h", 2)...)
	old := claimOne(t, f, start, 1)
	young := claimOne(t, f, at(time.Minute), 1)
	assert.Equal(t, old.HostID, young.HostID)
	assert.NotEqual(t, old.Token, young.Token)
	assert.Equal(t, old.URLs[0].ID, young.URLs[0].ID, "the same visit")
	done := results(young.URLs, crawl.Result{State: crawl.StateDone})

	late := at(61 * time.Second)
	receipts, err := f.Complete(t.Context(), late, []crawl.Report{
		{Held: old.Held, Results: done, Rule: "late", NotBefore: at(time.Hour), Found: []crawl.Entry{entry("found", "")}},
		{Held: crawl.Held{HostID: young.HostID, Token: young.Token + 1}, Results: done},
		{Held: crawl.Held{HostID: young.HostID + 1, Token: 1}, Results: done},
		{Held: crawl.Held{}},
	})
	require.NoError(t, err)
	assert.Equal(t, []crawl.Receipt{{Lost: true}, {Lost: true}, {Lost: true}, {Lost: true}}, receipts)
	assert.Equal(t, crawl.StateReady, statusOf(t, f, young.URLs[0].URL).State)
	assert.Equal(t, []string{"found"}, names(claim(t, f, late, 9, 9)), "the URLs found with a lost lease count")

	lost, err := f.Renew(t.Context(), late, at(time.Hour), []crawl.Held{old.Held, young.Held, {HostID: 1, Token: 1}})
	require.NoError(t, err)
	assert.Equal(t, []int64{old.HostID, 1}, lost)
	assert.Equal(t, crawl.Receipt{Released: true}, complete(t, f, late, crawl.Report{Held: young.Held, Results: done}))
	assert.Equal(t, crawl.StateDone, statusOf(t, f, young.URLs[0].URL).State)
	assert.Equal(t, crawl.Receipt{Lost: true}, complete(t, f, late, crawl.Report{Held: young.Held}), "it was given back")
	audit(t, f)
}

func renewals(t *testing.T, d Driver) {
	f := fresh(t, d)
	add(t, f, start, entry("h", ""))
	l := claimOne(t, f, start, 1)
	for _, c := range []struct{ until, want time.Duration }{{90, 90}, {30, 90}, {120, 120}} {
		lost, err := f.Renew(t.Context(), at(50*time.Second), at(c.until*time.Second), []crawl.Held{l.Held})
		require.NoError(t, err)
		assert.Empty(t, lost)
		assert.Equal(t, at(c.want*time.Second), due(t, f))
	}
	assert.Empty(t, claim(t, f, at(119*time.Second), 1, 1))
	assert.Len(t, claim(t, f, at(120*time.Second), 1, 1), 1)
}

// Its last request may have been sent until the end of the lease.
func expiredLeases(t *testing.T, d Driver) {
	for name, c := range map[string]struct{ notBefore, now, want time.Duration }{
		"the interval counts from the end":    {0, 61, 65},
		"it may be over":                      {0, 600, 65},
		"a longer wait stays":                 {90, 61, 90},
		"a shorter wait gives way to the end": {63, 61, 65},
	} {
		f := fresh(t, d)
		add(t, f, start, entries("h", 2)...)
		l := claimOne(t, f, start, 2)
		assert.Equal(t, time.Duration(0), l.Interval)
		assert.True(t, l.NotBefore.IsZero())
		complete(t, f, start, crawl.Report{Held: l.Held, NotBefore: at(c.notBefore * time.Second), Interval: 5 * time.Second, Keep: true})
		next := claimOne(t, f, at(c.now*time.Second), 2)
		assert.Equal(t, at(c.want*time.Second), next.NotBefore, name)
		assert.Equal(t, 5*time.Second, next.Interval)
		assert.Len(t, next.URLs, 2)
	}
}

// A lease that has run out is still its owner's while nobody else has claimed the host.
func lateOwner(t *testing.T, d Driver) {
	f := fresh(t, d)
	add(t, f, start, entries("h", 2)...)
	l := claimOne(t, f, start, 1)
	late := at(2 * time.Minute)
	lost, err := f.Renew(t.Context(), late, late.Add(time.Minute), []crawl.Held{l.Held})
	require.NoError(t, err)
	assert.Empty(t, lost)
	assert.Empty(t, claim(t, f, late, 1, 1))
	later := at(4 * time.Minute)
	assert.False(t, complete(t, f, later, crawl.Report{Held: l.Held, Results: results(l.URLs, crawl.Result{State: crawl.StateDone})}).Lost)
	assert.True(t, claimOne(t, f, later, 1).NotBefore.IsZero(), "no lease ran out unseen")
}

func openedAgain(t *testing.T, d Driver) {
	place := d.New(t, crawl.Hash)
	f := open(t, place, start)
	add(t, f, start, entries("leased", 3)...)
	add(t, f, at(time.Second), entries("free", 3)...)
	l := claimOne(t, f, start, 2)
	complete(t, f, start, crawl.Report{Held: l.Held, Keep: true, Interval: 7 * time.Second, Rule: "max_load",
		Results: results(l.URLs[:1], crawl.Result{State: crawl.StateFailed, Reason: "robots", At: start})})
	before, err := f.URLs(t.Context(), crawl.URLFilter{})
	require.NoError(t, err)
	require.NoError(t, f.Close())

	now := at(10 * time.Second)
	f = open(t, place, now)
	after, err := f.URLs(t.Context(), crawl.URLFilter{})
	require.NoError(t, err)
	assert.Equal(t, before, after)
	audit(t, f)
	if !d.Alone {
		assert.Equal(t, []string{"free"}, names(claim(t, f, now, 9, 9)), "the lease goes on")
		return
	}
	hosts, err := f.Hosts(t.Context(), crawl.HostFilter{Name: "leased"})
	require.NoError(t, err)
	assert.Equal(t, at(17*time.Second), hosts[0].Due, "the interval counts from when the frontier was opened")
	assert.Equal(t, crawl.Receipt{Lost: true}, complete(t, f, now, crawl.Report{Held: l.Held}))
	assert.Equal(t, []string{"free", "leased"}, names(claim(t, f, at(17*time.Second), 9, 9)))
}

// Two workers share the frontier, or the second one is refused.
func anotherWorker(t *testing.T, d Driver) {
	place := d.New(t, crawl.Hash)
	f := open(t, place, start)
	add(t, f, start, entry("a", ""), entry("b", ""))
	g, err := place.Open(start)
	if d.Alone {
		require.Error(t, err)
		return
	}
	require.NoError(t, err)
	mine, others := claim(t, f, start, 1, 1), claim(t, g, start, 2, 1)
	assert.Len(t, others, 1)
	assert.NotEqual(t, names(mine), names(others))
	hosts, err := g.Hosts(t.Context(), crawl.HostFilter{})
	require.NoError(t, err)
	assert.Equal(t, []string{"one", "one"}, []string{hosts[0].Owner, hosts[1].Owner})
	require.NoError(t, g.Close())
	assert.Equal(t, crawl.Receipt{Lost: false, Released: true}, complete(t, f, start, crawl.Report{Held: mine[0].Held}))
}
