package stream

import (
	"context"
	"time"
)

// Record is what somebody put into a stream.
type Record struct {
	Sequence string    // its sequence number, unique in its shard and growing
	Key      string    // the partition key: records of one key are in order
	Arrived  time.Time // as the stream says
	Data     []byte

	// A producer's library may put several records into one. Sub is the place of this one in it, from 0, and Subs how many there are;
	// both are 0 for a record of its own.
	Sub, Subs int
}

// Batch is records of one shard, in order.
type Batch struct {
	Shard   string
	Records []Record
	Behind  time.Duration   // from the last record to the end of the shard, as the stream says
	Stop    <-chan struct{} // closed when the shard is to be left: finish the record at hand, and return
}

// Handler handles records.
type Handler interface {
	// Handle handles a batch, from its first record on. The first done records are finished for good, and will not come again; where
	// err is not nil, record done is the one that failed. Where Stop is closed, done may be fewer without an error. Batches of
	// different shards are handled at the same time. The context ends when the lease is lost, or when a stop takes longer than
	// Consumer.Grace.
	Handle(ctx context.Context, b Batch) (done int, err error)
}

// Each makes a Handler of a function that handles one record. A record is done when the function returns nil. It may be called for
// several shards at the same time.
type Each func(ctx context.Context, shard string, r Record) error

// Handle implements Handler.
func (e Each) Handle(ctx context.Context, b Batch) (done int, err error) {
	for i, r := range b.Records {
		select {
		case <-b.Stop:
			return i, nil
		default:
		}
		if err := e(ctx, b.Shard, r); err != nil {
			return i, err
		}
	}
	return len(b.Records), nil
}

// Shard is one of the lines of a stream.
type Shard struct {
	ID      string
	Parents []string // that it came from, by a split or a merge; they may be gone
}

// Page is what one read of a shard gives.
type Page struct {
	Records []Record
	Next    string        // iterator of what follows; "": the shard is closed, and this was its end
	Behind  time.Duration // from the last record to the end of the shard
}

// Source is a stream. Its methods may be called from any goroutine. Errors that a consumer decides on are *SourceErrors; any other is
// taken for trouble that passes.
type Source interface {
	// Shards lists all shards that are still kept, and the stream's own time.
	Shards(ctx context.Context) ([]Shard, time.Time, error)

	// Open returns an iterator of a shard.
	Open(ctx context.Context, shard string, from Position) (iterator string, err error)

	// Read reads up to limit records. An iterator may be read again.
	Read(ctx context.Context, iterator string, limit int) (Page, error)
}

// DeadLetter is a record that could not be handled.
type DeadLetter struct {
	Shard  string
	Record Record
	Error  string // why, the last time
	Tries  int
	At     time.Time
}

// DeadLetters keeps records that could not be handled.
type DeadLetters interface {
	// Bury keeps a letter for good. One that is there already is replaced.
	Bury(ctx context.Context, l DeadLetter) error
}
