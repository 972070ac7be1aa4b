// Package report presents the outcome of a run to its readers.
//
//	outcomes of a run ─▶ Report: the final table, and what was not expected
//	tables of runlog ─▶ Read: Overview of a run and of what those before it left ─▶ Changes, Groups ─┬▶ Text
//	                                                                                                ├▶ JSON
//	                                                                                                └▶ WritePage, WriteIndex, WriteRun, WriteAuthority
//	History, Past and Comparison of package history ─▶ WriteHistory, WriteAuthority, WriteComparison and ComparisonText
//
// A page refers to others by the Links that it is given: those of a server's pages, of files in a folder, or none.
//
// What is new, still bad or recovered, and which failures look like one, package news decides, for this report as for who is told at a
// run's end. Changes and Group ask it of what the tables know: more of the past than a run has in memory.
//
// It knows no SQL and no columns: it reads the tables through package runlog. What a registry says of an authority is given to it.
package report
