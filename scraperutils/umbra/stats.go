package umbra

import (
	"sync/atomic"
	"time"
)

// Phase is what is done about a message.
type Phase string

// The phases, in their order.
const (
	PhaseWaiting Phase = "waiting" // for its host, or for a browser
	PhaseOpen    Phase = "open"    // in a browser
	PhaseSending Phase = "sending" // for what came of it to be confirmed
	PhaseAcking  Phase = "acking"
	PhaseLeft    Phase = "left" // it goes back
)

// PageStatus is what a page does.
type PageStatus struct {
	URL      string
	ClientID string
	Phase    Phase
	Since    time.Time // when its message came
	Requests int       // that it has made
}

// Fate is what became of a message.
type Fate string

// The fates.
const (
	FateDone  Fate = "done"
	FateRetry Fate = "retry" // it comes again
	FateDead  Fate = "dead"  // it is where those are that will never be done
)

// PageDone is a message that is settled.
type PageDone struct {
	Fate     Fate
	URL      string // "": the message could not be read
	ClientID string
	Requests int
	Took     time.Duration // waiting for the host included
	Err      error         // why it is not done
}

// Stats is what a worker has done so far.
type Stats struct {
	Begun    int // pages that were opened
	Done     int // messages, by their fate
	Retried  int
	Dead     int
	Returned int    // messages that went back unsettled, or come again by themselves
	Joined   int    // messages that came again while their pages were open
	Known    int    // messages that came again when their pages were done
	Lost     int    // acknowledgments that may be lost; Known are those of them whose messages came again to this worker
	Results  int    // requests that were handed to the broker
	Unrouted int    // of them, those that no queue took
	Troubles int    // what was tried again, of the connections
	Waiting  int    // results that are not on their way to the broker
	Blocked  string // why the broker takes nothing now; "": it does
}

// tally counts. Its methods may be called from any goroutine.
type tally struct {
	begun, done, retried, dead, returned, joined, known, lost, results, unrouted, troubles atomic.Int64
}

func (t *tally) ended(p PageDone) {
	switch p.Fate {
	case FateDone:
		t.done.Add(1)
	case FateRetry:
		t.retried.Add(1)
	case FateDead:
		t.dead.Add(1)
	}
}

// Stats returns what the worker has done so far.
func (w *Worker) Stats() Stats {
	t := &w.tally
	n := func(c *atomic.Int64) int { return int(c.Load()) }
	return Stats{
		Begun: n(&t.begun), Done: n(&t.done), Retried: n(&t.retried), Dead: n(&t.dead), Returned: n(&t.returned), Joined: n(&t.joined),
		Known: n(&t.known), Lost: n(&t.lost), Results: n(&t.results), Unrouted: n(&t.unrouted), Troubles: n(&t.troubles),
		Waiting: w.publisher.Waiting(), Blocked: w.publisher.Blocked(),
	}
}

// Pages returns what every page does.
func (w *Worker) Pages() []PageStatus { return w.ledger.pages() }
