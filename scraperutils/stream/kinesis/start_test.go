package kinesis_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/leases"
	"github.com/multiscraper/multiscraper/scraperutils/stream"
	"github.com/multiscraper/multiscraper/scraperutils/stream/kinesis"
	"github.com/multiscraper/multiscraper/scraperutils/stream/streamtest"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// Shards without a checkpoint start where they are told to.
func TestStarts(t *testing.T) {
	each(t, func(t *testing.T, endpoint string) {
		s := streamtest.NewStream(t, endpoint, 1)
		s.Put(t, entries(0, 10, 1)...)
		time.Sleep(1100 * time.Millisecond) // arrivals are as coarse as a second on some servers
		middle := time.Now()
		time.Sleep(50 * time.Millisecond)
		s.Put(t, entries(10, 20, 1)...)
		source, err := kinesis.Open(t.Context(), kinesis.Options{Stream: s.Name, Endpoint: endpoint})
		require.NoError(t, err)
		shards, now, err := source.Shards(t.Context())
		require.NoError(t, err)
		assert.Less(t, time.Since(now).Abs(), time.Minute, "the stream's own time")
		iterator, err := source.Open(t.Context(), shards[0].ID, stream.Position{Kind: stream.Horizon})
		require.NoError(t, err)
		page, err := source.Read(t.Context(), iterator, 5)
		require.NoError(t, err)
		require.Len(t, page.Records, 5)
		fifth := page.Records[4].Sequence

		for name, c := range map[string]struct {
			start stream.Position
			shard string
			first int
		}{
			"the horizon":     {stream.Position{Kind: stream.Horizon}, "", 0},
			"a time":          {stream.Position{Kind: stream.AtTime, Time: middle}, "", 10},
			"behind a record": {stream.Position{Kind: stream.After, Sequence: fifth}, shards[0].ID, 5},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var l ledger
				c2 := consumer(t, s, endpoint, "one", filepath.Join(t.TempDir(), "stream.sqlite"), stream.Each(l.each))
				c2.Start, c2.Shard = c.start, c.shard
				require.ErrorIs(t, runUntil(t, c2, func() bool { return l.count() >= 20-c.first }), context.Canceled)
				assert.Equal(t, c.first, l.byKey["key-0"][0])
				assert.Equal(t, 20-c.first, l.total)
			})
		}
	})
}

// A start that lies behind the last record, for which a server may not answer at all, has what comes after it, and so has one in the
// future, which is waited for.
func TestStartsBehindTheLastRecord(t *testing.T) {
	if !full {
		testsize.SkipUnlessFull(t) // TestStarts has starts before it
	}
	each(t, func(t *testing.T, endpoint string) {
		for name, ahead := range map[string]time.Duration{"behind the last record": 0, "in the future": 2500 * time.Millisecond} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := streamtest.NewStream(t, endpoint, 1)
				s.Put(t, entries(0, 10, 1)...)
				time.Sleep(1100 * time.Millisecond) // arrivals are as coarse as a second on some servers
				if ahead > 0 {
					s.Put(t, entries(10, 15, 1)...) // before the start too
					time.Sleep(1100 * time.Millisecond)
				}
				at := time.Now().Add(ahead)
				var l ledger
				c := consumer(t, s, endpoint, "one", filepath.Join(t.TempDir(), "stream.sqlite"), stream.Each(l.each))
				c.Start = stream.Position{Kind: stream.AtTime, Time: at}
				time.AfterFunc(ahead+1100*time.Millisecond, func() { assert.NoError(t, s.TryPut(t.Context(), entries(20, 30, 1)...)) })
				require.ErrorIs(t, runUntil(t, c, func() bool { return l.count() >= 10 }), context.Canceled)
				assert.Equal(t, 20, l.byKey["key-0"][0])
				assert.Equal(t, 10, l.total)
			})
		}
	})
}

