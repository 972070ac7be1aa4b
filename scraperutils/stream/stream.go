package stream

import (
	"context"
	"time"
)

// Record is a record of a stream.
type Record struct {
	Sequence string    // its sequence number, unique and increasing within its shard
	Key      string    // the partition key; records with the same key are in order
	Arrived  time.Time // by the stream's clock
	Data     []byte

	// A producer's library may aggregate several records into one. Sub is this record's position in the aggregated one, from 0, and Subs
	// is how many there are. Both are 0 for a record that is not aggregated.
	Sub, Subs int
}

// Batch holds records of one shard, in order.
type Batch struct {
	Shard   string
	Records []Record
	Behind  time.Duration   // time from the last record to the end of the shard, by the stream's clock
	Stop    <-chan struct{} // closed when the handler should finish the current record and return
}

// Handler handles records.
type Handler interface {
	// Handle handles a batch, starting with its first record. The first done records are finished for good, and do not come again. If err
	// is not nil, the record with index done failed. If Stop is closed, done may be smaller than the batch without an error. Batches of
	// different shards are handled concurrently. The context ends when the lease is lost, or when a stop takes longer than
	// Consumer.Grace.
	Handle(ctx context.Context, b Batch) (done int, err error)
}

// Each makes a Handler from a function that handles one record. A record is done when the function returns nil. The function may be
// called concurrently for several shards.
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

// Shard is one of the ordered parts of a stream.
type Shard struct {
	ID      string
	Parents []string // the shards that it came from, by a split or a merge; they may be gone
}

// Page is the result of one read of a shard.
type Page struct {
	Records []Record
	Next    string        // iterator of what follows; "": the shard is closed, and this is its end
	Behind  time.Duration // time from the last record to the end of the shard
}

// Source is a stream. Its methods may be called from any goroutine. Errors that a consumer decides on are *SourceErrors. Any other error
// counts as trouble that will pass.
type Source interface {
	// Shards lists all shards that the stream still keeps, and returns the stream's time.
	Shards(ctx context.Context) ([]Shard, time.Time, error)

	// Open returns an iterator of a shard.
	Open(ctx context.Context, shard string, from Position) (iterator string, err error)

	// Read reads up to limit records. The same iterator may be read again.
	Read(ctx context.Context, iterator string, limit int) (Page, error)
}

// DeadLetter is a record that could not be handled.
type DeadLetter struct {
	Shard  string
	Record Record
	Error  string // of the last try
	Tries  int
	At     time.Time
}

// DeadLetters keeps records that could not be handled.
type DeadLetters interface {
	// Bury stores a letter durably. It replaces an existing one.
	Bury(ctx context.Context, l DeadLetter) error
}
