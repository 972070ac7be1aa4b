// Package db stores scrapers' records in one SQLite file.
//
// A record moves through it like this:
//
//	Ledger.Save            writer goroutine                        the file
//	   │ check names,         │
//	   │ values and keys      │
//	   ├── row ──▶ group ────▶│ 10 ms after the group's first row,   │
//	   │                      │ or at once when somebody waits in    │
//	   │                      │ Settle: BEGIN, upsert each row ─────▶│
//	Ledger.Settle             │ (table and columns made on demand)   │
//	   │                      │ COMMIT, with its fsync ─────────────▶│
//	   │◀── done, failures ───┤                                      │
//
// One goroutine owns the one connection that writes, and what is known of the tables. Everybody who waits for the disk waits for the same
// commit. If SQLite refuses a row, only that row fails. If a commit fails, every Ledger that had a row in it gets the error. What Settle
// has acknowledged survives the death of the process at any moment.
//
// Readers have their own connections and see what is committed. The packages that write tables decide which tables there are, and how
// long their rows are kept.
package db
