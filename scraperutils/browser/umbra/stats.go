package umbra

import (
	"sync/atomic"
	"time"
)

// Phase says what is happening to a message.
type Phase string

// These are the phases, in order.
const (
	PhaseWaiting Phase = "waiting" // waits for its host, or for a browser
	PhaseOpen    Phase = "open"    // is open in a browser
	PhaseSending Phase = "sending" // waits for its results to be confirmed
	PhaseAcking  Phase = "acking"
	PhaseLeft    Phase = "left" // goes back to the queue
)

// PageStatus says what a page is doing.
type PageStatus struct {
	URL      string
	ClientID string
	Phase    Phase
	Since    time.Time // when its message arrived
	Requests int       // how many it has made
}

// Fate is how a message was settled.
type Fate string

// These are the fates.
const (
	FateDone  Fate = "done"
	FateRetry Fate = "retry" // it comes again
	FateDead  Fate = "dead"  // it will never be done, and goes to the dead messages
)

// PageDone reports a settled message.
type PageDone struct {
	Fate     Fate
	URL      string // "": the message could not be read
	ClientID string
	Requests int
	Took     time.Duration // including the wait for the host
	Err      error         // why it is not done
}

// Stats counts what a worker has done so far.
type Stats struct {
	Begun    int // pages that were opened
	Done     int // messages, by their fate
	Retried  int
	Dead     int
	Returned int    // messages that went back unsettled, or will come again by themselves
	Joined   int    // messages that came again while their pages were open
	Known    int    // messages that came again when their pages were done
	Lost     int    // acknowledgments that may be lost; Known counts those whose messages came again to this worker
	Results  int    // requests that were passed to the broker
	Unrouted int    // how many of them no queue took
	Troubles int    // errors of the connections that were tried again
	Waiting  int    // results that are not sent to the broker yet
	Blocked  string // why the broker accepts nothing now; "" if it does
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

// Pages returns what each page is doing.
func (w *Worker) Pages() []PageStatus { return w.ledger.pages() }
