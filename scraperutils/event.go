package scraperutils

import "time"

// EventKind says what happened to an operation.
type EventKind string

// The kinds of events, in the order in which an operation meets them.
const (
	EventStarted  EventKind = "started"  // the scraper runs for the first time
	EventWaiting  EventKind = "waiting"  // a request was handed over and waits (Host, Request, Wait)
	EventSent     EventKind = "sent"     // the request goes out (Host, Request)
	EventAnswered EventKind = "answered" // its outcome is known, unless it was given up before (Host, Request, Status, Err, Took)
	EventRetried  EventKind = "retried"  // it will be sent again (Host, Request, Status, Err)
	EventResumed  EventKind = "resumed"  // the scraper runs again
	EventOverdue  EventKind = "overdue"  // the scraper has run too long without a request (Stack)
	EventEnded    EventKind = "ended"    // the scraper has returned and its saves are settled (Err)
	EventLeft     EventKind = "left"     // the scraper ignored the end of the run and was left behind (Stack)
)

// Event is one thing that happened to an operation. Fields that a kind does not name are zero.
type Event struct {
	Time    time.Time
	Kind    EventKind
	Label   string // of the operation; "": a request of no operation
	Host    Host
	Request *Request
	Wait    Wait
	Status  int
	Took    time.Duration
	Err     error
	Stack   string
}
