package frontiertest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

func farAndFine(t *testing.T, d Driver) {
	for name, c := range map[string]struct{ due, early, want time.Time }{
		"before 1970":       {time.Date(1901, 1, 1, 0, 0, 0, 5e6, time.UTC), time.Date(1901, 1, 1, 0, 0, 0, 4e6, time.UTC), time.Date(1901, 1, 1, 0, 0, 0, 5e6, time.UTC)},
		"fine, before 1970": {time.Unix(-1, 500), time.Unix(-1, 999_999), time.Unix(-1, 1e6)},
		"rounded up":        {at(time.Microsecond), at(time.Millisecond - 1), at(time.Millisecond)},
		"in the year 9999":  {time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), start, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)},
		"in another zone":   {start.In(time.FixedZone("", 36_000)), at(-1), start},
		"the end of days":   {time.Unix(math.MaxInt64, 0), start, crawl.TimeOf(1 << 60)},
	} {
		f := fresh(t, d)
		e := entry("h", "")
		e.Due = c.due
		add(t, f, c.early, e)
		assert.Equal(t, c.want.UTC(), due(t, f), name)
		if crawl.Millis(c.early) < crawl.Millis(c.want) {
			assert.Empty(t, claim(t, f, c.early, 1, 1), name)
		}
		l := claimOne(t, f, c.want, 1)
		assert.Equal(t, crawl.TimeOf(crawl.Millis(c.early)), l.URLs[0].Added, name)
		complete(t, f, c.want, crawl.Report{Held: l.Held, NotBefore: c.due, Interval: math.MaxInt64, Keep: true, Until: c.want,
			Results: results(l.URLs, crawl.Result{State: crawl.StateRetry, Due: c.due, At: c.due, Took: time.Hour})})
		u := statusOf(t, f, e.URL)
		assert.Equal(t, c.want.UTC(), u.Due, name)
		assert.Equal(t, crawl.TimeOf(crawl.Millis(c.due)), u.At, name)
		leases := claim(t, f, c.want.Add(2*time.Minute), 1, 1)
		if crawl.Millis(c.want) < 1<<60 {
			require.Len(t, leases, 1, name)
			assert.GreaterOrEqual(t, crawl.Millis(leases[0].NotBefore), crawl.Millis(c.want)+math.MaxInt64/1_000_000, name)
		}
	}
}

func nothing(t *testing.T, d Driver) {
	f := fresh(t, d)
	assert.Equal(t, crawl.Added{}, add(t, f, start))
	assert.True(t, due(t, f).IsZero())
	assert.Empty(t, claim(t, f, start, 10, 10))
	lost, err := f.Renew(t.Context(), start, start, nil)
	require.NoError(t, err)
	assert.Empty(t, lost)
	receipts, err := f.Complete(t.Context(), start, nil)
	require.NoError(t, err)
	assert.Empty(t, receipts)
	got, err := f.Counts(t.Context(), start)
	require.NoError(t, err)
	assert.Equal(t, crawl.Counts{FailedBy: map[string]int{}}, got)
	n, err := f.Retry(t.Context(), start, crawl.URLFilter{})
	require.NoError(t, err)
	assert.Zero(t, n)
	audit(t, f)
}

// calls is all that a frontier can be asked to do.
func calls(f crawl.Frontier) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Add": func(ctx context.Context) error { _, err := f.Add(ctx, start, entries("h", 1)); return err },
		"Claim": func(ctx context.Context) error {
			_, err := f.Claim(ctx, start, crawl.Claim{Hosts: 1, URLs: 1})
			return err
		},
		"Renew": func(ctx context.Context) error {
			_, err := f.Renew(ctx, start, start, []crawl.Held{{HostID: 1}})
			return err
		},
		"Complete": func(ctx context.Context) error { _, err := f.Complete(ctx, start, []crawl.Report{{}}); return err },
		"Due":      func(ctx context.Context) error { _, err := f.Due(ctx); return err },
		"Counts":   func(ctx context.Context) error { _, err := f.Counts(ctx, start); return err },
		"Hosts":    func(ctx context.Context) error { _, err := f.Hosts(ctx, crawl.HostFilter{}); return err },
		"URLs":     func(ctx context.Context) error { _, err := f.URLs(ctx, crawl.URLFilter{}); return err },
		"Announce": func(ctx context.Context) error {
			_, err := f.Announce(ctx, start, crawl.WorkerStatus{Name: "w"})
			return err
		},
		"Leave":       func(ctx context.Context) error { return f.Leave(ctx, "w") },
		"Workers":     func(ctx context.Context) error { _, err := f.Workers(ctx, start); return err },
		"StopWorkers": func(ctx context.Context) error { _, err := f.StopWorkers(ctx, start); return err },
		"Retry":       func(ctx context.Context) error { _, err := f.Retry(ctx, start, crawl.URLFilter{}); return err },
		"Seeds":       func(ctx context.Context) error { _, err := f.Seeds(ctx); return err },
		"Traps":       func(ctx context.Context) error { _, err := f.Traps(ctx, 0); return err },
	}
}

