package stream_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/multiscraper/multiscraper/db/leases"
	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// Announcements handles what sites announce. Its one method is all that has to be written.
type Announcements struct{ seen []string }

// Process handles one record. Where it returns an error, the record comes again.
func (a *Announcements) Process(_ context.Context, _ string, r stream.Record) error {
	a.seen = append(a.seen, string(r.Data))
	return nil
}

// A consumer with one method to write. With kinesis.Open instead of the stream in memory, it reads one of Amazon's.
func ExampleConsumer() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	ctx := context.Background()
	source := newRiver("shardId-000000000000") // kinesis.Open(ctx, kinesis.Options{Stream: "announcements"})
	source.put("shardId-000000000000", 0, 3)

	state, err := leases.Open(ctx, filepath.Join(folder, "stream.sqlite"), "announcements")
	if err != nil {
		panic(err)
	}
	defer func() { _ = state.Close() }()
	var a Announcements
	c := stream.Consumer{
		Source: source, Leases: state, DeadLetters: state, Name: "example", // one that no other process has
		Handler:  stream.Each(a.Process),
		Start:    stream.Position{Kind: stream.Horizon},
		Duration: 100 * time.Millisecond,
	}
	fmt.Println(c.Run(ctx), a.seen)
	// Output: <nil> [0 1 2]
}
