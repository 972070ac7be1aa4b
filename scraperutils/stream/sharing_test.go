package stream_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/leases"
	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// Shards are shared by all, and go on with others when their owner is gone: at once when it said so, else after a lease time.
func TestSharing(t *testing.T) {
	simulate(t, func(t *testing.T, path string) {
		r := newRiver("a", "b", "c", "d", "e", "f")
		var n notes
		owners := func() map[string]int {
			file, err := leases.Open(t.Context(), path, "s")
			require.NoError(t, err)
			defer file.Close()
			rows, err := file.List(t.Context())
			require.NoError(t, err)
			counts := map[string]int{}
			for _, l := range rows {
				if l.Shard != stream.Start {
					counts[l.Owner]++
				}
			}
			return counts
		}
		stops := map[string]context.CancelFunc{}
		var running sync.WaitGroup
		join := func(name string) {
			ctx, cancel := context.WithCancel(t.Context())
			stops[name] = cancel
			l := newLab(t, r, path, name, stream.Each(n.each))
			running.Go(func() {
				defer l.file.Close()
				assert.ErrorIs(t, l.Run(ctx), context.Canceled)
			})
		}
		join("one")
		time.Sleep(time.Second)
		assert.Equal(t, map[string]int{"one": 6}, owners())
		join("two")
		time.Sleep(time.Minute)
		assert.Equal(t, map[string]int{"one": 3, "two": 3}, owners())
		join("three")
		time.Sleep(time.Minute)
		assert.Equal(t, map[string]int{"one": 2, "two": 2, "three": 2}, owners())
		stops["one"]()
		time.Sleep(6 * time.Second)
		assert.Equal(t, map[string]int{"two": 3, "three": 3}, owners())
		for i, id := range []string{"a", "b", "c", "d", "e", "f"} {
			r.put(id, i, i+1)
		}
		time.Sleep(time.Second)
		stops["two"]()
		stops["three"]()
		running.Wait()
		assert.Len(t, n.get(), 6)
	})
}

// cutOff is leases that one process can't reach for a while.
type cutOff struct {
	stream.Leases
	cut func() bool
}

var errCut = errors.New("the leases can't be reached")

func (c *cutOff) List(ctx context.Context) ([]stream.Lease, error) {
	if c.cut() {
		return nil, errCut
	}
	return c.Leases.List(ctx)
}

func (c *cutOff) Renew(ctx context.Context, held []stream.Lease) ([]string, error) {
	if c.cut() {
		return nil, errCut
	}
	return c.Leases.Renew(ctx, held)
}

// A process that stands still for four lease times, in the middle of a batch, loses its shard; what it saves afterwards is refused, and
// the other one has handled all.
func TestLateCheckpoint(t *testing.T) {
	simulate(t, func(t *testing.T, path string) {
		r := newRiver("a")
		r.put("a", 0, 10)
		var n, stalled notes
		var still atomic.Bool
		first := newLab(t, r, path, "first", stream.Each(func(ctx context.Context, shard string, r stream.Record) error {
			if string(r.Data) == "5" {
				time.Sleep(4 * stream.DefaultLease) // deaf to everything, as a process that is stopped
				still.Store(false)
			}
			return stalled.each(ctx, shard, r)
		}))
		first.Leases = &cutOff{first.file, still.Load}
		second := newLab(t, r, path, "second", stream.Each(n.each))
		ctx, cancel := context.WithTimeout(t.Context(), 6*stream.DefaultLease)
		defer cancel()
		var running sync.WaitGroup
		running.Go(func() { errDeadline(t, first.Run(ctx)) })
		time.Sleep(time.Millisecond)
		still.Store(true)
		time.Sleep(time.Second)
		running.Go(func() { errDeadline(t, second.Run(ctx)) })
		running.Wait()
		require.NoError(t, first.file.Close())
		require.NoError(t, second.file.Close())
		assert.Equal(t, of("a", 0, 10), n.get(), "the second one handles all of the batch")
		assert.NotEmpty(t, first.told(stream.Lost))
		assert.Empty(t, first.told(stream.Handled), "what the first one did does not count")
	})
}

// A process that can't reach the leases for a lease time takes them for lost: what it handles then others handle too.
func TestLeasesOutOfReach(t *testing.T) {
	simulate(t, func(t *testing.T, path string) {
		r := newRiver("a")
		r.put("a", 0, 10)
		var cut atomic.Bool
		var ended atomic.Int64
		l := newLab(t, r, path, "one", stream.Each(func(ctx context.Context, _ string, _ stream.Record) error {
			cut.Store(true)
			began := time.Now()
			<-ctx.Done()
			ended.Store(int64(time.Since(began)))
			return context.Cause(ctx)
		}))
		l.Leases = &cutOff{l.file, cut.Load}
		time.AfterFunc(2*stream.DefaultLease, func() { cut.Store(false) })
		errDeadline(t, l.runFor(t, 2*stream.DefaultLease-time.Second))
		assert.InDelta(t, stream.DefaultLease, ended.Load(), float64(5*time.Second))
		assert.Len(t, l.told(stream.Lost), 1)
	})
}

// silent is a stream that does not answer for a time to start at, as some do where nothing has arrived since.
type silent struct{ *river }

func (s silent) Open(ctx context.Context, shard string, p stream.Position) (string, error) {
	if p.Kind == stream.AtTime {
		<-ctx.Done()
		return "", ctx.Err()
	}
	return s.river.Open(ctx, shard, p)
}

// Where a stream does not answer for a time, all of it is read, and what came before is left out.
func TestNoAnswerForATime(t *testing.T) {
	simulate(t, func(t *testing.T, path string) {
		r := newRiver("a")
		r.put("a", 0, 10)
		time.Sleep(time.Second)
		var n notes
		l := newLab(t, silent{r}, path, "one", stream.Each(n.each))
		l.Start, l.Batch = stream.Position{Kind: stream.AtTime, Time: time.Now()}, 7
		time.AfterFunc(time.Second, func() { r.put("a", 10, 20) })
		errDeadline(t, l.runFor(t, 10*time.Second))
		assert.Equal(t, of("a", 10, 20), n.get())
	})
}
