// Package dynamo keeps the leases of a stream's shards, and its dead letters, in an Amazon DynamoDB table, for processes on several
// machines.
//
//	List ───────────────────────▶ Query, consistent, of one stream
//	Add, Take, Ask, Save, … ────▶ one write each, which holds only where the item is as it was seen
//	Renew ──────────────────────▶ a write for each lease
//	Bury ───────────────────────▶ the data in parts, then the item that says what they are of
//
// A table has two keys, stream and shard, both strings. It can hold the leases of several streams. The item of a dead letter has the
// stream NAME#dead and the shard SHARD#SEQUENCE#SUB. Its data is in items whose keys add #0000 and so on, because an item can have at
// most 400 KB.
package dynamo
