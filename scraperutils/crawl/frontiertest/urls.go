package frontiertest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

func again(t *testing.T, d Driver) {
	for state, want := range map[crawl.State]crawl.Added{
		crawl.StateReady: {Known: 1}, crawl.StateRetry: {Known: 1}, crawl.StateDone: {Again: 1}, crawl.StateFailed: {Again: 1},
	} {
		f := fresh(t, d)
		e := entry("h", "0")
		e.Priority, e.Depth, e.Via = 3, 1, "https://via.example/"
		assert.Equal(t, crawl.Added{New: 1}, add(t, f, start, e))
		l := claimOne(t, f, start, 1)
		complete(t, f, start, crawl.Report{Held: l.Held, NotBefore: at(time.Minute),
			Results: results(l.URLs, crawl.Result{State: state, Due: at(time.Hour), Reason: "http-404", Status: 404, ETag: "x", At: start})})
		before := statusOf(t, f, e.URL)

		e.Priority, e.Depth, e.Via, e.ID, e.Redirects = 5, 2, "", "given", 2
		assert.Equal(t, crawl.Added{Known: 1}, add(t, f, at(time.Second), e))
		assert.Equal(t, before, statusOf(t, f, e.URL), "a known URL is as it was")
		e.Again = true
		assert.Equal(t, want, add(t, f, at(time.Second), e), state)
		if want.Known > 0 {
			assert.Equal(t, before, statusOf(t, f, e.URL), "%s waits anyway", state)
			continue
		}
		after := before
		after.State, after.Due, after.Reason, after.Attempts = crawl.StateReady, at(time.Second), "", 0
		after.Priority, after.ID, after.Redirects = 5, "given", 2
		assert.Equal(t, after, statusOf(t, f, e.URL), state)
		assert.Equal(t, at(time.Minute), due(t, f), "the host is not asked earlier")
		audit(t, f)
	}
}

func doubles(t *testing.T, d Driver) {
	f := fresh(t, d)
	one, two := entry("h", "0"), entry("h", "1")
	assert.Equal(t, crawl.Added{New: 2, Known: 3}, add(t, f, start, one, two, one, one, two))
	other := one
	other.Host.Port = "8443"
	assert.Equal(t, crawl.Added{New: 1}, add(t, f, start, other), "another port is another host")
	counts, err := f.Counts(t.Context(), start)
	require.NoError(t, err)
	assert.Equal(t, crawl.Counts{Hosts: 2, Ready: 3, FailedBy: map[string]int{}}, counts)
}

// The ID is the same each time that a visit is tried, and another one for the next visit. A redirect from another host keeps it.
func visits(t *testing.T, d Driver) {
	f := fresh(t, d)
	moved := entry("h", "")
	moved.ID, moved.Redirects = "of the first host", 3
	add(t, f, start, entry("plain", ""), moved)
	var plain, given []string
	for n, state := range []crawl.State{crawl.StateRetry, crawl.StateFailed, crawl.StateReady, crawl.StateRetry, crawl.StateDone, crawl.StateDone} {
		now := at(time.Duration(n) * time.Hour)
		leases := claim(t, f, now, 2, 1)
		require.Len(t, leases, 2)
		for _, l := range leases {
			if l.Host.Name == "plain" {
				plain = append(plain, l.URLs[0].ID)
			} else {
				given = append(given, fmt.Sprint(l.URLs[0].ID, " ", l.URLs[0].Redirects))
			}
			complete(t, f, now, crawl.Report{Held: l.Held, Results: results(l.URLs, crawl.Result{State: state})})
		}
		switch state {
		case crawl.StateFailed:
			_, err := f.Retry(t.Context(), now, crawl.URLFilter{})
			require.NoError(t, err)
		case crawl.StateDone:
			for _, e := range []crawl.Entry{entry("plain", ""), entry("h", "")} {
				e.Again = true
				add(t, f, now, e)
			}
		}
	}
	id := func(host string, n int) string { return crawl.VisitID("https://"+host+"/", n) }
	assert.Equal(t, []string{id("plain", 1), id("plain", 1), id("plain", 1), id("plain", 2), id("plain", 2), id("plain", 3)}, plain)
	first := "of the first host 3"
	assert.Equal(t, []string{first, first, first, id("h", 2) + " 0", id("h", 2) + " 0", id("h", 3) + " 0"}, given)
}

