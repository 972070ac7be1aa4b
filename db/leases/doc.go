// Package leases keeps the leases of a stream's shards, and its dead letters, in one SQLite file.
//
//	List ──────────────────────────────────▶ one statement, which sees what is committed
//	Add, Take, Renew, Ask, Save, Release, ─▶ BEGIN IMMEDIATE, the row only where it is as it was seen, COMMIT with its fsync
//	Remove, Bury
//
// Any number of processes on one machine may have the file open; SQLite's own locks are enough for that. One file may hold the leases of
// several streams. For processes on several machines, use package scraperutils/stream/dynamo.
package leases
