// Package runlog says what became of a run, authority by authority, and remembers it.
//
// The end of an authority moves through it like this:
//
//	Outcome ─▶ Judge, with the authority's History ─▶ Verdict ─▶ scrape_log, authority_history   (Log)
//	   └─▶ Timeline: what it was doing when                 └─▶ Report: the final table, what was not expected
//
// A row is written as soon as an authority has ended, so a run that is cut short keeps what it knew. Verdicts come from
// typed errors and stored history, never from the texts of errors.
package runlog
