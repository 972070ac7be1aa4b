package browser

import (
	"net/http"
	"time"
)

// Visit is one page to open.
type Visit struct {
	URL       string            // http or https
	UserAgent string            // "" is the Options'
	Username  string            // given once, to the host of URL, where it asks for a password
	Password  string            // beside Username
	Header    map[string]string // sent with the page's own request; may be nil

	Parameters       map[string]any // replace those of the behavior that matches (a message's behaviorParameters); may be nil
	WithoutBehaviors bool           // the page is left alone until it is done
	Outlinks         bool           // Result.Outlinks is wanted

	// OnRequest is told of each request that the page sends, once it is known whole, redirects hop by hop. One goroutine at a time
	// calls it. It should not wait for long: the page waits for it. Nil: nobody is told.
	OnRequest func(Request)
}

// Request is one request as it went out.
type Request struct {
	URL      string // without a fragment
	Method   string
	Header   map[string]string // as sent, those of HTTP/2 that begin with a colon left out; lines of one name are joined by line feeds
	PostData *string           // the body as text; nil: none
	Body     []byte            // the same bytes
}

// Result is what has come of a page.
type Result struct {
	URL       string      // of the final document
	Status    int         // of its answer
	Header    http.Header // of its answer
	Redirects int         // that led to it
	HTML      string      // of the final document, after its scripts
	Outlinks  []string    // of all frames, without fragments, once each, in order; nil unless wanted
	Downloads []string    // URLs of files that it wanted to save; none was
	Requests  int         // that it sent
	Took      time.Duration
}

// PageStatus is what a page is doing.
type PageStatus struct {
	URL      string
	Phase    Phase
	Since    time.Time // when the phase began
	Began    time.Time // when the page did
	Open     int       // requests without an answer
	Requests int       // sent so far
	Action   string    // what a behavior did last, such as "click .more"; "" for nothing
}

// Phase is a part of a page's life.
type Phase string

// The phases.
const (
	PhaseOpening   Phase = "opening"   // a context and a window
	PhaseLoading   Phase = "loading"   // until the load event
	PhaseBehaviors Phase = "behaviors" // until it is done
	PhaseReading   Phase = "reading"   // its document and links
	PhaseClosing   Phase = "closing"
)
