// Package stream handles the records of a stream that has shards, such as an Amazon Kinesis stream. It handles each record at least once,
// in the order of its shard. Any number of processes can share the work.
//
// A record moves through it like this:
//
//	Source.Shards ─▶ crew: leases by shard, parents before children ──Take──▶ a reader for each shard that is ours
//	                  ▲ each tick: List, Renew, Ask, Take                       │
//	                  │                                                         ▼
//	                Leases                          Source.Open: after the checkpoint, or where the stream starts
//	                  ▲                                                         │ iterator
//	                  │                                                         ▼
//	                  │                                        Source.Read ─▶ aggregated records taken apart
//	                  │                                                         │ Batch
//	                  │                                                         ▼
//	                  │     dead letters ◀── after Tries ── Handler.Handle: done, or why not ─▶ again after a pause
//	                  │                                                         │ the first records are done for good
//	                  └───────Save: only while the lease is ours────────────────┘
//
// Leases owns what must last: for each shard, one checkpoint, which is a sequence number or End, and who may move it. A crew is one
// goroutine that owns what a process knows of leases. A reader is one goroutine per shard that owns the position where it reads. If the
// beat of a lease stands still for a lease time, by the observer's own clock, the lease's owner is dead, and another process may take the
// lease. Taking a lease moves its fence, so that what a dead owner still tries to save is refused.
//
// If a process is killed between a batch and its checkpoint, the batch is handled again: at most one per shard that the process had.
//
// Package kinesis is the source. Packages db/leases and dynamo keep leases, in a file and in a table.
package stream
