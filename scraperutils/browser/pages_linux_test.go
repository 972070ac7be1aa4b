package browser_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/fixtures/pages"
	"github.com/multiscraper/multiscraper/scraperutils/browser"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// One browser serves most tests of the package. It starts with the first that asks for it.
var (
	shared  = sync.OnceValues(func() (*fixture, error) { started.Store(true); return open(browser.Options{Pages: 10}) })
	started atomic.Bool
)

// dialer connects with a server.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// fixture is a browser that finds the servers of tests.
type fixture struct {
	*browser.Browser
	mu      sync.Mutex
	servers map[string]dialer // by domain; owned by mu
}

func open(o browser.Options) (*fixture, error) {
	f := &fixture{servers: map[string]dialer{}}
	o.Path = os.Getenv("BROWSER")
	o.IgnoreCertificates = true
	o.Dial = f.dial
	o.OnTrouble = func(err error) { fmt.Fprintln(os.Stderr, "trouble:", err) }
	var err error
	f.Browser, err = browser.Open(context.Background(), o)
	return f, err
}

// dial connects with the server whose domain a name ends in.
func (f *fixture) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, _ := net.SplitHostPort(address)
	f.mu.Lock()
	s := f.servers[host[strings.LastIndex(host, ".")+1:]]
	f.mu.Unlock()
	if s == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return s(ctx, network, address)
}

// name gives a server of this machine a name that the browser finds it by, and returns its URL.
func (f *fixture) name(base string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	domain := fmt.Sprintf("t%d", len(f.servers))
	f.servers[domain] = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, strings.TrimPrefix(base, "http://"))
	}
	return "http://" + domain
}

// serve starts pages below a domain of the test's own.
func (f *fixture) serve(t *testing.T) *pages.Server {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	domain := fmt.Sprintf("t%d", len(f.servers))
	s, err := pages.Start(pages.Config{Domain: domain})
	require.NoError(t, err)
	f.servers[domain] = s.Dial
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

func TestMain(m *testing.M) {
	if url := os.Getenv(childURL); url != "" {
		child(url)
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil { // pages rest, most of the time
		panic(err)
	}
	code := m.Run()
	if started.Load() {
		if f, err := shared(); err == nil {
			_ = f.Close()
		}
	}
	os.Exit(code)
}

// chromium returns the shared browser, or skips the test where there is none.
func chromium(t *testing.T) *fixture {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: no browser is started")
	}
	f, err := shared()
	if err != nil && strings.HasPrefix(err.Error(), "no browser") {
		t.Skip(err)
	}
	require.NoError(t, err)
	return f
}

// told collects what a visit tells of.
type told struct {
	mu  sync.Mutex
	all []browser.Request
}

func (l *told) add(r browser.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, r)
}

// perHop are headers of a connection, not of a request.
var perHop = []string{"Host", "Connection", "Content-Length", "Transfer-Encoding", "Te"}

// visited is what has come of a page.
type visited struct {
	kind, scheme string
	server       *pages.Server
	result       *browser.Result
	err          error
	told         told
}

// quick are the kinds of page that are opened where not all tests are run, by http, which is HTTP/1.1, or by https.
var quick = map[string][]string{"forms": {"http"}, "popup": {"http"}, "frames": {"https"}, "service-worker": {"https"}}

// schemes are those by which a kind of page is opened.
func schemes(kind string) []string {
	if testsize.Full() || os.Getenv("BROWSE") == "full" {
		return []string{"http", "https"}
	}
	return quick[kind]
}

// visitAll opens pages of each kind, as many at once as the browser takes: most of the time they rest.
func visitAll(t *testing.T, f *fixture) []*visited {
	var all []*visited
	var done sync.WaitGroup
	for _, kind := range pages.Kinds() {
		for _, scheme := range schemes(kind) {
			p := &visited{kind: kind, scheme: scheme, server: f.serve(t)}
			all = append(all, p)
			done.Go(func() {
				v := browser.Visit{URL: p.server.URL(scheme, kind), OnRequest: p.told.add}
				if kind == "auth" {
					v.Username, v.Password = pages.User, pages.Password
				}
				p.result, p.err = f.Visit(t.Context(), v)
			})
		}
	}
	done.Wait()
	return all
}

// Every request of a page is told of as the server got it, whatever makes it, over HTTP/1.1 and HTTP/2.
func TestRequests(t *testing.T) {
	t.Parallel()
	rounds := 1
	if os.Getenv("BROWSE") == "full" {
		rounds = 10
	}
	for range rounds {
		for _, p := range visitAll(t, chromium(t)) {
			t.Run(p.kind+"/"+p.scheme, func(t *testing.T) {
				require.NoError(t, p.err)
				assert.Equal(t, 200, p.result.Status)
				assert.Len(t, p.told.all, p.result.Requests)
				received := p.server.Received(p.kind)
				compare(t, received, p.told.all)
				if p.scheme == "https" {
					assert.Equal(t, "HTTP/2.0", received[0].Proto)
				}
				t.Log(p.result.Took, len(received))
			})
		}
	}
}

// withoutHeaders are requests whose headers Chromium tells of only as far as it knew them before the network added its own: those of shared
// workers, the script of a service worker, and files that a link says to save.
var withoutHeaders = []string{"/script/shared-imported.js", "/data/sharedworker.json", "/sw.js", "/file/linked.bin"}

// compare holds what a page's visit told of against what its server got.
func compare(t *testing.T, received []pages.Request, told []browser.Request) {
	t.Helper()
	var want, got []string
	for _, r := range received {
		h := map[string]string{}
		for name, values := range r.Header {
			h[name] = strings.Join(values, "\n")
		}
		want = append(want, line(r.Method, r.URL, h, r.Body))
	}
	for _, r := range told {
		got = append(got, line(r.Method, r.URL, r.Header, r.Body))
	}
	slices.Sort(want)
	slices.Sort(got)
	assert.Equal(t, want, got)
}

// line is a request as a line to compare.
func line(method, at string, header map[string]string, body []byte) string {
	h := http.Header{}
	for name, value := range header {
		h.Set(name, value)
	}
	for _, name := range perHop {
		h.Del(name)
	}
	if u, err := url.Parse(at); err == nil && slices.Contains(withoutHeaders, u.Path) {
		h = http.Header{}
	}
	var b bytes.Buffer
	_ = h.Write(&b)
	return fmt.Sprintf("%s %s %q %q", method, at, b.String(), body)
}

// publicOnly connects public.example with a server, and anything else as the network does, by the rules of the browser: it has no private
// addresses.
func publicOnly(s *httptest.Server) func(ctx context.Context, network, address string) (net.Conn, error) {
	real := browser.Dialer(browser.Options{})
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == "public.example:80" {
			return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
		}
		return real(ctx, network, address)
	}
}
