package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

// exchange is one request on its way through the standard library's client, which carries it in the context.
type exchange struct {
	client  *Client
	rules   *robots.Rules // of where a redirect leads
	request *scraperutils.Request
	anyHost bool                   // redirects may lead anywhere
	maxHops int                    // 0 is maxRedirects
	accept  func(http.Header) bool // of a 2xx answer, before its body is read; nil: all are
	enough  int                    // bytes of the body that are wanted, decoded; 0 is all, and more than the client takes an error

	hops       int            // redirects that were followed
	redirected *http.Response // the last of them; nil: none

	// Of the latest hop. The transport tells of them in goroutines of its own.
	connecting atomic.Bool // it waits for a connection
	refused    atomic.Bool // TLS could not be agreed on
	sent       atomic.Bool // its request has been written, perhaps not all of it
}

type exchangeKey struct{}

// in returns the context in which the exchange is done. A transport may make a connection for it and then use another, so it is
// the exchange that is watched, not the making of connections.
func (x *exchange) in(ctx context.Context) context.Context {
	if x.request.Rendered {
		ctx = scraperutils.WithRendered(ctx)
	}
	return httptrace.WithClientTrace(context.WithValue(ctx, exchangeKey{}, x), &httptrace.ClientTrace{
		GetConn:      func(string) { x.connecting.Store(true) },
		GotConn:      func(httptrace.GotConnInfo) { x.connecting.Store(false) },
		WroteHeaders: func() { x.sent.Store(true) },

		TLSHandshakeDone: func(_ tls.ConnectionState, err error) { x.refused.Store(err != nil) },
	})
}

// errLost is a kept connection that broke after a request had gone out on it.
var errLost = &net.OpError{Op: "read", Net: "tcp", Err: errors.New("the connection broke before an answer came")}

// onceOn is a transport's Proxy, for which it asks before each connection that it takes for a request. A request that was
// written to a kept connection which broke is sent again by net/http, at once and unseen (shouldRetryRequest). Tries are the
// scheduler's, so a second connection is refused here.
//
// If the server closed an idle connection, usually nothing has been written, and net/http may take another connection. A request that
// is being written at that moment counts as sent: the next try comes after a pause.
// HTTP/2 repeats by itself only what the server says it has not looked at (RFC 9113, 8.7).
func onceOn(proxy *url.URL) func(*http.Request) (*url.URL, error) {
	return func(r *http.Request) (*url.URL, error) {
		if x, ok := r.Context().Value(exchangeKey{}).(*exchange); ok && x.sent.Load() {
			return nil, errLost
		}
		return proxy, nil
	}
}
