package agent

import (
	"errors"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// ProtocolError is a host that can't be talked to: its TLS is none that we speak, or what it answers is no HTTP.
type ProtocolError struct {
	Err  error
	Kind scraperutils.Class // ClassTLS or ClassProtocol
}

func (e *ProtocolError) Error() string { return e.Err.Error() }

func (e *ProtocolError) Unwrap() error { return e.Err }

// Class is e.Kind.
func (e *ProtocolError) Class() scraperutils.Class { return e.Kind }

// classed returns an error that says of which kind it is. Those of the standard library about what it could not read have no types
// of their own, so it is the moment that tells.
func (x *exchange) classed(err error) error {
	var own interface{ Class() scraperutils.Class }
	switch {
	case scraperutils.ClassOf(err) != scraperutils.ClassOther, errors.As(err, &own):
		return err
	case x.sent.Load():
		return &ProtocolError{Err: err, Kind: scraperutils.ClassProtocol}
	case x.refused.Load():
		return &ProtocolError{Err: err, Kind: scraperutils.ClassTLS}
	}
	return err
}
