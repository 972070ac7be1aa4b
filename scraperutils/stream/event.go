package stream

import "time"

// These are the kinds of events.
const (
	Started  = "started"  // where shards without a checkpoint start is known: Text
	Waiting  = "waiting"  // the start of the stream is in the future: Text
	Taken    = "taken"    // this process took a lease
	Handled  = "handled"  // records are done: Records, Behind, Took
	Idle     = "idle"     // a read had no records: Behind
	Failed   = "failed"   // a try to handle a record failed: Err
	Buried   = "buried"   // a record is a dead letter: Err
	Troubled = "troubled" // a source or leases failed, which is tried again: Err, Reason
	Jumped   = "jumped"   // a checkpoint was rejected, and skipped as OnLost says: Err, Text
	Ended    = "ended"    // a shard is finished
	Released = "released" // a lease was given back
	Lost     = "lost"     // somebody else has a lease: Err
)

// Event is something that happens in a consumer.
type Event struct {
	What     string
	Shard    string // "": it concerns no shard
	Sequence string // of the record that the event is about, or of the last one
	Records  int
	Behind   time.Duration
	Took     time.Duration
	Reason   Reason
	Text     string
	Err      error
}
