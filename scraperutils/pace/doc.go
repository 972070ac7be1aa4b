// Package pace is politeness as functions of time: when may a host be asked again, and is a request worth another try?
//
// What came of a request moves through it like this:
//
//	Outcome ─┬─ fine or useless: Adaptive.Next, crawl-delay, random delay → when the next request may go out
//	         ├─ overloaded (429, 503): Retry-After, or a back-off that doubles → how long the host is held; again
//	         ├─ broken (5xx, reset, timeout): again, once
//	         └─ not reached: again, once; then the host is down
//
// Nothing here sleeps, reads a clock or starts a goroutine: times come in with what is observed and go out as a Wait. A
// Limiter is one run's memory of its hosts and belongs to one goroutine, the schedule loop.
package pace
