package frontier_test

import (
	"context"
	"errors"
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
