package wire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/web/wire"
)

// nobody is a Next that fails a test where it is asked.
type nobody struct{}

func (nobody) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, errors.New("Next was asked for " + r.URL.String())
}

// network is a Dial with connections to hosts that are functions.
type network struct {
	host  func(net.Conn) // has one connection; it is closed when the function returns
	dials atomic.Int32
}

func (n *network) dial(context.Context, string, string) (net.Conn, error) {
	n.dials.Add(1)
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		n.host(server)
	}()
	return client, nil
}

// transport has connections to a host that is a function, in a bubble.
func transport(t testing.TB, host func(net.Conn)) (*wire.Transport, *network) {
	n := &network{host: host}
	w := wire.New(wire.Config{Dial: n.dial, Next: nobody{}, MaxHeader: 4 << 10, MaxIdle: 2, IdleTimeout: time.Minute})
	t.Cleanup(w.CloseIdleConnections)
	return w, n
}

// answers is a host that gives an answer to each request of a connection.
func answers(answer string) func(net.Conn) {
	return func(c net.Conn) {
		for asked(c) {
			if _, err := io.WriteString(c, answer); err != nil {
				return
			}
		}
	}
}

// asked reads a request without a body, and reports whether there was one.
func asked(c net.Conn) bool {
	var all strings.Builder
	for one := make([]byte, 1<<10); !strings.HasSuffix(all.String(), "\r\n\r\n"); {
		n, err := c.Read(one)
		if err != nil {
			return false
		}
		all.Write(one[:n])
	}
	return true
}

// get gets a page, and returns its body.
func get(ctx context.Context, w http.RoundTripper, url string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := w.RoundTrip(r)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}

func mustGet(t *testing.T, w http.RoundTripper, url string) string {
	t.Helper()
	body, err := get(t.Context(), w, url)
	require.NoError(t, err)
	return body
}