func counts(t *testing.T, d Driver) {
	f := fresh(t, d)
	for _, host := range []string{"leased", "due", "later", "finished"} {
		add(t, f, start, entries(host, 4)...)
	}
	report := map[string]crawl.Report{
		"leased": {Keep: true, Until: at(time.Hour)},
		"due":    {Results: []crawl.Result{{State: crawl.StateRetry, Due: at(time.Hour)}, {State: crawl.StateFailed, Reason: "not-text: image/png"}}},
		"later":  {NotBefore: at(time.Minute), Results: []crawl.Result{{State: crawl.StateFailed, Reason: "not-text"}, {State: crawl.StateDone}}},
		"finished": {Results: []crawl.Result{{State: crawl.StateDone}, {State: crawl.StateFailed, Reason: "dns no such host"},
			{State: crawl.StateFailed}, {State: crawl.StateDone}}},
	}
	for _, l := range claim(t, f, start, 9, 9) {
		r := report[l.Host.Name]
		r.Held = l.Held
		for i := range r.Results {
			r.Results[i].Key = l.URLs[i].Key
		}
		complete(t, f, start, r)
	}
	got, err := f.Counts(t.Context(), at(time.Second))
	require.NoError(t, err)
	assert.Equal(t, crawl.Counts{Hosts: 4, Leased: 1, Ready: 4 + 3, Waiting: 2, Retrying: 1, Failed: 4, Done: 3,
		FailedBy: map[string]int{"not-text": 2, "dns": 1, "": 1}}, got)
	got, err = f.Counts(t.Context(), at(time.Minute))
	require.NoError(t, err)
	assert.Equal(t, 9, got.Ready)
	assert.Equal(t, 0, got.Waiting)
	audit(t, f)
}

func failuresRetried(t *testing.T, d Driver) {
	f := fresh(t, d)
	reasons := []string{"http-404", "http-404: Not Found", "http-4040", "not-text", ""}
	for _, host := range []string{"a", "b"} {
		add(t, f, start, entries(host, len(reasons))...)
	}
	var leases []crawl.Lease
	for _, l := range claim(t, f, start, 9, 9) {
		r := results(l.URLs, crawl.Result{State: crawl.StateFailed})
		for i := range r {
			r[i].Reason = reasons[i]
		}
		complete(t, f, start, crawl.Report{Held: l.Held, Results: r, NotBefore: at(time.Minute)})
		leases = append(leases, l)
	}
	assert.True(t, due(t, f).IsZero())
	retry := func(filter crawl.URLFilter) int {
		n, err := f.Retry(t.Context(), at(time.Second), filter)
		require.NoError(t, err)
		audit(t, f)
		return n
	}
	assert.Equal(t, 0, retry(crawl.URLFilter{State: crawl.StateDone}))
	assert.Equal(t, 0, retry(crawl.URLFilter{Reason: "http"}), "a word, not its beginning")
	assert.Equal(t, 2, retry(crawl.URLFilter{Reason: "http-404", HostID: leases[0].HostID}))
	assert.Equal(t, at(time.Minute), due(t, f))
	u := statusOf(t, f, leases[0].URLs[1].URL)
	assert.Equal(t, crawl.StateReady, u.State)
	assert.Equal(t, 0, u.Attempts)
	assert.Equal(t, at(time.Second), u.Due)
	assert.Equal(t, leases[0].URLs[1].ID, u.ID)
	assert.Equal(t, 1, retry(crawl.URLFilter{URL: leases[1].URLs[3].URL}))
	assert.Equal(t, 3, retry(crawl.URLFilter{Limit: 3}))
	assert.Equal(t, 4, retry(crawl.URLFilter{State: crawl.StateFailed}))
	assert.Equal(t, 0, retry(crawl.URLFilter{}))
}

