// Package stream handles the records of a stream with shards, such as one of Amazon Kinesis: each of them, in the order of its shard,
// at least once, shared by any number of processes.
//
// A record moves through it like this:
//
//	Source.Shards ─▶ crew: a lease a shard, parents before children ──Take──▶ a reader for each shard that is ours
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
// Leases owns what must last: for each shard one checkpoint, which is a sequence number or End, and who may move it. A crew is one
// goroutine, which owns what a process knows of leases; a reader is one goroutine a shard, which owns where it reads. A lease whose beat
// stands still for a lease time, by the watcher's own clock, is a dead process's, and may be taken. Taking moves its fence, so that
// what the dead one saves after all is refused.
//
// Where a kill comes between a batch and its checkpoint, the batch is handled again: at most one for each shard that was ours.
//
// Package kinesis is the source, packages db/leases and dynamo keep leases, in a file or in a table.
package stream
