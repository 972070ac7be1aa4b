// Package pace is politeness as functions of time: when may a host be asked again?
//
// An answer's time moves through it like this:
//
//	Outcome → Adaptive.Next: a running average of how long the host must rest → the host's not-before time → Wait
//
// Nothing here sleeps, reads a clock or starts a goroutine: times come in with what is observed and go out as a Wait. A
// Limiter is one run's memory of its hosts and belongs to one goroutine, the schedule loop.
package pace
