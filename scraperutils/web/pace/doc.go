// Package pace is politeness as functions of time: when may a host be asked again, and is a request worth another try?
//
// The outcome of a request moves through it like this:
//
//	Outcome ─┬─ fine or useless: Adaptive.Next, crawl-delay, random delay → when the next request may go out
//	         ├─ overloaded (429, 503): Retry-After, or a back-off that doubles → how long the host is held; again
//	         ├─ broken (5xx, reset, timeout): again, once
//	         └─ not reached: again, once; then the host is down, for as long as the rules say
//
// If a host may have several requests in flight, the next one keeps its distance from the start of the previous one instead: Sent →
// MinInterval, crawl-delay, or the average answer time divided by the number of requests in flight.
//
// Nothing here sleeps, reads a clock, or starts a goroutine. Times come in with what is observed, and go out as a Wait. A Limiter holds
// the rules. A Pace holds what is known of one host, and belongs to one goroutine, the schedule loop.
package pace
