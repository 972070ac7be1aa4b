// Package pace is politeness as functions of time: when may a host be asked again, and is a request worth another try?
//
// What came of a request moves through it like this:
//
//	Outcome ─┬─ fine or useless: Adaptive.Next, crawl-delay, random delay → when the next request may go out
//	         ├─ overloaded (429, 503): Retry-After, or a back-off that doubles → how long the host is held; again
//	         ├─ broken (5xx, reset, timeout): again, once
//	         └─ not reached: again, once; then the host is down, for as long as the rules say
//
// Where a host may have several requests in flight, the next one keeps its distance from the start of the one before instead:
// Sent → MinInterval, crawl-delay, the average of answers shared by the requests in flight.
//
// Nothing here sleeps, reads a clock or starts a goroutine: times come in with what is observed and go out as a Wait. A Limiter
// holds the rules; what is known of a host is in its Pace, which belongs to one goroutine, the schedule loop.
package pace
