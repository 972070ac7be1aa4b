// Package frontiertest tests whether drivers of a crawl's frontier keep their contract, and has a driver in memory.
//
// A driver is tested like this:
//
//	Run(t, driver) ─▶ New: a Place for a test ─▶ Open: a frontier ─┬─▶ cases: one promise of crawl.Frontier each
//	                     (with any hash)          Open again        ├─▶ walks: a seed decides calls and times; the answers of
//	                                                               │   frontier and model, which only counts, are the same
//	                                                               └─▶ sizes: what a claim costs does not grow
//	Main(m, open) ─▶ this process, or one of its children that adds and completes until it is killed
//
// Time is a parameter of the frontier, so nothing here waits. Audit compares what a frontier counts with what is in it, in any test that
// has a frontier.
//
// Memory is a frontier of maps and heaps under one mutex. It passes the same suite, and is fast enough to simulate weeks.
package frontiertest
