package stream_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// A shard is read five times a second at most; the checkpoint is that of the last record; leases are free at the end.
func TestPace(t *testing.T) {
	simulate(t, func(t *testing.T, path string) {
		r := newRiver("a")
		r.put("a", 0, 25)
		var n notes
		l := newLab(t, r, path, "one", stream.Each(n.each))
		l.Batch = 10
		ctx, cancel := context.WithTimeout(t.Context(), 1900*time.Millisecond)
		defer cancel()
		errDeadline(t, l.Run(ctx))
		assert.Equal(t, of("a", 0, 25), n.get())
		assert.Len(t, r.reads["a"], 10)
		for i := 1; i < len(r.reads["a"]); i++ {
			assert.GreaterOrEqual(t, r.reads["a"][i].Sub(r.reads["a"][i-1]), 200*time.Millisecond)
		}
		rows, err := l.file.List(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "1024", rows[0].Checkpoint)
		assert.Empty(t, rows[0].Owner)
		require.NoError(t, l.file.Close())
		assert.Len(t, l.told(stream.Handled), 3)
	})
}

// A closed shard is done to its end, with its last answer, before its children begin.
func TestFamily(t *testing.T) {
	simulate(t, func(t *testing.T, path string) {
		r := newRiver("a", "b")
		r.shards = append(r.shards, stream.Shard{ID: "c", Parents: []string{"a", "b"}}, stream.Shard{ID: "d", Parents: []string{"c", "gone"}})
		r.put("a", 0, 100)
		r.put("b", 0, 10)
		r.put("c", 0, 10)
		r.put("d", 0, 10)
		r.closed = map[string]bool{"a": true, "b": true, "c": true}
		var n notes
		l := newLab(t, r, path, "one", stream.Each(n.each))
		l.Batch = 30
		errDeadline(t, l.runFor(t, time.Minute))
		all := n.get()
		assert.Len(t, all, 130)
		assert.Equal(t, append(of("c", 0, 10), of("d", 0, 10)...), all[110:])
		assert.Len(t, l.told(stream.Ended), 3)
	})
}

// A record that fails is tried again, with pauses, and becomes a dead letter; the others are handled, in order.
func TestPoison(t *testing.T) {
	simulate(t, func(t *testing.T, path string) {
		r := newRiver("a")
		r.put("a", 0, 100)
		var n notes
		var tries []time.Time
		l := newLab(t, r, path, "one", stream.Each(func(ctx context.Context, shard string, r stream.Record) error {
			if string(r.Data) == "42" {
				tries = append(tries, time.Now())
				return errors.New("it is poisoned")
			}
			if string(r.Data) == "43" || string(r.Data) == "99" {
				return fmt.Errorf("no use: %w", stream.ErrReject)
			}
			return n.each(ctx, shard, r)
		}))
		errDeadline(t, l.runFor(t, time.Minute))
		assert.Equal(t, append(of("a", 0, 42), of("a", 44, 99)...), n.get())
		require.Len(t, tries, 3)
		assert.Equal(t, time.Second, tries[1].Sub(tries[0]))
		assert.Equal(t, 2*time.Second, tries[2].Sub(tries[1]))
		buried := l.told(stream.Buried)
		require.Len(t, buried, 3)
		assert.Equal(t, "1042", buried[0].Sequence)
		assert.Equal(t, "it is poisoned", buried[0].Err.Error())
		assert.Len(t, l.told(stream.Failed), 5)
		errDeadline(t, newLab(t, r, path, "two", stream.Each(n.each)).runFor(t, time.Minute))
		assert.NotContains(t, n.get(), "a:99", "it was the last one, and is done with")
	})
}

// Without a place for dead letters, a record that fails ends the consumer; what was done before it is saved.
func TestPoisonStops(t *testing.T) {
	simulate(t, func(t *testing.T, path string) {
		r := newRiver("a")
		r.put("a", 0, 10)
		var n notes
		sour := true
		handler := stream.Each(func(ctx context.Context, shard string, r stream.Record) error {
			if sour && string(r.Data) == "5" {
				return errors.New("it is poisoned")
			}
			return n.each(ctx, shard, r)
		})
		l := newLab(t, r, path, "one", handler)
		l.DeadLetters = nil
		err := l.runFor(t, time.Hour)
		var poison *stream.PoisonError
		require.ErrorAs(t, err, &poison)
		assert.Equal(t, "record 1005 of a failed 3×: it is poisoned", err.Error())
		sour = false
		errDeadline(t, newLab(t, r, path, "two", handler).runFor(t, time.Second))
		assert.Equal(t, of("a", 0, 10), n.get())
	})
}

