// Package leasestest tests whether keepers of leases do what package stream requires.
//
//	func TestContract(t *testing.T) { leasestest.Run(t, func(t testing.TB, stream string) leasestest.Keeper { … }) }
package leasestest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// Keeper keeps leases and dead letters.
type Keeper interface {
	stream.Leases
	stream.DeadLetters
}

// Open opens the leases of a stream, in addition to those that are already open. They are closed at the end of the test.
type Open func(t testing.TB, stream string) Keeper

// Letters reads back the dead letters of a stream, in any order.
type Letters func(t testing.TB, stream string) []stream.DeadLetter

// Run runs the suite on a keeper.
func Run(t *testing.T, open Open, letters Letters) {
	for name, test := range map[string]func(*testing.T, Keeper, Keeper){
		"a lease from taking to its end":             aLife,
		"what is seen has to be as it was":           seenMustHold,
		"an owner that was taken from saves nothing": fenced,
		"hand-over":               handOver,
		"adding leaves others":    adding,
		"one of many takes":       oneTakes,
		"removing":                removing,
		"a context that is over":  overContext,
		"many leases":             many,
		"what a checkpoint holds": checkpoints,
	} {
		t.Run(name, func(t *testing.T) {
			name := fmt.Sprintf("stream-%d", time.Now().UnixNano())
			test(t, open(t, name), open(t, name))
		})
	}
	t.Run("streams have nothing to do with each other", func(t *testing.T) { apart(t, open) })
	t.Run("dead letters", func(t *testing.T) { buried(t, open, letters) })
}

func list(t *testing.T, k Keeper) map[string]stream.Lease {
	t.Helper()
	all, err := k.List(t.Context())
	require.NoError(t, err)
	byShard := map[string]stream.Lease{}
	for i, l := range all {
		if i > 0 {
			assert.Less(t, all[i-1].Shard, l.Shard, "by shard")
		}
		byShard[l.Shard] = l
	}
	return byShard
}

func add(t *testing.T, k Keeper, shards ...string) {
	t.Helper()
	var leases []stream.Lease
	for _, s := range shards {
		leases = append(leases, stream.Lease{Shard: s})
	}
	require.NoError(t, k.Add(t.Context(), leases))
}

func take(t *testing.T, k Keeper, shard, owner string) stream.Lease {
	t.Helper()
	l, err := k.Take(t.Context(), list(t, k)[shard], owner)
	require.NoError(t, err)
	return l
}

func aLife(t *testing.T, a, b Keeper) {
	ctx := t.Context()
	assert.Empty(t, list(t, a))
	add(t, a, "s1", "s2")
	assert.Equal(t, map[string]stream.Lease{"s1": {Shard: "s1"}, "s2": {Shard: "s2"}}, list(t, b))

	l := take(t, a, "s1", "A")
	assert.Equal(t, stream.Lease{Shard: "s1", Owner: "A", Beat: 1, Fence: 1}, l)
	assert.Equal(t, l, list(t, b)["s1"])

	require.NoError(t, a.Save(ctx, l, "17"))
	lost, err := a.Renew(ctx, []stream.Lease{l})
	require.NoError(t, err)
	assert.Empty(t, lost)
	assert.Equal(t, stream.Lease{Shard: "s1", Owner: "A", Beat: 3, Fence: 1, Checkpoint: "17"}, list(t, b)["s1"])

	require.NoError(t, a.Save(ctx, l, stream.End))
	require.NoError(t, a.Release(ctx, l))
	assert.Equal(t, stream.Lease{Shard: "s1", Beat: 5, Fence: 1, Checkpoint: stream.End}, list(t, b)["s1"])
	require.ErrorIs(t, a.Release(ctx, l), stream.ErrLost, "it is given back")
	require.ErrorIs(t, a.Save(ctx, l, "18"), stream.ErrLost)

	again := take(t, b, "s1", "B")
	assert.Equal(t, stream.Lease{Shard: "s1", Owner: "B", Beat: 6, Fence: 2, Checkpoint: stream.End}, again)
}

