// Package board serves the report as it is now, an index and a page for each authority, and lets those in who may see the run that goes on.
//
// A request moves through it like this:
//
//	request ─▶ guard: address, token, limits, headers ─▶ page ◀── overview, read from the database at most once a second
//	                                                     └─▶ Config.Live: the run as it tells of itself, and the forms that begin and stop runs
//
// It writes nothing: all that it has is functions that read. It starts no goroutine; those of its requests belong to the server that calls it.
package board
