// Package workers shows what workers elsewhere do: crawls, browsers and streams that a server asks for their status every few seconds.
//
//	Watcher: a goroutine for each address ─▶ GET ADDRESS/status ─▶ status.Read ─▶ Worker ─┬▶ Handler: /workers, and its parts for a script
//	                                                                                      ├▶ Section: a few lines for another page
//	                                                                                      └▶ Up, for package metrics
//
// A worker is not trusted: its answer is bounded in time and size, it leads nowhere else, and templates escape its text.
package workers
