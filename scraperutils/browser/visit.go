package browser

import (
	"net/http"
	"time"
)

// Visit is a page to open.
type Visit struct {
	URL       string            // http or https
	UserAgent string            // "" is the Options'
	Username  string            // given once, if the host of URL asks for a password
	Password  string            // goes with Username
	Header    map[string]string // sent with the page's own request; may be nil

	Parameters       map[string]any // replace those of the matching behavior (a message's behaviorParameters); may be nil
	WithoutBehaviors bool           // leave the page alone until it is done
	Outlinks         bool           // fill in Result.Outlinks

	// OnRequest is called with each request that the page sends, once it is completely known, and with each hop of a redirect. One
	// goroutine at a time calls it. It should return soon, because the page waits for it. It may be nil.
	OnRequest func(Request)
}

// Request is a request as it went out.
type Request struct {
	URL      string // without a fragment
	Method   string
	Header   map[string]string // as sent, without HTTP/2 pseudo-headers, which begin with a colon; line feeds join lines with the same name
	PostData *string           // the body as text; nil: none
	Body     []byte            // the same bytes
}

// Result is the result of opening a page.
type Result struct {
	URL       string      // of the final document
	Status    int         // of the document's answer
	Header    http.Header // of the document's answer
	Redirects int         // that led to the document
	HTML      string      // of the final document, after its scripts
	Outlinks  []string    // links of all frames, without fragments, each once, in order; nil unless Visit.Outlinks
	Downloads []string    // URLs of files that the page tried to save; none was saved
	Requests  int         // number of requests sent
	Took      time.Duration
}

// PageStatus says what a page is doing.
type PageStatus struct {
	URL      string
	Phase    Phase
	Since    time.Time // when the phase began
	Began    time.Time // when the page began
	Open     int       // requests without an answer
	Requests int       // sent so far
	Action   string    // what a behavior did last, such as "click .more"; "" if nothing
}

// Phase is a part of a page's life.
type Phase string

// These are the phases.
const (
	PhaseOpening   Phase = "opening"   // making a context and a window
	PhaseLoading   Phase = "loading"   // until the load event
	PhaseBehaviors Phase = "behaviors" // until it is done
	PhaseReading   Phase = "reading"   // reading its document and links
	PhaseClosing   Phase = "closing"
)
