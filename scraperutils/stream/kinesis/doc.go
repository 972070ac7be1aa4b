// Package kinesis reads Amazon Kinesis data streams for package stream.
//
//	Shards ─▶ ListShards, page by page; its Date header is the stream's own time
//	Open   ─▶ GetShardIterator
//	Read   ─▶ GetRecords ─▶ records that a producer's library has aggregated are taken apart
//
// The package uses AWS's own library, github.com/aws/aws-sdk-go-v2, which also finds credentials and the region. The library's retries
// are turned off, because only the consumer knows how often it may read a shard, and where a read continues.
//
// The package does not use enhanced fan-out: its reads share the 2 MB per second of a shard with those of other applications.
package kinesis