func seenMustHold(t *testing.T, a, b Keeper) {
	ctx := t.Context()
	add(t, a, "s1")
	free := list(t, b)["s1"]
	l := take(t, a, "s1", "A")
	_, err := b.Take(ctx, free, "B")
	require.ErrorIs(t, err, stream.ErrLost, "it was free, and is no more")

	seen := list(t, b)["s1"]
	_, err = a.Renew(ctx, []stream.Lease{l})
	require.NoError(t, err)
	_, err = b.Take(ctx, seen, "B")
	require.ErrorIs(t, err, stream.ErrLost, "its owner lives")

	_, err = b.Take(ctx, stream.Lease{Shard: "none"}, "B")
	require.ErrorIs(t, err, stream.ErrLost, "there is none")
	assert.Equal(t, "A", list(t, b)["s1"].Owner)
	assert.NotContains(t, list(t, b), "none")
}

func fenced(t *testing.T, a, b Keeper) {
	ctx := t.Context()
	add(t, a, "s1", "s2")
	l, other := take(t, a, "s1", "A"), take(t, a, "s2", "A")
	require.NoError(t, a.Save(ctx, l, "5"))
	l2 := take(t, b, "s1", "B") // it seemed dead
	assert.Equal(t, "5", l2.Checkpoint)

	require.ErrorIs(t, a.Save(ctx, l, "6"), stream.ErrLost)
	require.ErrorIs(t, a.Release(ctx, l), stream.ErrLost)
	lost, err := a.Renew(ctx, []stream.Lease{l, other})
	require.NoError(t, err)
	assert.Equal(t, []string{"s1"}, lost)
	assert.Equal(t, l2, list(t, a)["s1"], "nothing has changed")
	assert.Equal(t, other.Beat+1, list(t, a)["s2"].Beat)

	take(t, a, "s1", "A") // back again
	require.ErrorIs(t, a.Save(ctx, l, "7"), stream.ErrLost, "the same owner with an old fence")
}

func handOver(t *testing.T, a, b Keeper) {
	ctx := t.Context()
	add(t, a, "s1")
	require.ErrorIs(t, b.Ask(ctx, list(t, b)["s1"], "B"), stream.ErrLost, "it is free: nobody is to be asked")
	l := take(t, a, "s1", "A")
	require.NoError(t, b.Ask(ctx, list(t, b)["s1"], "B"))
	require.ErrorIs(t, b.Ask(ctx, list(t, b)["s1"], "C"), stream.ErrLost, "B has asked before")
	assert.Equal(t, stream.Lease{Shard: "s1", Owner: "A", Next: "B", Beat: 1, Fence: 1}, list(t, a)["s1"])

	require.NoError(t, a.Save(ctx, l, "9"), "it is A's until it is released")
	require.NoError(t, a.Release(ctx, l))
	seen := list(t, b)["s1"]
	assert.Equal(t, stream.Lease{Shard: "s1", Next: "B", Beat: 3, Fence: 1, Checkpoint: "9"}, seen)
	assert.Equal(t, stream.Lease{Shard: "s1", Owner: "B", Beat: 4, Fence: 2, Checkpoint: "9"}, take(t, b, "s1", "B"), "and nobody is next")
	require.ErrorIs(t, a.Ask(ctx, l, "A"), stream.ErrLost, "it has another owner")
}

func adding(t *testing.T, a, b Keeper) {
	require.NoError(t, a.Add(t.Context(), nil))
	add(t, a, "s1")
	l := take(t, a, "s1", "A")
	require.NoError(t, b.Add(t.Context(), []stream.Lease{{Shard: "s1", Checkpoint: "1"}, {Shard: "s2", Checkpoint: "2"}}))
	assert.Equal(t, map[string]stream.Lease{"s1": l, "s2": {Shard: "s2", Checkpoint: "2"}}, list(t, a))
}

