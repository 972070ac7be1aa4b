// Package postgres keeps a crawl's frontier in a PostgreSQL database, which workers on several machines share.
//
// A call moves through it like this:
//
//	Add, Complete ─▶ peek: hosts and URLs at the places of their hashes; what is known needs nothing more
//	                 lock: new hosts inserted, then the hosts of the others and of the leases, in the order of their IDs ───▶ hosts
//	                 read: URLs that may change, bounds of paths; tokens are compared; all is decided here
//	                 write: URLs; then what to go on with, and when a host's next URL is due, are read ────────────────────▶ urls
//	Claim ─────────▶ lock: hosts that are due, passing over those that somebody else has locked; read: their first URLs
//	Renew, Retry       │
//	                   ▼
//	commit ────────▶ hosts, with what is counted of them, totals, the mark, in one round trip with the commit
//
//	Due, Counts, Hosts, URLs ── one transaction that only reads ──▶
//
// The lock of a host is the lock of all that is the host's: its URLs are added and changed under it alone. Hosts are locked in one
// order, so nobody waits in a circle; a known link, which most are, locks nothing. Statements take arrays, so a call is three or four
// round trips whatever it carries.
//
// A transaction that was in another one's way, or lost its connection, is done again from the start. Where it was lost between the
// commit and its answer, the mark that it would have left says whether it happened: what is done once counts once.
//
// Times are the server's, so that workers agree on when a lease ends, whatever their clocks say. What callers say in their own time is
// converted in each transaction. OnWork, by LISTEN and NOTIFY, is a hint; what is due is asked of the table.
//
// It keeps to what engines that speak PostgreSQL's language can do: no sequences, temporary tables, functions or advisory locks.
package postgres
