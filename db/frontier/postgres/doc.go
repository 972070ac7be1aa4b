// Package postgres keeps a crawl's frontier in a PostgreSQL database, so that workers on several machines can share it.
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
// The lock of a host covers everything that belongs to the host: its URLs are added and changed only under that lock. All transactions
// lock hosts in the same order, so they never wait in a circle. A known link locks nothing, and most links are known. Statements take
// arrays, so a call is three or four round trips, however much it carries.
//
// A transaction that conflicted with another one, or lost its connection, is repeated from the start. If the connection was lost between
// the commit and its answer, the mark that the commit would have left shows whether it happened, so that everything counts once.
//
// Times are the server's, so that workers agree on when a lease ends, whatever their clocks say. Each transaction converts the times of
// its caller. OnWork, by LISTEN and NOTIFY, is only a hint; the table says what is due.
//
// The package uses only what other engines with PostgreSQL's language support: no sequences, temporary tables, functions, or advisory
// locks.
package postgres
