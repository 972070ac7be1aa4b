// Package runlog judges what became of a run, authority by authority, and remembers it.
//
// The end of an authority moves through it like this:
//
//	Outcome ─▶ judged by the authority's History ─▶ Verdict ─▶ tables ─▶ Run, Result, History, timelines
//	Yield of one that ended well ─▶ held against its past when all have ended ─▶ doubted, or not
//
// A Log writes the tables; the functions whose names begin with Read, and Failing, read them. Each column stands in one line of
// tables.go: its name, what is written into it, what is read from it. What readers of a report see of them is in package report.
//
// A row is written as soon as an authority has ended, so a run that is cut short keeps what it knew. Verdicts come from
// typed errors and stored history, never from the texts of errors.
package runlog
