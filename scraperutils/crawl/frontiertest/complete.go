package frontiertest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

func leaseGoesOn(t *testing.T, d Driver) {
	f := fresh(t, d)
	add(t, f, start, entries("h", 6)...)
	l := claimOne(t, f, start, 3)
	until := at(90 * time.Second)
	receipt := complete(t, f, start, crawl.Report{Held: l.Held, Keep: true, Until: until, More: 2, Holding: []int64{l.URLs[1].Key, l.URLs[2].Key},
		Results: results(l.URLs[:1], crawl.Result{State: crawl.StateDone})})
	require.Len(t, receipt.URLs, 2)
	assert.False(t, receipt.Released)
	assert.NotSubset(t, paths(l.URLs), paths(receipt.URLs), "none that it holds")
	assert.Equal(t, until, due(t, f))

	held := append(l.URLs[1:], receipt.URLs...)
	receipt = complete(t, f, start, crawl.Report{Held: l.Held, Keep: true, Until: until, More: 5, Holding: keys(held)})
	assert.Len(t, receipt.URLs, 1)
	held = append(held, receipt.URLs...)
	assert.Equal(t, crawl.Receipt{}, complete(t, f, start, crawl.Report{Held: l.Held, Keep: true, More: 5, Holding: keys(held)}), "while it holds some")
	assert.Equal(t, until, due(t, f), "and none gets shorter")
	assert.Equal(t, crawl.Receipt{Released: true}, complete(t, f, start, crawl.Report{Held: l.Held, Keep: true, Until: until, More: 1,
		Results: results(held, crawl.Result{State: crawl.StateDone})}), "there is nothing more")
	assert.True(t, due(t, f).IsZero())
	audit(t, f)
}

func keys(items []crawl.Item) (all []int64) {
	for _, i := range items {
		all = append(all, i.Key)
	}
	return all
}

func oneByOne(t *testing.T, d Driver) {
	f := fresh(t, d)
	add(t, f, start, entries("h", 3)...)
	l := claimOne(t, f, start, 3)
	var reports []crawl.Report
	for _, r := range results(l.URLs, crawl.Result{State: crawl.StateDone}) {
		reports = append(reports, crawl.Report{Held: l.Held, Keep: true, Until: l.Until, Results: []crawl.Result{r}})
	}
	receipts, err := f.Complete(t.Context(), start, reports)
	require.NoError(t, err)
	assert.Equal(t, make([]crawl.Receipt, 3), receipts, "it wants no more, and keeps the host")
	assert.Equal(t, l.Until, due(t, f))
	assert.Equal(t, crawl.Receipt{Released: true}, complete(t, f, start, crawl.Report{Held: l.Held, Keep: true, More: 1}))

	add(t, f, start, entry("h", "new"))
	l = claimOne(t, f, start, 1)
	complete(t, f, start, crawl.Report{Held: l.Held, Keep: true, Results: results(l.URLs, crawl.Result{State: crawl.StateDone})})
	assert.Empty(t, claim(t, f, at(time.Minute), 1, 1), "a host that is leased to its end with nothing to do is only freed")
	audit(t, f)
}

func hostGivenBack(t *testing.T, d Driver) {
	f := fresh(t, d)
	add(t, f, start, entries("h", 3)...)
	l := claimOne(t, f, start, 3)
	receipt := complete(t, f, start, crawl.Report{Held: l.Held, NotBefore: at(4 * time.Second), Interval: 1500 * time.Millisecond, Rule: "crawl-delay",
		Trouble: "dns", More: 3, Results: results(l.URLs[:1], crawl.Result{State: crawl.StateDone})})
	assert.Equal(t, crawl.Receipt{Released: true}, receipt)
	assert.Equal(t, at(4*time.Second), due(t, f))
	hosts, err := f.Hosts(t.Context(), crawl.HostFilter{})
	require.NoError(t, err)
	assert.Equal(t, []crawl.HostStatus{{ID: l.HostID, Host: l.Host, Due: at(4 * time.Second), NotBefore: at(4 * time.Second),
		Interval: 1500 * time.Millisecond, Rule: "crawl-delay", Trouble: "dns", Pending: 2, Done: 1}}, hosts)

	assert.Empty(t, claim(t, f, at(4*time.Second-1), 1, 9))
	next := claimOne(t, f, at(4*time.Second), 9)
	assert.ElementsMatch(t, paths(l.URLs[1:]), paths(next.URLs), "what was not fetched is as it was")
	assert.Equal(t, 0, next.URLs[0].Attempts)
	complete(t, f, at(5*time.Second), crawl.Report{Held: next.Held})
	next = claimOne(t, f, at(5*time.Second), 1)
	assert.Equal(t, at(4*time.Second), next.NotBefore, "who says nothing changes nothing")
	assert.Equal(t, 1500*time.Millisecond, next.Interval)
}

func foundFirst(t *testing.T, d Driver) {
	f := fresh(t, d)
	add(t, f, start, entry("h", "0"))
	l := claimOne(t, f, start, 9)
	known := entry("h", "0")
	known.Again = true
	receipt := complete(t, f, start, crawl.Report{Held: l.Held, Keep: true, More: 9, Until: l.Until,
		Results: results(l.URLs, crawl.Result{State: crawl.StateDone}),
		Found:   []crawl.Entry{known, entry("h", "1"), entry("other", "0"), entry("h", "2")}})
	assert.ElementsMatch(t, []string{"1", "2"}, paths(receipt.URLs), "it goes on with what it found")
	assert.Equal(t, crawl.StateDone, statusOf(t, f, known.URL).State, "the URL waited when it was found again")
	assert.Equal(t, []string{"other"}, names(claim(t, f, start, 9, 9)))
}