// What comes after the first look at a stream is the latest, also where the one who looked died before it had seen a record.
func TestLatestAcrossARestart(t *testing.T) {
	each(t, func(t *testing.T, endpoint string) {
		s := streamtest.NewStream(t, endpoint, 2)
		s.Put(t, entries(0, 10, 4)...)
		time.Sleep(2100 * time.Millisecond) // the stream's own time is that of a header, in seconds
		path := filepath.Join(t.TempDir(), "stream.sqlite")
		var l ledger
		c := consumer(t, s, endpoint, "one", path, stream.Each(l.each))
		c.Start = stream.Position{Kind: stream.Latest}
		dies, cancel := context.WithCancel(t.Context())
		c.OnEvent = func(e stream.Event) {
			if e.What == stream.Started {
				cancel()
			}
		}
		require.ErrorIs(t, c.Run(dies), context.Canceled)
		s.Put(t, entries(10, 30, 4)...)
		c = consumer(t, s, endpoint, "two", path, stream.Each(l.each))
		c.Start = stream.Position{Kind: stream.Latest}
		require.ErrorIs(t, runUntil(t, c, func() bool { return l.count() >= 20 }), context.Canceled)
		l.check(t, 4, 20)
	})
}

// A checkpoint that the stream does not know ends the consumer, and says so; or the shard goes on where it was told. kinesis-local takes
// any number.
func TestRejectedCheckpoint(t *testing.T) {
	t.Parallel()
	endpoint := servers.Endpoint(t, streamtest.Kinesalite)
	s := streamtest.NewStream(t, endpoint, 2)
	s.Put(t, entries(0, 20, 10)...)
	source, err := kinesis.Open(t.Context(), kinesis.Options{Stream: s.Name, Endpoint: endpoint})
	require.NoError(t, err)
	iterator, err := source.Open(t.Context(), "shardId-000000000000", stream.Position{Kind: stream.Horizon})
	require.NoError(t, err)
	page, err := source.Read(t.Context(), iterator, 1)
	require.NoError(t, err)
	foreign := page.Records[0].Sequence
	path := filepath.Join(t.TempDir(), "stream.sqlite")
	file, err := leases.Open(t.Context(), path, s.Name)
	require.NoError(t, err)
	defer file.Close()
	require.NoError(t, file.Add(t.Context(), []stream.Lease{{Shard: "shardId-000000000001", Checkpoint: foreign}}))

	var l ledger
	c := consumer(t, s, endpoint, "one", path, stream.Each(l.each))
	err = runUntil(t, c, func() bool { return false })
	var wrong *stream.CheckpointError
	require.ErrorAs(t, err, &wrong)
	assert.Contains(t, err.Error(), "the stream rejects the checkpoint "+foreign+" of shardId-000000000001")

	c = consumer(t, s, endpoint, "two", path, stream.Each(l.each))
	c.OnLost = stream.Horizon
	require.ErrorIs(t, runUntil(t, c, func() bool { return l.count() >= 20 }), context.Canceled)
	l.check(t, 10, 20)
}

// A stream that is not there is an error at once, or is made.
func TestMissingStream(t *testing.T) {
	each(t, func(t *testing.T, endpoint string) {
		missing := &streamtest.Stream{Name: "missing-" + t.Name()[len("TestMissingStream/"):], Endpoint: endpoint}
		var l ledger
		c := consumer(t, missing, endpoint, "one", filepath.Join(t.TempDir(), "stream.sqlite"), stream.Each(l.each))
		var start *stream.StartError
		require.ErrorAs(t, c.Run(t.Context()), &start)
		assert.Equal(t, stream.Gone, stream.ReasonOf(start))

		_, err := kinesis.Open(t.Context(), kinesis.Options{Stream: missing.Name, Endpoint: endpoint, Create: true})
		require.NoError(t, err)
		_, err = kinesis.Open(t.Context(), kinesis.Options{Stream: missing.Name, Endpoint: endpoint, Create: true})
		require.NoError(t, err, "it is there")
		c.Duration = 10 * time.Millisecond
		require.NoError(t, c.Run(t.Context()))
	})
}
