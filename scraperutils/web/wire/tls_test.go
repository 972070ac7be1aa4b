package wire_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/web/wire"
)

// secure is a host with TLS, and a transport that trusts it.
func secure(t *testing.T, protocols ...string) (*httptest.Server, *wire.Transport) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }))
	s.TLS, s.Config.ErrorLog = &tls.Config{NextProtos: protocols}, log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	w := wire.New(wire.Config{Dial: new(net.Dialer).DialContext, TLS: &tls.Config{RootCAs: roots}, Next: nobody{}, MaxIdle: 2})
	t.Cleanup(w.CloseIdleConnections)
	return s, w
}

func TestTLS(t *testing.T) {
	s, w := secure(t, "h2", "http/1.1")
	for range 3 {
		assert.Equal(t, "HTTP/1.1", mustGet(t, w, s.URL))
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
	require.NoError(t, err)
	response, err := w.RoundTrip(r)
	require.NoError(t, err)
	defer response.Body.Close()
	assert.True(t, response.TLS.HandshakeComplete)
}

func TestCertificateThatNobodyKnows(t *testing.T) {
	s, _ := secure(t)
	w := wire.New(wire.Config{Dial: new(net.Dialer).DialContext, Next: nobody{}})
	var refused error
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{TLSHandshakeDone: func(_ tls.ConnectionState, err error) { refused = err }})
	_, err := get(ctx, w, s.URL)
	var unknown x509.UnknownAuthorityError
	require.ErrorAs(t, err, &unknown)
	assert.ErrorAs(t, refused, &unknown)
}

// A host that wants another protocol is asked by the next transport, which may know it.
func TestHostOfAnotherProtocol(t *testing.T) {
	s, w := secure(t, "another/1")
	_, err := get(t.Context(), w, s.URL)
	assert.ErrorContains(t, err, "Next was asked for "+s.URL)
}
