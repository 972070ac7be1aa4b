package kinesis_test

import (
	"context"
	"math/big"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/kinesis/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/stream"
	"github.com/multiscraper/multiscraper/scraperutils/stream/streamtest"
)

// lineage notes when shards end and begin, over all consumers.
type lineage struct {
	mu    sync.Mutex
	order []string // "end SHARD", "begin SHARD"
}

func (l *lineage) note(what, shard string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if text := what + " " + shard; !slices.Contains(l.order, text) {
		l.order = append(l.order, text)
	}
}

// check holds each shard to have begun after all of its parents had ended.
func (l *lineage) check(t *testing.T, source stream.Source) {
	t.Helper()
	shards, _, err := source.Shards(t.Context())
	require.NoError(t, err)
	children := 0
	for _, s := range shards {
		began := slices.Index(l.order, "begin "+s.ID)
		if began < 0 {
			continue // it never had a record
		}
		for _, parent := range s.Parents {
			ended := slices.Index(l.order, "end "+parent)
			assert.GreaterOrEqual(t, ended, 0, "%s ends", parent)
			assert.Less(t, ended, began, "%s after its parent", s.ID)
			children++
		}
	}
	assert.Positive(t, children)
}

// While records come in, shards are split, split and merged, and two consumers share them: all records are handled once, those of a
// key in order, and no shard before its parents have ended.
func TestSplitsAndMerges(t *testing.T) {
	both(t, func(t *testing.T, endpoint string) {
		total := 240
		if full {
			total = 12_000
		}
		const keys, rounds = 30, 4
		s := streamtest.NewStream(t, endpoint, 2)
		path := filepath.Join(t.TempDir(), "stream.sqlite")
		var l ledger
		var family lineage
		handler := stream.Each(func(ctx context.Context, shard string, r stream.Record) error {
			family.note("begin", shard)
			return l.each(ctx, shard, r)
		})
		var consumers []*stream.Consumer
		for _, name := range []string{"one", "two"} {
			c := consumer(t, s, endpoint, name, path, handler)
			c.Lease = time.Minute // a busy machine stalls for longer than a short one, and what is lost is handled again
			c.OnEvent = func(e stream.Event) {
				if e.What == stream.Ended {
					family.note("end", e.Shard)
				}
				logged(t, name)(e)
			}
			consumers = append(consumers, c)
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		var running sync.WaitGroup
		for _, c := range consumers {
			running.Go(func() { assert.ErrorIs(t, c.Run(ctx), context.Canceled) })
		}
		part := total / rounds
		for round := range rounds {
			s.Put(t, entries(round*part, round*part+part/2, keys)...)
			open := s.Shards(t)
			switch round {
			case 0:
				s.Split(t, open[0])
			case 1:
				s.Split(t, open[len(open)-1])
			case 2:
				slices.SortFunc(open, byRange)
				s.Merge(t, open[0], open[1])
			}
			s.Put(t, entries(round*part+part/2, (round+1)*part, keys)...)
		}
		for l.count() < total && ctx.Err() == nil {
			time.Sleep(20 * time.Millisecond)
		}
		cancel()
		running.Wait()
		l.check(t, keys, total)
		family.check(t, consumers[0].Source)
	})
}

// What is left in a shard when it is closed is handled, also where the answer that has it is the last one.
func TestClosedShard(t *testing.T) {
	both(t, func(t *testing.T, endpoint string) {
		s := streamtest.NewStream(t, endpoint, 1)
		s.Put(t, entries(0, 100, 5)...)
		s.Split(t, s.Shards(t)[0])
		s.Put(t, entries(100, 120, 5)...)
		var l ledger
		c := consumer(t, s, endpoint, "one", filepath.Join(t.TempDir(), "stream.sqlite"), stream.Each(l.each))
		c.Batch = 10_000
		require.ErrorIs(t, runUntil(t, c, func() bool { return l.count() >= 120 }), context.Canceled)
		l.check(t, 5, 120)
	})
}

func byRange(a, b types.Shard) int {
	from, _ := new(big.Int).SetString(*a.HashKeyRange.StartingHashKey, 10)
	to, _ := new(big.Int).SetString(*b.HashKeyRange.StartingHashKey, 10)
	return from.Cmp(to)
}
