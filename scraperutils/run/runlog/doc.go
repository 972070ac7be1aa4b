// Package runlog judges what became of a run, authority by authority, and remembers it.
//
// The end of an authority moves through it like this:
//
//	Outcome ─▶ judged by the authority's History ─▶ Verdict ─▶ tables ─▶ Run, Result, History, timelines
//	Yield of one that ended well ─▶ held against its past when all have ended ─▶ doubted, or not
//
// The log of each attempt is the gem's, and goes after 30 days as it does there; what became of an authority in a run is kept for 90 in a table
// of its own. Whoever reads results reads both: of a run that one does not have, the other is asked.
//
// A Log writes the tables; the functions whose names begin with Read, and Failing, read them. Each column stands in one line of
// tables.go: its name, what is written into it, what is read from it. What readers of a report see of them is in package report.
//
// A row is written as soon as an authority has ended, so a run that is cut short keeps what it knew. Verdicts come from
// typed errors and stored history, never from the texts of errors.
package runlog
