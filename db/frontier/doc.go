// Package frontier keeps a crawl's frontier in one SQLite file.
//
// A call moves through it like this:
//
//	Add, Claim,            writer goroutine                          the file
//	Renew, Complete,          │
//	Retry ── job ────────────▶│ takes all jobs that wait: BEGIN, one
//	   │                      │ after the other: read the hosts that
//	   │                      │ it is about, read and write URLs ───▶│ urls
//	   │                      │ write the hosts, with what is        │ hosts
//	   │                      │ counted of them, and totals ────────▶│ totals
//	   │                      │ COMMIT, with its fsync ─────────────▶│
//	   │◀── done, or why not ─┤
//
//	Due, Counts, Hosts, URLs ── connections of their own, which see what is committed ──▶
//
// One goroutine owns the one connection that writes, and those who wait share its commits. Where a job fails, the others of its commit
// are done again, each in a commit of its own. The rows of hosts that are leased stay in memory until somebody else has written to the
// file. What a call has acknowledged survives the death of the process at any moment.
//
// A worker has the file to itself, by the lock beside it, so that leases which it finds there are a dead one's. Other processes may join
// it to add and to look: SQLite's own locks are enough for that.
//
// A host's due is when it may be claimed: the first time at which one of its URLs is due and the host may be asked; the end of the lease
// while it has one; null with nothing to do. A claim looks at the first entries of the index on it, and at the first of each line of
// the host, which is an index by priority and time: it costs what it gives, however much waits.
//
// Where a crawl has a bound on depth, a table has the links of each page that was read. When a page is found nearer, its row there is marked
// in the same commit; a claim takes the first of the marked ones, adds their links again and takes the marks off.
package frontier
