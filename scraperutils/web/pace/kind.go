package pace

import (
	"net/http"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// kind is what an outcome means for the host.
type kind int

const (
	fine       kind = iota // a page, or where it is
	useless                // the host may be well, but this is no sign of it: 4xx, a body nobody can read, a request given up
	overloaded             // 429 and 503, whatever their pages say
	broken
	unreached
)

func kindOf(o scraperutils.Outcome) kind {
	class := scraperutils.ClassOf(o.Err)
	switch status := o.Status(); {
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		return overloaded
	case status >= 500:
		return broken
	case scraperutils.Unreached(o.Err):
		return unreached
	case class == scraperutils.ClassTimeout || class == scraperutils.ClassConnect: // with a status: in the middle of the body
		return broken
	case o.Err != nil || status >= 400:
		return useless
	default:
		return fine
	}
}
