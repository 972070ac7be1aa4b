package browser

import (
	"errors"
	"fmt"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Kind says what ended a page, for those who decide whether to open it again.
type Kind string

// The kinds.
const (
	KindCrash    Kind = "crash"    // its renderer died
	KindHang     Kind = "hang"     // its renderer answers nothing
	KindMemory   Kind = "memory"   // its renderer took more than Limits.Memory
	KindNet      Kind = "net"      // no document came: a name, a connection, a certificate
	KindLoad     Kind = "load"     // not loaded within Limits.Load, or not over within Limits.Page
	KindGone     Kind = "gone"     // the browser ended, perhaps by a neighbor's doing: the page may be opened again at once
	KindRefused  Kind = "refused"  // an address that is not to be asked, or no http or https: useless to try again
	KindPassword Kind = "password" // the page asks for a password, and none or a wrong one was given: useless to try again
)

// PageError says why there is no Result of a page.
type PageError struct {
	Kind Kind
	URL  string
	Err  error // what is known beside Kind; never nil
}

func (e *PageError) Error() string {
	return fmt.Sprintf("%s: %s (%s)", e.Kind, e.Err, scraperutils.WithoutUser(e.URL))
}

func (e *PageError) Unwrap() error { return e.Err }

// Class is that of the network's error for KindNet, ClassTimeout for KindLoad and KindHang, ClassHTTP4xx for KindPassword, else ClassOther.
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
