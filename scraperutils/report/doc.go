// Package report presents the outcome of a run to its readers.
//
//	outcomes of a run ─▶ Report: the final table, and what was not expected
//	tables of runlog ─▶ Read: Overview of a run and of what those before it left ─┬▶ Text
//	                                                                            ├▶ JSON
//	                                                                            └▶ WritePage
//
// It knows no SQL and no columns: it reads the tables through package runlog.
package report
