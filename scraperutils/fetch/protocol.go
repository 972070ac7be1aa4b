package fetch

import (
	"errors"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// protocolError is a host that can't be talked to: its TLS is none that we speak, or what it answers is no HTTP.
type protocolError struct {
	error
	kind scraperutils.Class // ClassTLS or ClassProtocol
}

func (e *protocolError) Unwrap() error { return e.error }

func (e *protocolError) Class() scraperutils.Class { return e.kind }

// classed returns an error that says of which kind it is. Those of the standard library about what it could not read have no types
// of their own, so it is the moment that tells.
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
