// Package report presents the outcome of a run to its readers.
//
//	outcomes of a run ─▶ Report: the final table, and what was not expected
//	tables of runlog ─▶ Read: Overview of a run and of what those before it left ─▶ Changes, Groups ─┬▶ Text
//	                                                                                                ├▶ JSON
//	                                                                                                └▶ WritePage
//
// Changes says what is new, what is still bad and what has recovered, and Group which failures look like one. They are the only place that
// decides it: whoever tells an operator of a run asks them.
//
// It knows no SQL and no columns: it reads the tables through package runlog. What a registry says of an authority is given to it.
package report
