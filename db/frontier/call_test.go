package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/frontier"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/frontiertest"
)

// What is acknowledged survives a power cut.
func TestCommitsAreSynced(t *testing.T) {
	f := open(t, newPath(t), frontier.Options{})
	for name, want := range map[string]string{"synchronous": "2", "journal_mode": "wal"} {
		got, err := f.Setting(name)
		require.NoError(t, err)
		assert.Equal(t, want, got, name)
	}
}

// Whoever waits for the writer, or for what it does, goes when the context ends. The writer goes on.
func TestCancelledWhileOthersWrite(t *testing.T) {
	f := open(t, newPath(t), frontier.Options{})
	why := errors.New("no time for that")
	ctx, cancel := context.WithCancelCause(t.Context())
	writing, release, answers := make(chan bool), make(chan bool), make(chan error)
	go func() {
		answers <- f.Do(ctx, func(exec func(string, ...any) (int64, error)) error {
			writing <- true
			<-release
			return nil
		})
	}()
	<-writing
	go func() { _, err := f.Add(ctx, now, entries(3, "")); answers <- err }()
	cancel(why)
	require.ErrorIs(t, <-answers, why)
	require.ErrorIs(t, <-answers, why)
	close(release)
	assert.Equal(t, crawl.Added{New: 3}, add(t, f, entries(3, "")), "nothing was added before")
}

// Failures are retried in several commits.
func TestManyFailuresRetried(t *testing.T) {
	f := open(t, newPath(t), frontier.Options{})
	add(t, f, entries(2500, ""))
	leases, err := f.Claim(t.Context(), now, crawl.Claim{Hosts: 3, URLs: 2500, Until: now.Add(time.Minute)})
	require.NoError(t, err)
	for _, l := range leases {
		r := crawl.Report{Held: l.Held}
		for _, u := range l.URLs {
			r.Results = append(r.Results, crawl.Result{Key: u.Key, State: crawl.StateFailed, Reason: "robots"})
		}
		_, err := f.Complete(t.Context(), now, []crawl.Report{r})
		require.NoError(t, err)
	}
	for _, c := range []struct{ limit, want int }{{1200, 1200}, {0, 1300}, {0, 0}} {
		n, err := f.Retry(t.Context(), now, crawl.URLFilter{Limit: c.limit, Reason: "robots"})
		require.NoError(t, err)
		assert.Equal(t, c.want, n)
		require.NoError(t, frontiertest.Audit(t.Context(), f))
	}
}

// What a worker keeps of the hosts that it leases is what the file has, also where others add to them meanwhile or a commit fails.
func TestHostsAreAsTheFileHasThem(t *testing.T) {
	path := newPath(t)
	f := open(t, path, frontier.Options{})
	beside, err := frontier.Join(t.Context(), path, frontier.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, beside.Close()) })
	page := func(n int) []crawl.Entry {
		e := entries(1, "")
		e[0].URL += fmt.Sprintf("/page-%d", n)
		return e
	}
	for n := range 3 {
		add(t, f, page(n))
	}
	leases, err := f.Claim(t.Context(), now, crawl.Claim{Hosts: 1, URLs: 3, Until: now.Add(time.Minute)})
	require.NoError(t, err)
	l := leases[0]
	finish := func(n int) {
		_, err := f.Complete(t.Context(), now, []crawl.Report{{Held: l.Held, Keep: true, Until: now.Add(time.Minute), Results: []crawl.Result{{Key: l.URLs[n].Key, State: crawl.StateDone}}}})
		require.NoError(t, err)
	}
	pending := func() int {
		hosts, err := f.Hosts(t.Context(), crawl.HostFilter{})
		require.NoError(t, err)
		return hosts[0].Pending
	}
	finish(0)
	assert.Equal(t, 2, pending())
	add(t, beside, page(3))
	add(t, beside, page(4))
	finish(1)
	assert.Equal(t, 3, pending())
	add(t, f, page(5))
	full := errors.New("full")
	require.ErrorIs(t, f.FailAfter(t.Context(), full, l.Held, l.URLs[2].Key), full)
	assert.Equal(t, 4, pending())
	finish(2)
	assert.Equal(t, 3, pending())
}
