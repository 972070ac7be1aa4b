// Package egress holds the ways out of the process: to the network, directly or through a proxy, to sites on loopback, or to
// recordings. It also keeps recordings of what was exchanged.
//
//	Config ─▶ Network ─▶ Session, one per site and attempt ─▶ recordings: where --record says, and of failures
//
// A Session is opened by the goroutine that uses it and closed with what became of it; Settle then puts its recording in its
// place, once it is known whether that was a failure.
package egress
