package kinesis

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/kinesis"
	"github.com/aws/aws-sdk-go-v2/service/kinesis/types"
	"github.com/aws/smithy-go/logging"

	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// Options say how to reach a stream. The AWS library finds what is left zero: in the environment, in ~/.aws, or from the machine.
type Options struct {
	Stream   string // its name
	Region   string
	Endpoint string // such as http://127.0.0.1:4567; "": AWS
	Insecure bool   // skip the check of certificates
	Create   bool   // create a missing stream, with one shard
}

// Stream is a stream.Source.
type Stream struct {
	name   string
	client *kinesis.Client
}

var _ stream.Source = (*Stream)(nil)

// Open finds out how to reach a stream. Whether the stream exists turns out when it is read. The context limits the search for settings
// and, with Create, the wait for a new stream.
func Open(ctx context.Context, o Options) (*Stream, error) {
	client, err := newClient(ctx, o)
	if err != nil {
		return nil, err
	}
	s := &Stream{name: o.Stream, client: client}
	if o.Create {
		if err := s.create(ctx); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func newClient(ctx context.Context, o Options) (*kinesis.Client, error) {
	options := []func(*config.LoadOptions) error{config.WithLogger(logging.Nop{})} // what fails is in the error
	if o.Region != "" {
		options = append(options, config.WithRegion(o.Region))
	}
	if o.Insecure {
		options = append(options, config.WithHTTPClient(awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
			t.TLSClientConfig.InsecureSkipVerify = true
		})))
	}
	settings, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("read the settings of AWS: %w", err)
	}
	if settings.Region == "" {
		return nil, errors.New("no region: expected --region, or AWS_REGION in the environment")
	}
	if _, err := settings.Credentials.Retrieve(ctx); err != nil {
		return nil, &credentialsError{err}
	}
	return kinesis.NewFromConfig(settings, func(k *kinesis.Options) {
		k.Retryer = aws.NopRetryer{}
		if o.Endpoint != "" {
			k.BaseEndpoint = aws.String(o.Endpoint)
		}
	}), nil
}

// Shards implements stream.Source.
func (s *Stream) Shards(ctx context.Context) (shards []stream.Shard, now time.Time, err error) {
	in := &kinesis.ListShardsInput{StreamName: &s.name}
	for {
		out, err := s.client.ListShards(ctx, in)
		if err != nil {
			return nil, now, explain(err)
		}
		if now.IsZero() {
			var said bool
			if now, said = awsmiddleware.GetServerTime(out.ResultMetadata); !said {
				now = time.Now()
			}
		}
		for _, shard := range out.Shards {
			shards = append(shards, shardOf(shard))
		}
		if aws.ToString(out.NextToken) == "" {
			return shards, now, nil
		}
		in = &kinesis.ListShardsInput{NextToken: out.NextToken}
	}
}

func shardOf(s types.Shard) stream.Shard {
	shard := stream.Shard{ID: aws.ToString(s.ShardId)}
	for _, parent := range []*string{s.ParentShardId, s.AdjacentParentShardId} {
		if aws.ToString(parent) != "" {
			shard.Parents = append(shard.Parents, *parent)
		}
	}
	return shard
}

// Open implements stream.Source.
func (s *Stream) Open(ctx context.Context, shard string, from stream.Position) (string, error) {
	in := &kinesis.GetShardIteratorInput{StreamName: &s.name, ShardId: &shard, ShardIteratorType: types.ShardIteratorType(from.Kind)}
	switch from.Kind {
	case stream.AtTime:
		in.Timestamp = &from.Time
	case stream.After, stream.At:
		in.StartingSequenceNumber = &from.Sequence
	}
	out, err := s.client.GetShardIterator(ctx, in)
	if err != nil {
		return "", explain(err)
	}
	if aws.ToString(out.ShardIterator) == "" {
		return "", errors.New("the stream answers without an iterator")
	}
	return *out.ShardIterator, nil
}

// Read implements stream.Source.
func (s *Stream) Read(ctx context.Context, iterator string, limit int) (page stream.Page, err error) {
	out, err := s.client.GetRecords(ctx, &kinesis.GetRecordsInput{ShardIterator: &iterator, Limit: aws.Int32(int32(limit))})
	if err != nil {
		return page, explain(err)
	}
	page.Next = aws.ToString(out.NextShardIterator)
	page.Behind = time.Duration(aws.ToInt64(out.MillisBehindLatest)) * time.Millisecond
	page.Records = make([]stream.Record, 0, len(out.Records))
	for _, r := range out.Records {
		record := stream.Record{Sequence: aws.ToString(r.SequenceNumber), Key: aws.ToString(r.PartitionKey), Arrived: aws.ToTime(r.ApproximateArrivalTimestamp), Data: r.Data}
		if !stream.IsSequence(record.Sequence) {
			return stream.Page{}, fmt.Errorf("the stream answers with a record whose sequence number is %.60q", record.Sequence)
		}
		page.Records = append(page.Records, apart(record)...)
	}
	return page, nil
}

// create makes the stream, unless it is there, and waits until it can be read.
func (s *Stream) create(ctx context.Context) error {
	var there *types.ResourceInUseException
	_, err := s.client.CreateStream(ctx, &kinesis.CreateStreamInput{StreamName: &s.name, ShardCount: aws.Int32(1)})
	if err != nil && !errors.As(err, &there) {
		return fmt.Errorf("create stream %s: %w", s.name, explain(err))
	}
	waiter := kinesis.NewStreamExistsWaiter(s.client, func(o *kinesis.StreamExistsWaiterOptions) { o.MinDelay, o.MaxDelay = time.Second, 5*time.Second })
	if err := waiter.Wait(ctx, &kinesis.DescribeStreamInput{StreamName: &s.name}, createTime); err != nil {
		return fmt.Errorf("wait for stream %s: %w", s.name, err)
	}
	return nil
}

// createTime is how long a new stream may take.
const createTime = 2 * time.Minute
