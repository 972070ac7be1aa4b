package robots

import (
	"net/http"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// laterTries is how many answers in a row may say "later": the first and three more, as of a page. With the last of them the host is
// taken to say what it said before, or to allow everything, as after any other server error.
const laterTries = 4

// saysLater reports whether a host wants its robots.txt to be asked for later, and says when.
func saysLater(r *scraperutils.Response) bool {
	overloaded := r.Status == http.StatusTooManyRequests || r.Status == http.StatusServiceUnavailable
	return overloaded && r.Header.Get("Retry-After") != ""
}

// LaterError reports a host that wants to be left alone for a time before its robots.txt is requested again. The request that needed the
// file can be repeated then. The cache counts such answers, and stops waiting by itself.
type LaterError struct {
	URL      string
	Response *scraperutils.Response // a 429 or 503 with Retry-After
}

func (e *LaterError) Error() string { return e.status().Error() }

// Class returns the class of the status.
func (e *LaterError) Class() scraperutils.Class { return e.status().Class() }

func (e *LaterError) status() *scraperutils.StatusError {
	return &scraperutils.StatusError{Status: e.Response.Status, URL: e.URL}
}