func fates(t *testing.T, d Driver) {
	visited := crawl.Result{Attempts: 2, Status: 200, ETag: `"x"`, Modified: "Mon", Digest: "abc", Level: 3, At: at(time.Second),
		Took: 1500 * time.Microsecond, Bytes: 77}
	for name, c := range map[string]struct {
		state  crawl.State
		due    time.Time
		change func(*crawl.URLStatus)
	}{
		"done":             {crawl.StateDone, time.Time{}, func(s *crawl.URLStatus) { s.Visits = 1 }},
		"done, due or not": {crawl.StateDone, at(time.Hour), func(s *crawl.URLStatus) { s.Visits = 1 }},
		"planned": {crawl.StateReady, at(time.Hour), func(s *crawl.URLStatus) {
			s.Visits, s.Attempts, s.Due, s.ID = 1, 0, at(time.Hour), crawl.VisitID(s.URL, 2)
		}},
		"retried": {crawl.StateRetry, at(time.Hour), func(s *crawl.URLStatus) { s.Due = at(time.Hour) }},
		"at once": {crawl.StateRetry, time.Time{}, func(s *crawl.URLStatus) { s.Due = at(2 * time.Second) }},
		"failed":  {crawl.StateFailed, time.Time{}, func(*crawl.URLStatus) {}},
	} {
		f := fresh(t, d)
		e := entry("h", "0")
		e.Priority, e.Depth, e.Via = 4, 5, "https://via.example/"
		add(t, f, start, e)
		l := claimOne(t, f, start, 1)
		r := visited
		r.Key, r.State, r.Due, r.Reason = l.URLs[0].Key, c.state, c.due, "word: more"
		unknown := r
		unknown.Key++
		complete(t, f, at(2*time.Second), crawl.Report{Held: l.Held, Results: []crawl.Result{unknown, r}})
		want := crawl.URLStatus{Cursor: crawl.Cursor{HostID: l.HostID, Key: r.Key}, Item: l.URLs[0], Host: l.Host, State: c.state,
			Status: 200, Reason: "word: more", At: r.At, Took: time.Millisecond, Bytes: 77}
		want.Attempts = 2
		c.change(&want)
		if want.Visits == 1 {
			want.ETag, want.Modified, want.Digest, want.Level = `"x"`, "Mon", "abc", 3
			want.Visited = crawl.TimeOf(crawl.Millis(visited.At.Add(-visited.Took)))
		}
		assert.Equal(t, want, statusOf(t, f, e.URL), name)
		audit(t, f)
	}
}

func retriesHoursAway(t *testing.T, d Driver) {
	f := fresh(t, d)
	add(t, f, start, entries("h", 3)...)
	l := claimOne(t, f, start, 2)
	complete(t, f, start, crawl.Report{Held: l.Held, NotBefore: at(time.Second),
		Results: results(l.URLs, crawl.Result{State: crawl.StateRetry, Due: at(3 * time.Hour), Reason: "http-503"})})
	assert.Equal(t, at(time.Second), due(t, f), "the third URL does not wait for them")
	third := claimOne(t, f, at(time.Second), 9)
	assert.Len(t, third.URLs, 1)
	assert.Equal(t, 3, third.Waiting)
	complete(t, f, at(time.Second), crawl.Report{Held: third.Held, NotBefore: at(2 * time.Second),
		Results: results(third.URLs, crawl.Result{State: crawl.StateDone})})
	assert.Equal(t, at(3*time.Hour), due(t, f))
	counts, err := f.Counts(t.Context(), at(time.Hour))
	require.NoError(t, err)
	assert.Equal(t, crawl.Counts{Hosts: 1, Waiting: 2, Retrying: 2, Done: 1, FailedBy: map[string]int{}}, counts)

	again := claimOne(t, f, at(3*time.Hour), 9)
	assert.ElementsMatch(t, paths(l.URLs), paths(again.URLs))
	assert.Equal(t, 1, again.URLs[0].Attempts)
	assert.Equal(t, crawl.Receipt{Released: true}, complete(t, f, at(3*time.Hour), crawl.Report{Held: again.Held, Keep: true, More: 2,
		Results: results(again.URLs, crawl.Result{State: crawl.StateRetry, Due: at(4 * time.Hour)})}))
	assert.Equal(t, at(4*time.Hour), due(t, f))
	audit(t, f)
}

func dueHoursAway(t *testing.T, d Driver) {
	f := fresh(t, d)
	for i, hours := range []time.Duration{5, 3, 4} {
		e := entry("h", string(rune('a'+i)))
		e.Due, e.Priority = at(hours*time.Hour), i
		add(t, f, start, e)
	}
	assert.Equal(t, at(3*time.Hour), due(t, f))
	assert.Empty(t, claim(t, f, at(2*time.Hour), 1, 1))
	add(t, f, start, entry("h", "now"))
	assert.Equal(t, start, due(t, f), "a URL that is due sooner makes the host due sooner")
	l := claimOne(t, f, start, 9)
	assert.Equal(t, []string{"now"}, paths(l.URLs))
	complete(t, f, start, crawl.Report{Held: l.Held, NotBefore: at(3*time.Hour + time.Minute),
		Results: results(l.URLs, crawl.Result{State: crawl.StateDone})})
	assert.Equal(t, at(3*time.Hour+time.Minute), due(t, f))
	assert.Equal(t, []string{"b"}, paths(claimOne(t, f, at(3*time.Hour+time.Minute), 9).URLs))
}
