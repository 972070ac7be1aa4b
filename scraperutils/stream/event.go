package stream

import "time"

// What an Event tells of.
const (
	Started  = "started"  // where shards begin that have no checkpoint: Text
	Waiting  = "waiting"  // the start of the stream is in the future: Text
	Taken    = "taken"    // a lease is ours
	Handled  = "handled"  // records are done: Records, Behind, Took
	Idle     = "idle"     // a read had no records: Behind
	Failed   = "failed"   // a try to handle a record failed: Err
	Buried   = "buried"   // a record is a dead letter: Err
	Troubled = "troubled" // a source or leases could not do something, which is tried again: Err, Reason
	Jumped   = "jumped"   // a checkpoint was rejected, and left behind as it was told: Err, Text
	Ended    = "ended"    // a shard is done to its end
	Released = "released" // a lease was given back
	Lost     = "lost"     // a lease is somebody else's: Err
)

// Event is something that a consumer tells of.
type Event struct {
	What     string
	Shard    string // "": of no shard
	Sequence string // of the record that it is about, or of the last one
	Records  int
	Behind   time.Duration
	Took     time.Duration
	Reason   Reason
	Text     string
	Err      error
}
