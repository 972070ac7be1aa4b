package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// begin runs a worker until the function that it returns is called, which waits for its end, or until it ends.
func (c *crew) begin(t *testing.T, name string) (ended <-chan error, end func()) {
	t.Helper()
	w, stop := c.worker(t, name)
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	var running sync.WaitGroup
	running.Go(func() {
		err := w.Run(ctx)
		stop()
		over <- err
	})
	return over, func() {
		cancel()
		running.Wait()
	}
}

// held is how many hosts each worker has, by name.
func (c *crew) held(t *testing.T) map[string]int {
	t.Helper()
	hosts, err := c.memory.Open().Hosts(t.Context(), crawl.HostFilter{Limit: 1 << 20})
	require.NoError(t, err)
	held := map[string]int{}
	for _, h := range hosts {
		if h.Owner != "" {
			held[h.Owner]++
		}
	}
	return held
}

// A worker that joins has its share within a lease time, and one that leaves leaves it to the others, few hosts or many.
func TestWorkersShareHosts(t *testing.T) {
	for _, n := range []int{2, 5, 100} {
		t.Run(fmt.Sprint(n, " hosts"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCrew(t, entries(n, 12_000/n)...)
				c.web.latency = func(*scraperutils.Request) time.Duration { return 5 * time.Second }
				c.pace.MinInterval = 5 * time.Second
				_, endA := c.begin(t, "a")
				time.Sleep(30 * time.Second)
				assert.Equal(t, map[string]int{"a": n}, c.held(t), "who is alone has all")

				_, endB := c.begin(t, "b")
				time.Sleep(crawl.DefaultLease)
				held := c.held(t)
				assert.InDelta(t, n/2, held["b"], float64(n)/10+1, "%v", held)
				assert.GreaterOrEqual(t, held["b"], 1)
				assert.Positive(t, held["a"])

				before := c.counts(t).Done
				time.Sleep(5 * time.Minute)
				alone := n * 5 * 60 / 10 // an answer and a rest
				assert.Greater(t, c.counts(t).Done-before, alone*9/10, "hosts go on as if one worker had them all")

				endA()
				time.Sleep(crawl.DefaultLease)
				assert.Equal(t, map[string]int{"b": n}, c.held(t))
				endB()
				assert.GreaterOrEqual(t, c.web.gaps(), 5*time.Second, "whoever asks")
			})
		})
	}
}

// Workers that begin at the same time have as much each as any of them, soon.
func TestWorkersBeginTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entries(300, 20)...)
		c.web.latency = func(*scraperutils.Request) time.Duration { return 5 * time.Second }
		var ends []func()
		for _, name := range []string{"a", "b", "c"} {
			_, end := c.begin(t, name)
			ends = append(ends, end)
		}
		time.Sleep(40 * time.Second)
		held := c.held(t)
		for _, name := range []string{"a", "b", "c"} {
			assert.InDelta(t, 100, held[name], 30, "%v", held)
		}
		assert.Greater(t, held["a"]+held["b"]+held["c"], 270, "the others rest on their way")
		for _, end := range ends {
			end()
		}
	})
}

// A worker that is told to stop lets what is in flight end, gives its hosts back and is gone; the next one works.
func TestWorkersAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entries(10, 200)...)
		a, _ := c.begin(t, "a")
		b, _ := c.begin(t, "b")
		time.Sleep(10 * time.Second)
		f := c.memory.Open()
		all, err := f.Workers(t.Context(), time.Now())
		require.NoError(t, err)
		require.Len(t, all, 2)
		done := 0
		for _, w := range all {
			assert.Equal(t, 10*time.Second, time.Since(w.Since))
			assert.LessOrEqual(t, time.Since(w.Seen), 2*time.Second)
			assert.Zero(t, w.Failed)
			done += w.Done
		}
		assert.Greater(t, done, 300)
		n, err := f.StopWorkers(t.Context(), time.Now())
		require.NoError(t, err)
		assert.Equal(t, 2, n)
		told := time.Now()
		require.ErrorIs(t, <-a, crawl.ErrStopped)
		require.ErrorIs(t, <-b, crawl.ErrStopped)
		assert.LessOrEqual(t, time.Since(told), 3*time.Second)
		assert.Zero(t, c.counts(t).Leased)
		all, err = f.Workers(t.Context(), time.Now())
		require.NoError(t, err)
		assert.Empty(t, all)
		assert.Len(t, c.sink.pages, c.counts(t).Done)

		last, _ := c.begin(t, "c")
		require.NoError(t, <-last)
		assert.Equal(t, 2000, c.counts(t).Done)
		assert.Len(t, c.web.log, 2000, "none twice")
	})
}

// delayed is a frontier whose answers take long where more URLs are wanted, and which can't renew leases.
type delayed struct{ crawl.Frontier }

func (d delayed) Complete(ctx context.Context, now time.Time, reports []crawl.Report) ([]crawl.Receipt, error) {
	if slices.ContainsFunc(reports, func(r crawl.Report) bool { return r.More > 0 }) {
		defer time.Sleep(35 * time.Second)
	}
	return d.Frontier.Complete(ctx, now, reports)
}

func (delayed) Renew(context.Context, time.Time, time.Time, []crawl.Held) ([]int64, error) {
	return nil, errors.New("it does not answer")
}

// A lease that goes on ends when the frontier was told that it would, however late the frontier's answer is: others have the host by then.
func TestLeaseEndsThoughTheAnswerIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entries(1, 200)...)
		late, stop := c.worker(t, "late")
		defer stop()
		late.Frontier, late.Lease, late.URLs, late.OnTrouble = delayed{late.Frontier}, 30*time.Second, 10, func(error) {}
		ended := make(chan error, 1)
		go func() { ended <- late.Run(t.Context()) }()
		time.Sleep(time.Second) // it has the host now
		c.run(t, nil)
		require.NoError(t, <-ended)
		assert.Equal(t, 200, c.counts(t).Done)
		assert.GreaterOrEqual(t, c.web.gaps(), 100*time.Millisecond)
	})
}
