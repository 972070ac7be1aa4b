package agent_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// keeps serves requests on connections that it keeps, until it ends one: it reads that request and resets the connection.
func keeps(t *testing.T, ends func(path string) bool) (base string, seen chan string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	seen = make(chan string, 10)
	serve := func(c net.Conn) {
		defer c.Close()
		for in := bufio.NewReader(c); ; {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			io.Copy(io.Discard, r.Body)
			seen <- r.Method + " " + r.URL.Path
			if ends(r.URL.Path) {
				c.(*net.TCPConn).SetLinger(0)
				return
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
	}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return "http://" + listener.Addr().String(), seen
}

// A request that went out on a kept connection which breaks is not sent again behind the scheduler's back.
func TestOneRequestOnTheWire(t *testing.T) {
	for way, transport := range ways(fetch.TransportConfig{}) {
		t.Run(way, func(t *testing.T) { oneRequestOnTheWire(t, transport) })
	}
}

func oneRequestOnTheWire(t *testing.T, transport http.RoundTripper) {
	base, seen := keeps(t, func(path string) bool { return path == "/reset" })
	a := newAgent(t, agent.Config{Fetch: fetch.Config{Transport: transport}})
	for _, path := range []string{"/one", "/two"} {
		_, err := a.Get(t.Context(), base+path)
		require.NoError(t, err)
	}
	_, err := a.Get(t.Context(), base+"/reset")
	assert.Equal(t, scraperutils.ClassConnect, scraperutils.ClassOf(err))
	assert.False(t, scraperutils.Unreached(err), "%v", err)
	_, err = a.Post(t.Context(), base+"/three", agent.Values{{Name: "a", Value: "b"}})
	require.NoError(t, err)
	var all []string
	for range len(seen) {
		all = append(all, <-seen)
	}
	assert.Equal(t, []string{"GET /one", "GET /two", "GET /reset", "POST /three"}, all)
}

// A connection that the server ends while nobody uses it costs nothing.
func TestConnectionThatEndsWhileIdle(t *testing.T) {
	var requests atomic.Int32
	idle := make(chan net.Conn, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	server.Config.ConnState = func(c net.Conn, s http.ConnState) {
		if s == http.StateIdle {
			idle <- c
		}
	}
	server.Start()
	defer server.Close()
	closed := make(chan struct{}, 10)
	transport := fetch.NewTransport(fetch.TransportConfig{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return tellsClose{c, closed}, err
	}})
	defer transport.CloseIdleConnections()
	a := newAgent(t, agent.Config{Fetch: fetch.Config{Transport: transport}})
	for range 5 {
		_, err := a.Get(t.Context(), server.URL)
		require.NoError(t, err)
		require.NoError(t, (<-idle).Close())
		<-closed // the transport has seen it
	}
	assert.EqualValues(t, 5, requests.Load())
}

// tellsClose is a connection that tells when it is closed on this side.
type tellsClose struct {
	net.Conn
	closed chan<- struct{}
}

func (c tellsClose) Close() error {
	c.closed <- struct{}{}
	return c.Conn.Close()
}

// A slow answer is not taken for a missing connection where the transport was making another one that it did not use.
func TestSlowAnswerWhileDialling(t *testing.T) {
	began, release := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/first" {
			close(began)
		}
		<-release
	}))
	defer server.Close()
	var dials atomic.Int32
	dialling := make(chan struct{})
	transport := fetch.NewTransport(fetch.TransportConfig{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials.Add(1) == 2 {
			close(dialling)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}})
	defer transport.CloseIdleConnections()
	first := make(chan error, 1)
	go func() {
		_, err := newAgent(t, agent.Config{Fetch: fetch.Config{Transport: transport}}).Get(t.Context(), server.URL+"/first")
		first <- err
	}()
	<-began
	second := make(chan error, 1)
	go func() {
		_, err := newAgent(t, agent.Config{Fetch: fetch.Config{Transport: transport, Timeout: 2 * time.Second}}).Get(t.Context(), server.URL+"/second")
		second <- err
	}()
	<-dialling
	release <- struct{}{} // the first has its answer, the second its connection
	require.NoError(t, <-first)
	err := <-second
	close(release)
	assert.ErrorContains(t, err, "no answer within 2s")
	assert.False(t, scraperutils.Unreached(err))
}

// The limit of redirects is one for the whole chain, whichever hosts it leads over.
func TestLengthOfRedirects(t *testing.T) {
	var bases [2]string
	handler := func(w http.ResponseWriter, r *http.Request) { // /HOSTS/LEFT: to the other host where HOSTS has an x at LEFT
		hosts, left, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		n, err := strconv.Atoi(left)
		if err != nil || n == 0 {
			return
		}
		host := 0
		if r.Host == strings.TrimPrefix(bases[0], "http://") == (hosts[(n-1)%len(hosts)] == 'x') {
			host = 1
		}
		http.Redirect(w, r, bases[host]+"/"+hosts+"/"+strconv.Itoa(n-1), http.StatusFound)
	}
	var a *agent.Agent
	for i := range bases {
		a, bases[i] = site(t, handler)
	}
	for _, hosts := range []string{"-", "x", "-x", "---x", "x----"} {
		for _, n := range []string{"10", "11"} {
			_, err := a.Get(t.Context(), bases[0]+"/"+hosts+"/"+n)
			var loop *fetch.RedirectError
			if n == "10" {
				assert.NoError(t, err, hosts)
			} else {
				assert.ErrorAs(t, err, &loop, hosts)
			}
		}
	}
}

// What is secure is not told in the open, as a referrer neither, whoever follows the link.
func TestReferrerOfARedirect(t *testing.T) {
	var referrers []string
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		referrers = append(referrers, r.Header.Get("Referer"))
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
		}
	})
	secure, open := httptest.NewTLSServer(handler), httptest.NewServer(handler)
	defer secure.Close()
	defer open.Close()
	transport := fetch.NewTransport(fetch.TransportConfig{TLSInsecure: true})
	defer transport.CloseIdleConnections()
	a := newAgent(t, agent.Config{Fetch: fetch.Config{Transport: transport}})
	p, err := a.Get(t.Context(), secure.URL+"/page")
	require.NoError(t, err)
	to := secure.URL + "/secret?to=" + url.QueryEscape(open.URL)
	_, err = p.Get(t.Context(), to)
	require.NoError(t, err)
	from := open.URL + "/?to=" + url.QueryEscape(secure.URL)
	_, err = a.Get(t.Context(), from)
	require.NoError(t, err)
	assert.Equal(t, []string{"", secure.URL + "/page", "", "", from}, referrers)
}
