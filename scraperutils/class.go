package scraperutils

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
)

// Class says of which kind a failure is, for those who act on it without reading its text.
type Class string

// The classes of failures.
const (
	ClassNone        Class = ""
	ClassDNS         Class = "dns"
	ClassConnect     Class = "connect" // refused, not reached, or broken under way
	ClassTLS         Class = "tls"
	ClassTimeout     Class = "timeout"
	ClassProtocol    Class = "protocol" // an answer that HTTP does not allow here, or that is none
	ClassHTTP3xx     Class = "http-3xx" // a redirect that leads nowhere
	ClassHTTP4xx     Class = "http-4xx"
	ClassHTTP5xx     Class = "http-5xx"
	ClassBlocked     Class = "blocked"
	ClassRateLimited Class = "rate-limited"
	ClassRobots      Class = "robots"
	ClassMaintenance Class = "maintenance"
	ClassLayout      Class = "layout"
	ClassQuality     Class = "quality"
	ClassPanic       Class = "panic"
	ClassStuck       Class = "stuck"
	ClassRunTimeout  Class = "run-timeout"
	ClassOther       Class = "other"
)

// ClassOf returns the class of an error: its own where it (or one that it wraps) has a Class method, else what the
// standard library's network errors tell.
func ClassOf(err error) Class {
	if err == nil {
		return ClassNone
	}
	var classed interface{ Class() Class }
	if errors.As(err, &classed) {
		return classed.Class()
	}
	return networkClass(err)
}

func networkClass(err error) Class {
	var (
		dns  *net.DNSError
		op   *net.OpError
		nerr net.Error
	)
	switch {
	case errors.As(err, &dns):
		return ClassDNS
	case isTLS(err):
		return ClassTLS
	case errors.As(err, &nerr) && nerr.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return ClassTimeout
	case errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error"), errors.Is(err, http.ErrSchemeMismatch):
		return ClassTLS // how crypto/tls tells of alerts, and net/http of a server without TLS
	case errors.As(err, &op), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ClassConnect
	default:
		return ClassOther
	}
}

// Unreached reports whether an error is a failure to reach a host at all: its name, or the connection to it.
func Unreached(err error) bool {
	if err == nil {
		return false
	}
	var (
		dns *net.DNSError
		op  *net.OpError
	)
	return errors.As(err, &dns) || errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect")
}

func isTLS(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		header       tls.RecordHeaderError
		alert        tls.AlertError
		authority    x509.UnknownAuthorityError
		hostname     x509.HostnameError
		invalid      x509.CertificateInvalidError
	)
	return errors.As(err, &verification) || errors.As(err, &header) || errors.As(err, &alert) ||
		errors.As(err, &authority) || errors.As(err, &hostname) || errors.As(err, &invalid)
}
