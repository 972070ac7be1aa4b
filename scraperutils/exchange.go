package scraperutils

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Host is what politeness is counted by: a name and a port.
type Host struct {
	Name string // lower case
	Port string // never empty: 80 and 443 stand for themselves
}

// HostOf returns the host that a URL names.
func HostOf(u *url.URL) Host {
	h := Host{Name: strings.ToLower(u.Hostname()), Port: u.Port()}
	switch {
	case h.Port != "":
	case strings.EqualFold(u.Scheme, "https"):
		h.Port = "443"
	default:
		h.Port = "80"
	}
	return h
}

// String writes the host as people do: the port only where it is not a usual one.
func (h Host) String() string {
	if h.Port == "80" || h.Port == "443" {
		return h.Name
	}
	return h.Name + ":" + h.Port
}

// Request is one request of a scraper. It is not changed after it was handed over.
type Request struct {
	Method string
	URL    *url.URL
	Header http.Header
	Body   []byte // bytes, so that a second try can send them again

	// KeepRedirect asks for a redirect itself instead of what it leads to.
	KeepRedirect bool

	Redirects int // how many were followed to get here; a client's limit is for the whole chain

	// Rendered asks for the document as it is after its scripts, where the client's transport can have it so.
	Rendered bool

	AnyType bool // the answer is wanted whatever its media type
	MaxBody int  // bytes of the answer's body; 0 is the client's own
}

// String names the request in errors and logs.
func (r *Request) String() string { return r.Method + " " + ShownURL(r.URL) }

// Idempotent reports whether sending the request twice does no harm (RFC 9110, 9.2.2).
func (r *Request) Idempotent() bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPut, http.MethodDelete, http.MethodTrace:
		return true
	}
	return false
}

// Response is what came back, whatever its status.
//
// It may stand beside an error, for those who keep a host's pace: the host has answered, but with nothing that the scraper can
// use, and Body is nil. Where Status is 0 the host has not answered at all, and only CrawlDelay is known.
type Response struct {
	URL       *url.URL    // where it came from at last, after redirects on the same host
	Redirects int         // followed so far, those of the request included
	Sent      http.Header // what went out at last, cookies and credentials included; nil where the client does not know
	Status    int
	Header    http.Header
	Body      []byte // decoded; at most what the client allows

	// Took is the server's own time: from sending the request to the end of the body, without waiting in a queue and
	// without the host's robots.txt.
	Took time.Duration

	CrawlDelay time.Duration // that the host's robots.txt asks for; 0 is none
	Sitemaps   []string      // that the host's robots.txt names, as it does; not to be changed
}

// Outcome is what came of one try of a request, for those who keep a host's pace.
type Outcome struct {
	Request  *Request
	Response *Response // may stand beside Err; nil where nothing is known
	Err      error
	Started  time.Time
	Ended    time.Time // delays count from here
	Try      int       // 1 for the first
}

// Status is that of the answer; 0 where there was none.
func (o Outcome) Status() int {
	if o.Response == nil {
		return 0
	}
	return o.Response.Status
}

// Took is the time the server took, as far as it is known.
func (o Outcome) Took() time.Duration {
	if o.Status() != 0 {
		return o.Response.Took
	}
	return o.Ended.Sub(o.Started)
}

// Wait says when something may happen at the earliest, and by which rule.
type Wait struct {
	Until time.Time // zero: at once
	Rule  string    // such as max_load, crawl-delay, Retry-After, back-off, busy host, I/O limit
	Err   error     // not until then: the host is down; with a zero Until not at all
}

// Over reports whether the wait is over at a time.
func (w Wait) Over(now time.Time) bool {
	if w.Err != nil && w.Until.IsZero() {
		return false
	}
	return !w.Until.After(now)
}

// Pace is when one host may be asked. It belongs to the goroutine that schedules, so it needs no locks.
type Pace interface {
	// Earliest returns when the next request may go out if the host is not busy.
	Earliest() Wait
	// Sent is told when a request goes out.
	Sent(at time.Time)
	// Observe takes what came of a request, and reports whether to send it again.
	Observe(o Outcome) (again bool)
	// Revive has a host asked again that was down.
	Revive()
}
