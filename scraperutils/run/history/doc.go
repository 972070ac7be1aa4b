// Package history says what ran over the last 90 days.
//
//	runs, results and yields of runlog ─┬▶ Read: History, a Run each with its sums and its failures by class and platform
//	                                    ├▶ ReadPast: Past, what became of one authority in each of them
//	                                    └▶ Compare: Comparison of two runs, authority by authority
//
// Whether a failure is new, which failures are alike, and what they are likely to mean, package news decides. Package report writes the pages
// of all three. Nothing here writes, and no SQL stands here.
package history