func endedContext(t *testing.T, d Driver) {
	f := fresh(t, d)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("it is enough")
	cancel(why)
	for name, call := range calls(f) {
		assert.ErrorIs(t, call(ctx), why, name)
	}
	got, err := f.Counts(t.Context(), start)
	require.NoError(t, err)
	assert.Zero(t, got.Hosts, "nothing was done that was not begun")
}

func closed(t *testing.T, d Driver) {
	f := fresh(t, d)
	require.NoError(t, f.Close())
	for name, call := range calls(f) {
		assert.ErrorIs(t, call(t.Context()), crawl.ErrClosed, name)
	}
	assert.NoError(t, f.Close(), "a second time")
}

func badResults(t *testing.T, d Driver) {
	f := fresh(t, d)
	add(t, f, start, entry("h", ""))
	l := claimOne(t, f, start, 1)
	_, err := f.Complete(t.Context(), start, []crawl.Report{{Held: l.Held, Found: entries("found", 3),
		Results: results(l.URLs, crawl.Result{State: "doen"})}})
	assert.ErrorContains(t, err, `state is "doen", expected ready, retry, done or failed`)
	got, err := f.Counts(t.Context(), start)
	require.NoError(t, err)
	assert.Equal(t, 1, got.Hosts, "nothing of it was done")
	assert.Equal(t, crawl.Receipt{Released: true}, complete(t, f, start, crawl.Report{Held: l.Held}))
}

// Whatever many goroutines do at once, each URL is given to one of them, and all adds up.
func manyAtOnce(t *testing.T, d Driver) {
	f := fresh(t, d)
	var all sync.WaitGroup
	var mu sync.Mutex // guards given
	given := map[string]int{}
	turn := func(user, i, host int) error {
		if _, err := f.Add(t.Context(), start, entries(fmt.Sprint("h", host), i+1)); err != nil {
			return err
		}
		leases, err := f.Claim(t.Context(), start, crawl.Claim{Worker: fmt.Sprint(user), Hosts: 2, URLs: 3, Until: at(time.Minute)})
		if err != nil {
			return err
		}
		var reports []crawl.Report
		mu.Lock()
		for _, l := range leases {
			for _, u := range l.URLs {
				given[u.URL]++
			}
			reports = append(reports, crawl.Report{Held: l.Held, Results: results(l.URLs, crawl.Result{State: crawl.StateDone}),
				Found: entries(l.Host.Name, i)})
		}
		mu.Unlock()
		if _, err := f.Complete(t.Context(), start, reports); err != nil {
			return err
		}
		_, err = f.Counts(t.Context(), start)
		return err
	}
	for user := range 8 {
		r := rand.New(rand.NewPCG(uint64(user), 1))
		all.Go(func() {
			for i := range 8 {
				assert.NoError(t, turn(user, i, r.IntN(16)))
			}
		})
	}
	all.Wait()
	for url, n := range given {
		assert.Equal(t, 1, n, url)
		assert.Equal(t, crawl.StateDone, statusOf(t, f, url).State)
	}
	audit(t, f)
}

// Two different hosts, and two different URLs, are never taken for one.
func collisions(t *testing.T, d Driver) {
	for name, hash := range map[string]func(string) int64{
		"one":      func(string) int64 { return 1 },
		"the last": func(string) int64 { return math.MaxInt64 },
	} {
		place := d.New(t, hash)
		f := open(t, place, start)
		for _, host := range []string{"a", "b", "c"} {
			assert.Equal(t, crawl.Added{New: 3}, add(t, f, start, entries(host, 3)...), name)
			assert.Equal(t, crawl.Added{Known: 3}, add(t, f, start, entries(host, 3)...), name)
		}
		require.NoError(t, f.Close())
		f = open(t, place, start)
		assert.Equal(t, crawl.Added{Known: 3}, add(t, f, start, entries("b", 3)...), name)
		leases := claim(t, f, start, 9, 9)
		assert.ElementsMatch(t, []string{"a", "b", "c"}, names(leases), name)
		for _, l := range leases {
			assert.ElementsMatch(t, []string{"0", "1", "2"}, paths(l.URLs), name)
			complete(t, f, start, crawl.Report{Held: l.Held, Results: results(l.URLs[:1], crawl.Result{State: crawl.StateDone})})
			assert.Equal(t, crawl.StateDone, statusOf(t, f, l.URLs[0].URL).State, name)
			hosts, err := f.Hosts(t.Context(), crawl.HostFilter{Name: l.Host.Name})
			require.NoError(t, err)
			require.Len(t, hosts, 1)
			assert.Equal(t, 1, hosts[0].Done, name)
		}
		audit(t, f)
	}
}
