// Package news says what is new in a run: which authorities have begun to fail, which still fail, which work again, and what came of
// all of them together.
//
//	outcome of each authority, and its history before the run ─▶ Authority ─▶ Change
//	all of them ─▶ Run ─┬▶ Groups: failures that look alike, together, and what that is likely to mean
//	                    ├▶ Screen: the lines that end a run on a terminal
//	                    ├▶ Text and JSON: what a person is told (package notify sends it)
//	                    └▶ package metrics
//
// Compare is the rule of change and Alike that of groups. They are the only place that decides either: package report asks them too, of
// what the tables of the log know.
//
// A Run does not change once it was made. Nothing here reads a database or knows where the texts go: a terminal's escapes are left
// to the writer.
package news
