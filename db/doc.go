// Package db keeps what scrapers read in one SQLite file.
//
// A record moves through it like this:
//
//	Ledger.Save            writer goroutine                        the file
//	   │ check names,         │
//	   │ values and keys      │
//	   ├── row ──▶ group ────▶│ 10 ms after the group's first row,   │
//	   │                      │ or at once when somebody waits in    │
//	   │                      │ Settle: BEGIN, an upsert a row ─────▶│
//	Ledger.Settle             │ (table and columns made on demand)   │
//	   │                      │ COMMIT, with its fsync ─────────────▶│
//	   │◀── done, failures ───┤                                      │
//
// One goroutine owns the one connection that writes, and what is known of the tables. Everybody who waits for the disk
// waits for the same commit. A row that SQLite refuses fails alone; a commit that fails is reported to every Ledger that had a
// row in it. What Settle has acknowledged survives the death of the process at any moment.
//
// Reading goes through connections of its own and sees what is committed. Which tables there are, and how long their rows are
// kept, is for those to say who write them.
package db
