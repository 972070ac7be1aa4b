package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/idna"
)

// Config configures a Transport.
type Config struct {
	Dial    func(ctx context.Context, network, address string) (net.Conn, error) // makes connections; required
	TLS     *tls.Config                                                          // nil: the defaults of crypto/tls
	Timeout time.Duration                                                        // of a TLS handshake; 0 is none but the request's
	Next    http.RoundTripper                                                    // sends what a Transport does not; required

	MaxHeader   int           // bytes of the head of an answer; 0 is any number
	MaxIdle     int           // connections that are kept per host while nobody uses them; 0 is none
	IdleTimeout time.Duration // how long they are kept; 0 is for ever
}

// Transport is an http.RoundTripper for plain requests: GET or HEAD without a body. It tells an httptrace.ClientTrace of GetConn,
// GotConn, TLSHandshakeDone, and WroteHeaders. Its methods may be called from any goroutine, but the body of a response is read and
// closed by one at a time.
type Transport struct {
	config Config
	pool   pool
}

// New returns a Transport.
func New(c Config) *Transport {
	if c.TLS == nil {
		c.TLS = new(tls.Config)
	}
	c.TLS = c.TLS.Clone()
	c.TLS.NextProtos = []string{"http/1.1"}
	return &Transport{config: c, pool: pool{max: c.MaxIdle, timeout: c.IdleTimeout, shelves: map[host]*shelf{}}}
}

// CloseIdleConnections closes the connections that are not in use, those of Next as well.
func (t *Transport) CloseIdleConnections() {
	t.pool.close()
	if next, ok := t.config.Next.(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}

// RoundTrip sends a request and reads the head of its answer. If the request's context ends, RoundTrip and the body of the response return
// the context's error.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !plain(r) {
		return t.config.Next.RoundTrip(r)
	}
	ctx := r.Context()
	trace := httptrace.ContextClientTrace(ctx)
	if trace == nil {
		trace = new(httptrace.ClientTrace)
	}
	c, err := t.connection(ctx, r.URL, trace)
	switch {
	case errors.Is(err, errProtocol):
		return t.config.Next.RoundTrip(r)
	case err != nil:
		return nil, cause(ctx, err)
	}
	return c.exchange(r, trace)
}

// plain reports whether a request is one that a Transport sends.
func plain(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || r.Body != nil && r.Body != http.NoBody {
		return false
	}
	if r.URL == nil || r.URL.Scheme != "http" && r.URL.Scheme != "https" || r.URL.Host == "" || r.Close || len(r.Trailer) > 0 {
		return false
	}
	for name, values := range r.Header {
		for _, value := range values {
			if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
				return false
			}
		}
	}
	return true
}

// connection returns a kept connection to a host, or else a new one.
func (t *Transport) connection(ctx context.Context, u *url.URL, trace *httptrace.ClientTrace) (*conn, error) {
	if trace.GetConn != nil {
		trace.GetConn(u.Host)
	}
	to := host{secure: u.Scheme == "https", name: u.Host}
	c, shelf := t.pool.take(to)
	if c == nil {
		dialed, err := t.dial(ctx, u, trace)
		if err != nil {
			t.pool.drop(shelf)
			return nil, err
		}
		c = newConn(dialed, shelf, &t.pool, t.config.MaxHeader)
	}
	if trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{Conn: c.stream})
	}
	return c, nil
}

// dial makes a connection. It returns what the host's messages are read from, which for https is not what was dialed.
func (t *Transport) dial(ctx context.Context, u *url.URL, trace *httptrace.ClientTrace) (streams, error) {
	name, port := u.Hostname(), u.Port()
	if ascii, err := idna.Lookup.ToASCII(name); err == nil {
		name = ascii
	}
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	c, err := t.config.Dial(ctx, "tcp", net.JoinHostPort(name, port))
	if err != nil || u.Scheme == "http" {
		return streams{c, c}, err
	}
	secure, err := t.handshake(ctx, c, name, trace)
	if err != nil {
		_ = c.Close() // the error is the handshake's
	}
	return streams{c, secure}, err
}

// errProtocol reports a host that speaks other protocols than HTTP/1.1.
var errProtocol = errors.New("the host does not speak HTTP/1.1")

// noProtocol is the alert by which a host says so (RFC 7301, 3.2).
const noProtocol = tls.AlertError(120)

func (t *Transport) handshake(ctx context.Context, c net.Conn, name string, trace *httptrace.ClientTrace) (*tls.Conn, error) {
	config := t.config.TLS
	if config.ServerName == "" {
		config = config.Clone()
		config.ServerName = name
	}
	if t.config.Timeout > 0 {
		within, cancel := context.WithTimeout(ctx, t.config.Timeout)
		defer cancel()
		ctx = within
	}
	secure := tls.Client(c, config)
	err := secure.HandshakeContext(ctx)
	var alert *net.OpError
	if errors.As(err, &alert) && alert.Op == "remote error" && alert.Err.Error() == noProtocol.Error() {
		return nil, errProtocol
	}
	if trace.TLSHandshakeDone != nil {
		trace.TLSHandshakeDone(secure.ConnectionState(), err)
	}
	return secure, err
}

// cause returns the error of a context that has ended, or else the one that came of it.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
