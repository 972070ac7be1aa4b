// Package kinesis reads Amazon Kinesis data streams for package stream.
//
//	Shards ─▶ ListShards, page by page; its Date header is the stream's own time
//	Open   ─▶ GetShardIterator
//	Read   ─▶ GetRecords ─▶ records that a producer's library has aggregated are taken apart
//
// The library is AWS' own, github.com/aws/aws-sdk-go-v2, which also finds credentials and the region. Its tries are left off: only the
// consumer knows how often a shard may be asked, and from where a read goes on.
//
// Enhanced fan-out is not there: reads share the 2 MB a second of a shard with those of other applications.
package kinesis
