// Package dynamo keeps the leases of a stream's shards, and its dead letters, in a table of Amazon DynamoDB, for processes on several
// machines.
//
//	List ───────────────────────▶ Query, consistent, of one stream
//	Add, Take, Ask, Save, … ────▶ one write each, which holds only where the item is as it was seen
//	Renew ──────────────────────▶ a write for each lease
//	Bury ───────────────────────▶ the data in parts, then the item that says what they are of
//
// A table has two keys, stream and shard, both texts. It may hold the leases of several streams. An item of a dead letter has the stream
// NAME#dead and the shard SHARD#SEQUENCE#SUB; its data is in items with #0000 and so on behind that, as items are 400 KB at most.
package dynamo
