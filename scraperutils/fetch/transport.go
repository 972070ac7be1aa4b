package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"time"
)

// TransportConfig is how requests reach the network.
type TransportConfig struct {
	TLSInsecure bool           // no certificate is checked, and old protocol versions are taken
	Proxy       *url.URL       // nil: none
	RootCAs     *x509.CertPool // nil: the system's
	Timeout     time.Duration  // to connect; 0 is 60 s

	// Dial replaces the network, for sites on loopback; nil is the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// bufferSize is room for the headers that nearly all requests and answers have, in bytes. A connection keeps two, and a host has a
// connection for as long as it is asked for pages. Bodies are read past it.
const bufferSize = 2 << 10

// NewTransport returns a transport that any number of agents may share: it holds connections, not sessions.
func NewTransport(c TransportConfig) *http.Transport {
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Dial == nil {
		c.Dial = (&net.Dialer{Timeout: c.Timeout, KeepAlive: 30 * time.Second}).DialContext
	}
	t := &http.Transport{
		Proxy:                  onceOn(c.Proxy),
		DialContext:            c.Dial,
		TLSClientConfig:        &tls.Config{RootCAs: c.RootCAs},
		TLSHandshakeTimeout:    c.Timeout,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // decoder does it, for cassettes keep what was on the wire
		MaxIdleConnsPerHost:    2,    // a host gets one request at a time
		IdleConnTimeout:        2 * time.Minute,
		MaxResponseHeaderBytes: 256 << 10,
		ReadBufferSize:         bufferSize,
		WriteBufferSize:        bufferSize,
	}
	if c.TLSInsecure {
		t.TLSClientConfig.InsecureSkipVerify = true
		t.TLSClientConfig.MinVersion = tls.VersionTLS10
		t.TLSClientConfig.Renegotiation = tls.RenegotiateOnceAsClient
	}
	return t
}
