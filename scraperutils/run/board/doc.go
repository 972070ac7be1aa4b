// Package board serves the report as it is now, an index and a page for each authority, and lets those in who may see the run that goes on.
//
// A request moves through it like this:
//
//	request ─▶ package guard: who may ─▶ bodies, limits ─▶ page ◀── overview, read from the database at most once a second
//	                                                      ├── Config.Past: earlier runs, one alone, two compared, an authority in all of them
//	                                                      └─▶ Config.Live: the run as it tells of itself, and the forms that begin and stop runs
//
// It writes nothing: all that it has is functions that read. It starts no goroutine; those of its requests belong to the server that calls it.
package board