func pages(t *testing.T, d Driver) {
	f := fresh(t, d)
	want := map[string]bool{}
	for _, host := range []string{"a", "b", "c"} {
		for _, e := range entries(host, 9) {
			add(t, f, start, e)
			want[e.URL] = true
		}
	}
	var after crawl.Cursor
	for {
		urls, err := f.URLs(t.Context(), crawl.URLFilter{After: after, Limit: 5})
		require.NoError(t, err)
		if len(urls) == 0 {
			break
		}
		for _, u := range urls {
			assert.True(t, u.HostID > after.HostID || u.HostID == after.HostID && u.Cursor.Key > after.Key, "in order")
			assert.True(t, want[u.URL], "each once")
			delete(want, u.URL)
			after = u.Cursor
		}
	}
	assert.Empty(t, want)

	for i, l := range claim(t, f, start, 3, 2) {
		r := results(l.URLs, crawl.Result{State: crawl.StateDone, At: at(time.Duration(i) * time.Minute)})
		r[1].State = crawl.StateRetry
		complete(t, f, at(time.Hour), crawl.Report{Held: l.Held, Results: r})
	}
	for since, n := range map[time.Duration]int{0: 3, time.Millisecond: 2, time.Minute: 2, 2 * time.Minute: 1, 3 * time.Minute: 0} {
		urls, err := f.URLs(t.Context(), crawl.URLFilter{Since: at(since)})
		require.NoError(t, err)
		assert.Len(t, urls, n, "finished %s after the start", since)
	}
	retried, err := f.URLs(t.Context(), crawl.URLFilter{State: crawl.StateRetry})
	require.NoError(t, err)
	assert.Len(t, retried, 3)
	none, err := f.URLs(t.Context(), crawl.URLFilter{URL: "%%%"})
	require.NoError(t, err)
	assert.Empty(t, none)
}

func hostsListed(t *testing.T, d Driver) {
	f := fresh(t, d)
	for i, h := range []scraperutils.Host{{Name: "b", Port: "80"}, {Name: "a-b", Port: "443"}, {Name: "b", Port: "443"}, {Name: "b", Port: "8080"},
		{Name: "::1", Port: "80"}, {Name: "a", Port: "80"}} {
		add(t, f, start, crawl.Entry{Host: h, URL: "http://x/", Due: at(time.Duration(i*5%7) * time.Second)})
	}
	for _, c := range []struct {
		filter crawl.HostFilter
		want   []string
	}{
		{crawl.HostFilter{}, []string{"::1", "a", "a-b", "b", "b", "b:8080"}},
		{crawl.HostFilter{Limit: 2}, []string{"::1", "a"}},
		{crawl.HostFilter{Slowest: true, Limit: 3}, []string{"::1", "a-b", "a"}},
		{crawl.HostFilter{Name: "b"}, []string{"b", "b"}},
		{crawl.HostFilter{Name: "b:8080"}, []string{"b:8080"}},
		{crawl.HostFilter{Name: "b:80"}, []string{"b"}},
		{crawl.HostFilter{Name: "::1"}, []string{"::1"}},
		{crawl.HostFilter{Name: "[::1]:80"}, []string{"::1"}},
		{crawl.HostFilter{Name: "c"}, nil},
	} {
		hosts, err := f.Hosts(t.Context(), c.filter)
		require.NoError(t, err)
		var got []string
		for _, h := range hosts {
			got = append(got, h.Host.String())
		}
		assert.Equal(t, c.want, got, "%+v", c.filter)
	}
}

func texts(t *testing.T, d Driver) {
	f := fresh(t, d)
	odd := []string{"quote'); drop table urls; --", "%00\x00nul", "\x1b[31m", "größe 日本", strings.Repeat("long ", 20_000), "a?b=1&c[]=%s"}
	for _, text := range odd {
		e := entry("h", text)
		e.Via, e.ID = text, text
		add(t, f, start, e)
	}
	l := claimOne(t, f, start, 99)
	require.Len(t, l.URLs, len(odd))
	assert.ElementsMatch(t, odd, paths(l.URLs))
	var reports []crawl.Result
	for _, u := range l.URLs {
		reports = append(reports, crawl.Result{Key: u.Key, State: crawl.StateFailed, Reason: "odd: " + u.Via})
	}
	complete(t, f, start, crawl.Report{Held: l.Held, Results: reports, Rule: odd[1], Trouble: odd[2]})
	failed, err := f.URLs(t.Context(), crawl.URLFilter{Reason: "odd"})
	require.NoError(t, err)
	require.Len(t, failed, len(odd))
	for _, u := range failed {
		assert.Equal(t, "odd: "+u.Via, u.Reason)
		assert.Equal(t, u.Via, u.ID)
	}
}
