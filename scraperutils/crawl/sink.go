package crawl

import (
	"context"
	"net/http"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Sink is where pages go. Store is called by one goroutine at a time. It keeps no body of a page.
type Sink interface {
	// Store returns when all pages are durable. After an error none of them counts; it is called again with the same pages, and perhaps
	// more, until it succeeds or its worker ends. So a page may arrive twice, with the same ID.
	Store(ctx context.Context, pages []*Page) error
	// Close ends the use of the sink: Store is an error from then on. It may be called while Store runs, and again.
	Close() error
}

// Page is an answer that is wanted.
type Page struct {
	ID       string // of the visit
	URL      string // as it was asked for
	Final    string // after redirects on the same host
	Host     scraperutils.Host
	Request  *scraperutils.Request
	Status   int
	Header   http.Header // of the answer
	Body     []byte      // decoded
	Type     string      // media type, as the answer says
	Digest   string      // SHA-256 of the body, hexadecimal; another one where there are no sinks
	At       time.Time   // when it was asked for
	Took     time.Duration
	Attempts int
	Depth    int
	Via      string

	// Unchanged is a page that is as it was at the last visit: a 304, or the same digest. A 304 has no body.
	Unchanged bool
	Before    time.Time // the last visit of an unchanged page
}
