package crawl

import (
	"context"
	"net/http"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Sink is a place that pages go to. One goroutine at a time calls Store. A sink must not keep the body of a page.
type Sink interface {
	// Store returns when all pages are durable. If it returns an error, none of them counts. The worker then calls it again with the same
	// pages, and perhaps more, until it succeeds or the worker ends. So a page may arrive twice, with the same ID.
	Store(ctx context.Context, pages []*Page) error
	// Close closes the sink: later calls of Store return an error. It may be called while Store runs, and more than once.
	Close() error
}

// Page is a wanted answer.
type Page struct {
	ID       string // of the visit
	URL      string // as requested
	Final    string // after redirects on the same host
	Host     scraperutils.Host
	Request  *scraperutils.Request
	Status   int
	Header   http.Header // of the answer
	Body     []byte      // decoded
	Type     string      // the media type that the answer declares
	Digest   string      // SHA-256 of the body, in hexadecimal; a different digest if there are no sinks
	At       time.Time   // when it was requested
	Took     time.Duration
	Attempts int
	Depth    int
	Via      string

	// Unchanged means that the page has not changed since the last visit: the answer was a 304, or has the same digest. A 304 has no
	// body.
	Unchanged bool
	Before    time.Time // the last visit of an unchanged page
}
