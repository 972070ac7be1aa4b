package fetch

import (
	"errors"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// protocolError reports a host that can't be talked to: it speaks no TLS version that we know, or its answer is no HTTP.
type protocolError struct {
	error
	kind scraperutils.Class // ClassTLS or ClassProtocol
}

func (e *protocolError) Unwrap() error { return e.error }

func (e *protocolError) Class() scraperutils.Class { return e.kind }

// classed returns an error with a class. Errors of the standard library about unreadable answers have no types of their own, so the
// stage of the exchange decides.
func (x *exchange) classed(err error) error {
	var own interface{ Class() scraperutils.Class }
	switch {
	case scraperutils.ClassOf(err) != scraperutils.ClassOther, errors.As(err, &own):
		return err
	case x.sent.Load():
		return &protocolError{err, scraperutils.ClassProtocol}
	case x.refused.Load():
		return &protocolError{err, scraperutils.ClassTLS}
	}
	return err
}