func oneTakes(t *testing.T, a, b Keeper) {
	const askers = 10
	add(t, a, "s1")
	seen := list(t, a)["s1"]
	var mu sync.Mutex
	var all sync.WaitGroup
	var winners []string
	for i := range askers {
		all.Go(func() {
			k, name := a, fmt.Sprint("w", i)
			if i%2 == 1 {
				k = b
			}
			l, err := k.Take(t.Context(), seen, name)
			if err != nil {
				assert.ErrorIs(t, err, stream.ErrLost)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			winners = append(winners, l.Owner)
		})
	}
	all.Wait()
	require.Len(t, winners, 1)
	assert.Equal(t, winners[0], list(t, b)["s1"].Owner)
}

func removing(t *testing.T, a, b Keeper) {
	ctx := t.Context()
	add(t, a, "s1", "s2")
	require.NoError(t, a.Save(ctx, take(t, a, "s1", "A"), stream.End))
	require.NoError(t, b.Remove(ctx, "s1"))
	require.NoError(t, b.Remove(ctx, "s2"), "which is not at its end")
	require.NoError(t, b.Remove(ctx, "s3"), "which there is not")
	assert.Equal(t, map[string]stream.Lease{"s2": {Shard: "s2"}}, list(t, a))
}

func overContext(t *testing.T, a, _ Keeper) {
	ctx, cancel := context.WithCancel(t.Context())
	add(t, a, "s1")
	l := take(t, a, "s1", "A")
	cancel()
	_, err := a.List(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, a.Save(ctx, l, "1"), context.Canceled)
	assert.Empty(t, list(t, a)["s1"].Checkpoint)
}

func many(t *testing.T, a, b Keeper) {
	const n = 150
	var shards []string
	for i := range n {
		shards = append(shards, fmt.Sprintf("shardId-%012d", i))
	}
	add(t, a, shards...)
	assert.Len(t, list(t, b), n)
}

func checkpoints(t *testing.T, a, _ Keeper) {
	add(t, a, "s1")
	l := take(t, a, "s1", "name with 'quotes' and ünicode")
	for _, c := range []string{"49590338271490256608559692538361571095921575989136588898", "1.25", stream.End, ""} {
		require.NoError(t, a.Save(t.Context(), l, c))
		assert.Equal(t, c, list(t, a)["s1"].Checkpoint)
	}
}

func apart(t *testing.T, open Open) {
	name := fmt.Sprintf("stream-%d", time.Now().UnixNano())
	a, b := open(t, name), open(t, name+"-b")
	add(t, a, "s1")
	add(t, b, "s1", "s2")
	take(t, b, "s1", "B")
	assert.Equal(t, map[string]stream.Lease{"s1": {Shard: "s1"}}, list(t, a))
}

func buried(t *testing.T, open Open, letters Letters) {
	name := fmt.Sprintf("stream-%d", time.Now().UnixNano())
	k := open(t, name)
	large := make([]byte, 1<<20)
	for i := range large {
		large[i] = byte(i * i >> 8)
	}
	at := time.Date(2026, 1, 31, 12, 0, 0, 5e6, time.UTC)
	want := []stream.DeadLetter{
		{Shard: "s1", Record: stream.Record{Sequence: "1", Key: "k", Arrived: at, Data: []byte("text")}, Error: "no", Tries: 3, At: at},
		{Shard: "s1", Record: stream.Record{Sequence: "1", Sub: 1, Key: "k", Arrived: at, Data: []byte{0, 0xff}}, Error: "no\x00 'more'", Tries: 1, At: at},
		{Shard: "s2", Record: stream.Record{Sequence: "1", Key: "", Arrived: at, Data: large}, Error: "too large", Tries: 1, At: at},
		{Shard: "s2", Record: stream.Record{Sequence: "2", Key: "", Arrived: at, Data: []byte{}}, Error: "empty", Tries: 1, At: at},
	}
	for _, l := range append(want[:1:1], want...) { // one of them twice
		require.NoError(t, k.Bury(t.Context(), l))
	}
	got := letters(t, name)
	require.Len(t, got, len(want))
	for _, w := range want {
		assert.Contains(t, got, w)
	}
	assert.Empty(t, list(t, k), "letters are no leases")
}