// A handler may stop everything, and may have a record come again as often as it likes, after pauses that grow.
func TestStopAndRestart(t *testing.T) {
	simulate(t, func(t *testing.T, path string) {
		r := newRiver("a")
		r.put("a", 0, 10)
		var n notes
		again := 10
		began := time.Now()
		l := newLab(t, r, path, "one", stream.Each(func(ctx context.Context, shard string, r stream.Record) error {
			if string(r.Data) == "3" && again > 0 {
				again--
				return fmt.Errorf("not yet: %w", stream.ErrRestart)
			}
			if string(r.Data) == "7" {
				return fmt.Errorf("enough: %w", stream.ErrStop)
			}
			return n.each(ctx, shard, r)
		}))
		require.ErrorIs(t, l.runFor(t, time.Hour), stream.ErrStop)
		assert.Equal(t, of("a", 0, 7), n.get())
		assert.Equal(t, time.Duration(1+2+4+8+16+32+4*60)*time.Second, time.Since(began).Truncate(time.Second))
	})
}

// A duration counts from the first read, and what was read is handled.
func TestDuration(t *testing.T) {
	simulate(t, func(t *testing.T, path string) {
		r := newRiver("a", "b")
		r.put("a", 0, 10)
		r.put("b", 0, 10)
		late := time.Now().Add(time.Minute)
		r.fail = func(call, _ string) error {
			if call == "read" && time.Now().Before(late) {
				return errors.New("not yet")
			}
			return nil
		}
		var n notes
		l := newLab(t, r, path, "one", stream.Each(func(ctx context.Context, shard string, r stream.Record) error {
			time.Sleep(time.Second) // ten seconds a batch
			return n.each(ctx, shard, r)
		}))
		l.Duration = time.Second
		require.NoError(t, l.runFor(t, time.Hour))
		all := n.get() // the other shard may not have been read yet
		assert.NotEmpty(t, all)
		for _, id := range []string{"a", "b"} {
			if slices.Contains(all, id+":0") {
				assert.Subset(t, all, of(id, 0, 10))
			}
		}
	})
}

// A stop finishes the record at hand; the next run goes on behind it.
func TestStopFinishesTheRecord(t *testing.T) {
	simulate(t, func(t *testing.T, path string) {
		r := newRiver("a")
		r.put("a", 0, 10)
		var n notes
		slow := stream.Each(func(ctx context.Context, shard string, r stream.Record) error {
			time.Sleep(time.Second)
			return n.each(ctx, shard, r)
		})
		l := newLab(t, r, path, "one", slow)
		l.Tries = 1
		errDeadline(t, l.runFor(t, 3500*time.Millisecond))
		assert.Equal(t, of("a", 0, 4), n.get())
		assert.Empty(t, l.told(stream.Failed), "a stop is no failure")
		began := time.Now()
		errDeadline(t, newLab(t, r, path, "two", slow).runFor(t, 8*time.Second))
		assert.Less(t, time.Since(began), 9*time.Second, "the lease was free at once")
		assert.Equal(t, of("a", 0, 10), n.get())
	})
}

// A handler that does not return when it is to stop has its context ended after a while.
func TestGrace(t *testing.T) {
	simulate(t, func(t *testing.T, path string) {
		r := newRiver("a")
		r.put("a", 0, 10)
		l := newLab(t, r, path, "one", stream.Each(func(ctx context.Context, _ string, _ stream.Record) error {
			<-ctx.Done()
			return ctx.Err()
		}))
		began := time.Now()
		errDeadline(t, l.runFor(t, time.Second))
		assert.Equal(t, 31*time.Second, time.Since(began).Truncate(time.Second))
		assert.Empty(t, l.told(stream.Handled))
	})
}

// Throttling backs off up to ten seconds; an iterator that expires is opened again at once.
func TestBackOff(t *testing.T) {
	simulate(t, func(t *testing.T, path string) {
		r := newRiver("a")
		r.put("a", 0, 10)
		calls := 0
		r.fail = func(call, _ string) error {
			if call != "read" {
				return nil
			}
			if calls++; calls <= 12 {
				return &stream.SourceError{Reason: stream.Throttled, Err: errors.New("too fast")}
			} else if calls == 14 {
				return &stream.SourceError{Reason: stream.Expired, Err: errors.New("too old")}
			}
			return nil
		}
		var n notes
		l := newLab(t, r, path, "one", stream.Each(n.each))
		errDeadline(t, l.runFor(t, 3*time.Minute))
		assert.Equal(t, of("a", 0, 10), n.get())
		reads := r.reads["a"]
		for i := range 11 {
			pause, most := reads[i+1].Sub(reads[i]), min(200*time.Millisecond<<i, 10*time.Second)
			assert.GreaterOrEqual(t, pause, most/2)
			assert.LessOrEqual(t, pause, most)
		}
		assert.LessOrEqual(t, reads[14].Sub(reads[13]), time.Millisecond)
		assert.Len(t, l.told(stream.Troubled), 13)
	})
}

