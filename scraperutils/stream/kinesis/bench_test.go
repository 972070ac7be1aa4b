package kinesis_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/kinesis"
	"github.com/aws/aws-sdk-go-v2/service/kinesis/types"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/multiscraper/multiscraper/scraperutils/stream"
	"github.com/multiscraper/multiscraper/scraperutils/stream/streamtest"
)

// BenchmarkRead is what a record costs this process, beside a loop of the AWS library that only reads and counts. Both read the same
// shards, as much at a time and as often.
func BenchmarkRead(b *testing.B) {
	endpoint := servers.Endpoint(b, streamtest.Kinesalite)
	small, large := 20_000, 2_000 // in the full size, the start of a consumer counts for nothing
	if full {
		small, large = 80_000, 16_000
	}
	for _, size := range []struct {
		name           string
		bytes, records int
	}{{"200B", 200, small}, {"10KB", 10_000, large}} {
		s := streamtest.NewStream(b, endpoint, 4)
		var all []streamtest.Entry
		for i := range size.records {
			all = append(all, streamtest.Entry{Key: fmt.Sprint("key-", i%200), Data: []byte(strings.Repeat("x", size.bytes))})
			if len(all) == 300 {
				s.Put(b, all...)
				all = nil
			}
		}
		s.Put(b, all...)
		b.Run(size.name+"/bare", func(b *testing.B) { measure(b, size.records, func() { bare(b, s, size.records) }) })
		b.Run(size.name+"/consumer", func(b *testing.B) { measure(b, size.records, func() { consume(b, s, size.records) }) })
	}
}

// measure reports the processor time of a record, and how many there are in a second.
func measure(b *testing.B, records int, read func()) {
	cpu := processorTime()
	for b.Loop() {
		read()
	}
	n := float64(records * b.N)
	b.ReportMetric(float64((processorTime()-cpu).Nanoseconds())/n, "cpu-ns/record")
	b.ReportMetric(n/b.Elapsed().Seconds(), "records/s")
}

func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // which can't fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// bare reads all shards with the AWS library alone.
func bare(b *testing.B, s *streamtest.Stream, records int) {
	var n atomic.Int64
	var shards errgroup.Group
	for _, shard := range s.Shards(b) {
		shards.Go(func() error {
			out, err := s.Client.GetShardIterator(b.Context(), &sdk.GetShardIteratorInput{StreamName: &s.Name, ShardId: shard.ShardId, ShardIteratorType: types.ShardIteratorTypeTrimHorizon})
			if err != nil {
				return err
			}
			for iterator := out.ShardIterator; n.Load() < int64(records); {
				began := time.Now()
				page, err := s.Client.GetRecords(b.Context(), &sdk.GetRecordsInput{ShardIterator: iterator, Limit: aws.Int32(stream.DefaultBatch)})
				if err != nil {
					return err
				}
				n.Add(int64(len(page.Records)))
				iterator = page.NextShardIterator
				if n.Load() < int64(records) {
					time.Sleep(200*time.Millisecond - time.Since(began))
				}
			}
			return nil
		})
	}
	require.NoError(b, shards.Wait())
}

// consume has a consumer handle all records, with checkpoints in a file.
func consume(b *testing.B, s *streamtest.Stream, records int) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	var n atomic.Int64
	c := consumer(b, s, s.Endpoint, "bench", filepath.Join(b.TempDir(), "stream.sqlite"), stream.Each(func(context.Context, string, stream.Record) error {
		if n.Add(1) == int64(records) {
			cancel()
		}
		return nil
	}))
	c.OnEvent = nil
	require.ErrorIs(b, c.Run(ctx), context.Canceled)
}
