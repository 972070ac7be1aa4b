package browser

import (
	"errors"
	"fmt"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Kind says what ended a page, for callers that decide whether to open it again.
type Kind string

// These are the kinds.
const (
	KindCrash    Kind = "crash"    // its renderer died
	KindHang     Kind = "hang"     // its renderer does not answer
	KindMemory   Kind = "memory"   // its renderer took more than Limits.Memory
	KindNet      Kind = "net"      // no document arrived: a name, a connection, or a certificate failed
	KindLoad     Kind = "load"     // not loaded within Limits.Load, or not done within Limits.Page
	KindGone     Kind = "gone"     // the browser ended, perhaps because of another page: the page may be opened again at once
	KindRefused  Kind = "refused"  // a private address, or neither http nor https: retrying is useless
	KindPassword Kind = "password" // the page asks for a password, and none or a wrong one was given: retrying is useless
)

// PageError says why a page has no Result.
type PageError struct {
	Kind Kind
	URL  string
	Err  error // what else is known; never nil
}

func (e *PageError) Error() string {
	return fmt.Sprintf("%s: %s (%s)", e.Kind, e.Err, scraperutils.WithoutUser(e.URL))
}

func (e *PageError) Unwrap() error { return e.Err }

// Class returns the class of the network's error for KindNet, ClassTimeout for KindLoad and KindHang, ClassHTTP4xx for KindPassword, and
// otherwise ClassOther.
func (e *PageError) Class() scraperutils.Class {
	switch e.Kind {
	case KindNet:
		return scraperutils.ClassOf(e.Err)
	case KindLoad, KindHang:
		return scraperutils.ClassTimeout
	case KindPassword:
		return scraperutils.ClassHTTP4xx
	default:
		return scraperutils.ClassOther
	}
}

// errClosed is why a page ends when its Browser is closed.
var errClosed = errors.New("the browser is closed")