// A start in the future is waited for, and said.
func TestStartInTheFuture(t *testing.T) {
	simulate(t, func(t *testing.T, path string) {
		r := newRiver("a")
		r.put("a", 0, 10)
		var n notes
		l := newLab(t, r, path, "one", stream.Each(n.each))
		l.Start = stream.Position{Kind: stream.AtTime, Time: time.Now().Add(time.Hour)}
		time.AfterFunc(59*time.Minute, func() { r.put("a", 10, 20) })
		time.AfterFunc(61*time.Minute, func() { r.put("a", 20, 30) })
		errDeadline(t, l.runFor(t, 62*time.Minute))
		assert.Equal(t, of("a", 20, 30), n.get())
		assert.Len(t, l.told(stream.Waiting), 1)
	})
}

// A shard that the stream keeps no longer is forgotten when it was done, and an error when it was not.
func TestShardsThatGo(t *testing.T) {
	simulate(t, func(t *testing.T, path string) {
		r := newRiver("a", "b")
		r.put("a", 0, 10)
		r.closed["a"] = true
		var n notes
		l := newLab(t, r, path, "one", stream.Each(n.each))
		time.AfterFunc(time.Minute, func() { r.mu.Lock(); r.shards = r.shards[1:]; r.mu.Unlock() })
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		errDeadline(t, l.Run(ctx))
		cancel()
		rows, err := l.file.List(t.Context())
		require.NoError(t, err)
		assert.Len(t, rows, 2, "b, and the start")
		require.NoError(t, l.file.Add(t.Context(), []stream.Lease{{Shard: "old", Checkpoint: "5"}}))
		require.NoError(t, l.file.Close())

		l = newLab(t, r, path, "two", stream.Each(n.each))
		var lost *stream.CheckpointError
		require.ErrorAs(t, l.runFor(t, 10*time.Minute), &lost)
		assert.Equal(t, "the stream rejects the checkpoint 5 of old: the shard is gone", lost.Error())

		l = newLab(t, r, path, "three", stream.Each(n.each))
		l.OnLost = stream.Horizon
		errDeadline(t, l.runFor(t, 10*time.Minute))
		assert.Len(t, l.told(stream.Jumped), 1)
	})
}

// Aggregated records count one by one: a stop between them goes on behind the last one that is done.
func TestAggregatedRecords(t *testing.T) {
	simulate(t, func(t *testing.T, path string) {
		r := newRiver("a")
		for i := range 4 {
			r.log["a"] = append(r.log["a"], stream.Record{Sequence: "7", Sub: i, Subs: 4, Data: []byte(strconv.Itoa(i))})
		}
		r.log["a"] = append(r.log["a"], stream.Record{Sequence: "8", Data: []byte("4")})
		var n notes
		handler := stream.Each(func(ctx context.Context, shard string, r stream.Record) error {
			time.Sleep(time.Second)
			return n.each(ctx, shard, r)
		})
		errDeadline(t, newLab(t, r, path, "one", handler).runFor(t, 1500*time.Millisecond))
		assert.Equal(t, of("a", 0, 2), n.get())
		errDeadline(t, newLab(t, r, path, "two", handler).runFor(t, 10*time.Second))
		assert.Equal(t, of("a", 0, 5), n.get())
	})
}

// What can't be is refused before anything is read.
func TestBadConsumers(t *testing.T) {
	simulate(t, func(t *testing.T, path string) {
		for name, spoil := range map[string]func(c *stream.Consumer){
			"no handler":         func(c *stream.Consumer) { c.Handler = nil },
			"no name":            func(c *stream.Consumer) { c.Name = "" },
			"a batch too large":  func(c *stream.Consumer) { c.Batch = 10_001 },
			"a lease too short":  func(c *stream.Consumer) { c.Lease = time.Millisecond },
			"no tries":           func(c *stream.Consumer) { c.Tries = -1 },
			"after which shard?": func(c *stream.Consumer) { c.Start = stream.Position{Kind: stream.After, Sequence: "1"} },
			"no such shard":      func(c *stream.Consumer) { c.Shard = "x" },
		} {
			var n notes
			l := newLab(t, newRiver("a"), path, "one", stream.Each(n.each))
			spoil(l.Consumer)
			var start *stream.StartError
			require.ErrorAs(t, l.runFor(t, time.Minute), &start, name)
		}
	})
}
