package streamtest

import (
	"context"
	"fmt"
	"math/big"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/kinesis"
	"github.com/aws/aws-sdk-go-v2/service/kinesis/types"
)

// names makes each stream another one.
var names atomic.Int64

// Stream is a stream on a server.
type Stream struct {
	Name     string
	Endpoint string
	Client   *kinesis.Client
}

// NewStream creates a stream with some shards at an endpoint.
func NewStream(t testing.TB, endpoint string, shards int) *Stream {
	t.Helper()
	settings, err := config.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := &Stream{Name: fmt.Sprintf("stream-%d", names.Add(1)), Endpoint: endpoint}
	s.Client = kinesis.NewFromConfig(settings, func(o *kinesis.Options) { o.BaseEndpoint = &endpoint })
	if _, err := s.Client.CreateStream(t.Context(), &kinesis.CreateStreamInput{StreamName: &s.Name, ShardCount: aws.Int32(int32(shards))}); err != nil {
		t.Fatal(err)
	}
	s.await(t)
	return s
}

// await waits until the stream is ready.
func (s *Stream) await(t testing.TB) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		out, err := s.Client.DescribeStreamSummary(t.Context(), &kinesis.DescribeStreamSummaryInput{StreamName: &s.Name})
		if err == nil && out.StreamDescriptionSummary.StreamStatus == types.StreamStatusActive {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("stream %s is not ready: %v", s.Name, err)
		}
	}
}

// Entry is a record to put into a stream.
type Entry struct {
	Key  string
	Data []byte
}

// Put puts records, in order.
func (s *Stream) Put(t testing.TB, entries ...Entry) {
	t.Helper()
	if err := s.TryPut(t.Context(), entries...); err != nil {
		t.Fatal(err)
	}
}

// TryPut is Put for goroutines of a test. A record that is refused for now, while shards change, holds up those behind it.
func (s *Stream) TryPut(ctx context.Context, entries ...Entry) error {
	const most = 500
	for len(entries) > 0 {
		part := entries[:min(len(entries), most)]
		records := make([]types.PutRecordsRequestEntry, len(part))
		for i, e := range part {
			records[i] = types.PutRecordsRequestEntry{PartitionKey: aws.String(e.Key), Data: e.Data}
		}
		out, err := s.Client.PutRecords(ctx, &kinesis.PutRecordsInput{StreamName: &s.Name, Records: records})
		if err != nil {
			return err
		}
		if n := aws.ToInt32(out.FailedRecordCount); n > 0 {
			return fmt.Errorf("%d records were not taken", n)
		}
		entries = entries[len(part):]
	}
	return nil
}

// Shards returns the open shards, in the order of their key ranges.
func (s *Stream) Shards(t testing.TB) (open []types.Shard) {
	t.Helper()
	out, err := s.Client.ListShards(t.Context(), &kinesis.ListShardsInput{StreamName: &s.Name})
	if err != nil {
		t.Fatal(err)
	}
	for _, shard := range out.Shards {
		if shard.SequenceNumberRange.EndingSequenceNumber == nil {
			open = append(open, shard)
		}
	}
	return open
}

// Split splits an open shard in the middle.
func (s *Stream) Split(t testing.TB, shard types.Shard) {
	t.Helper()
	from, _ := new(big.Int).SetString(*shard.HashKeyRange.StartingHashKey, 10)
	to, _ := new(big.Int).SetString(*shard.HashKeyRange.EndingHashKey, 10)
	middle := new(big.Int).Rsh(new(big.Int).Add(from, to), 1)
	if _, err := s.Client.SplitShard(t.Context(), &kinesis.SplitShardInput{StreamName: &s.Name, ShardToSplit: shard.ShardId, NewStartingHashKey: aws.String(middle.String())}); err != nil {
		t.Fatal(err)
	}
	s.await(t)
}

// Merge merges two open neighboring shards.
func (s *Stream) Merge(t testing.TB, a, b types.Shard) {
	t.Helper()
	if _, err := s.Client.MergeShards(t.Context(), &kinesis.MergeShardsInput{StreamName: &s.Name, ShardToMerge: a.ShardId, AdjacentShardToMerge: b.ShardId}); err != nil {
		t.Fatal(err)
	}
	s.await(t)
}
