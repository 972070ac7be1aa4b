// Package report says what became of a run to those who read it.
//
//	outcomes of a run ─▶ Report: the final table, and what was not expected
//	tables of runlog ─▶ Read: Overview of a run and of what those before it left ─┬▶ Text
//	                                                                            ├▶ JSON
//	                                                                            └▶ WritePage
//
// It knows no SQL and no columns: what it says of the tables comes from the readers of package runlog.
package report
