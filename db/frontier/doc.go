// Package frontier keeps a crawl's frontier in one SQLite file. The frontier is the store of every URL that a crawl knows, and when each
// is due.
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
// One goroutine owns the one connection that writes, and callers that wait share its commits. If a job fails, the other jobs of its
// commit are repeated, each in its own commit. The rows of leased hosts stay in memory until another process writes to the file. What a
// call has acknowledged survives the death of the process at any moment.
//
// A worker has the file to itself, by the lock beside it. So the leases that it finds in the file belong to a dead worker. Other
// processes may join it to add and to look. SQLite's own locks are enough for that.
//
// A host's due is the time when it may be claimed: the first time when one of its URLs is due and the host may be asked. While the host
// is leased, due is the end of the lease. It is null if there is nothing to do. A claim looks at the first entries of the index on due,
// and at the first URL of each of the host's lines, in an index by priority and time. So it costs what it returns, however much waits.
//
// If a crawl limits the depth, a table holds the links of each page that was read. When a page is found nearer, the same commit marks its
// row in that table. A claim takes the first marked rows, adds their links again, and removes the marks.
package frontier
