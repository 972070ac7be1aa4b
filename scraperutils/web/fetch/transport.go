package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/web/wire"
)

// TransportConfig says how requests reach the network.
type TransportConfig struct {
	TLSInsecure bool           // skip the check of certificates, and accept old protocol versions
	Proxy       *url.URL       // nil: none
	RootCAs     *x509.CertPool // nil: the system's
	Timeout     time.Duration  // to connect; 0 is DefaultTimeout

	// These limit how many idle connections are kept, per host and for all hosts together, and for how long.
	MaxIdlePerHost int           // 0 is 2, because a host usually gets one request at a time
	MaxIdle        int           // 0 is any number
	IdleTimeout    time.Duration // 0 is 2 minutes

	// RememberNames is how long the transport remembers the addresses of a host name, for up to 10,000 names. 0 means not at all. It
	// never remembers that a name can't be resolved.
	RememberNames time.Duration

	// Dial replaces the network, for sites on loopback; nil is the network. It resolves names itself.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// These are room for the headers that nearly all answers and requests have, in bytes. A host has a connection with both for as long as
// it is asked for pages. Bodies are read past them.
const (
	readBuffer  = 2 << 10
	writeBuffer = 1 << 10
)

// NewTransport returns a transport. Any number of clients may share it, because it holds connections, not sessions.
func NewTransport(c TransportConfig) *http.Transport {
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	if c.Dial == nil {
		c.Dial = (&net.Dialer{Timeout: c.Timeout, KeepAlive: 30 * time.Second}).DialContext
		if c.RememberNames > 0 {
			c.Dial = newNames(c.RememberNames, c.Dial).dial
		}
	}
	t := &http.Transport{
		Proxy:                  onceOn(c.Proxy),
		DialContext:            c.Dial,
		TLSClientConfig:        &tls.Config{RootCAs: c.RootCAs},
		TLSHandshakeTimeout:    c.Timeout,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // decoder does it, for cassettes keep what was on the wire
		MaxIdleConnsPerHost:    cmp.Or(c.MaxIdlePerHost, 2),
		MaxIdleConns:           c.MaxIdle,
		IdleConnTimeout:        cmp.Or(c.IdleTimeout, 2*time.Minute),
		MaxResponseHeaderBytes: 256 << 10,
		ReadBufferSize:         readBuffer,
		WriteBufferSize:        writeBuffer,
	}
	if c.TLSInsecure {
		t.TLSClientConfig.InsecureSkipVerify = true
		t.TLSClientConfig.MinVersion = tls.VersionTLS10
		t.TLSClientConfig.Renegotiation = tls.RenegotiateOnceAsClient
	}
	return t
}

// NewDirect returns a transport for a client that has thousands of requests in flight: plain requests cost it less, and go out by
// HTTP/1.1. Where there is a proxy, it is as NewTransport's.
func NewDirect(c TransportConfig) http.RoundTripper {
	t := NewTransport(c)
	if c.Proxy != nil {
		return t
	}
	return wire.New(wire.Config{
		Dial: t.DialContext, TLS: t.TLSClientConfig, Timeout: t.TLSHandshakeTimeout, Next: t,
		MaxHeader: int(t.MaxResponseHeaderBytes), MaxIdle: t.MaxIdleConnsPerHost, IdleTimeout: t.IdleConnTimeout,
	})
}
