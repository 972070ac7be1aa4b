package agent_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// site starts a server on loopback and an agent that talks to it.
func site(t *testing.T, handler http.HandlerFunc) (*agent.Agent, string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return newAgent(t, agent.Config{}), server.URL
}

func newAgent(t *testing.T, c agent.Config) *agent.Agent {
	t.Helper()
	transport := fetch.NewTransport(fetch.TransportConfig{})
	t.Cleanup(transport.CloseIdleConnections)
	if c.Fetch.Transport == nil {
		c.Fetch.Transport = transport
	}
	return agent.New(c)
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

func zlibbed(b []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

func TestPageTextIsDecoded(t *testing.T) {
	const page = `<p>Café “quoted” – naïve</p>`
	windows := "<p>Caf\xe9 \x93quoted\x94 \x96 na\xefve</p>"
	for name, c := range map[string]struct {
		body            string
		contentType     string
		contentEncoding []string
		want            string
	}{
		"as it is":                      {page, "text/html; charset=utf-8", nil, page},
		"gzip":                          {string(gzipped([]byte(page))), "text/html; charset=utf-8", []string{"gzip"}, page},
		"gzip,gzip done once":           {string(gzipped([]byte(page))), "text/html; charset=utf-8", []string{"gzip,gzip"}, page},
		"gzip,gzip done twice":          {string(gzipped(gzipped([]byte(page)))), "text/html; charset=utf-8", []string{"gzip", "gzip"}, page},
		"gzip announced, not done":      {page, "text/html; charset=utf-8", []string{"gzip"}, page},
		"deflate":                       {string(zlibbed([]byte(page))), "text/html; charset=utf-8", []string{"deflate"}, page},
		"empty gzip":                    {"", "text/html", []string{"gzip"}, ""},
		"charset of the header":         {windows, "text/html; charset=windows-1252", nil, page},
		"charset of the meta tag":       {`<meta charset="iso-8859-1">` + windows, "text/html", nil, `<meta charset="iso-8859-1">` + page},
		"no charset, UTF-8 content":     {strings.Repeat("x", 2000) + page, "text/html", nil, strings.Repeat("x", 2000) + page},
		"no charset, other content":     {windows, "text/html", nil, page},
		"byte order mark":               {"\ufeff" + page, "text/html", nil, page},
		"UTF-16":                        {"\xff\xfe<\x00p\x00>\x00", "text/html", nil, "<p>"},
		"claims UTF-8 and is not":       {windows, "text/html; charset=utf-8", nil, page},
		"claims UTF-8 and is it partly": {"é \x96 é", "text/html; charset=utf-8", nil, "é – é"},
		"meta tag that lies":            {`<meta charset="iso-8859-1">` + page, "text/html", nil, `<meta charset="iso-8859-1">` + page},
		"XML prolog":                    {`<?xml version="1.0" encoding="iso-8859-1"?><a>` + "\xe9</a>", "application/xml", nil, `<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>`},
		"JSON":                          {`{"a":"é"}`, "application/json", nil, `{"a":"é"}`},
		"unknown charset":               {page, "text/html; charset=klingon", nil, page},
	} {
		t.Run(name, func(t *testing.T) {
			a, base := site(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", c.contentType)
				w.Header()["Content-Encoding"] = c.contentEncoding
				io.WriteString(w, c.body)
			})
			p, err := a.Get(t.Context(), base)
			require.NoError(t, err)
			assert.Equal(t, c.want, p.Text)
		})
	}
}

func TestWhatTheServerSees(t *testing.T) {
	var seen []*http.Request
	a, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r)
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "1"})
		io.WriteString(w, `<a href="two?a=b">next</a>`)
	})
	p, err := a.Get(t.Context(), base+"/one")
	require.NoError(t, err)
	p, err = p.Get(t.Context(), "two?a=b")
	require.NoError(t, err)
	assert.Equal(t, base+"/two?a=b", p.URL.String())

	require.Len(t, seen, 2)
	first, second := seen[0], seen[1]
	assert.Regexp(t, `^Mozilla/5\.0 \(compatible; ScraperUtils/\S+ \d{4}-\d\d-\d\d; \+https://\S+\)$`, first.Header.Get("User-Agent"))
	assert.Equal(t, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", first.Header.Get("Accept"))
	assert.Equal(t, "1", first.Header.Get("Upgrade-Insecure-Requests"))
	assert.Empty(t, first.Header.Get("Referer"))
	assert.Empty(t, first.Cookies())
	assert.Equal(t, base+"/one", second.Header.Get("Referer"))
	require.Len(t, second.Cookies(), 1)
}

func TestStatusIsAnError(t *testing.T) {
	for status, class := range map[int]scraperutils.Class{404: scraperutils.ClassHTTP4xx, 429: scraperutils.ClassRateLimited, 500: scraperutils.ClassHTTP5xx} {
		a, base := site(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(status) })
		_, err := a.Get(t.Context(), base+"/page")
		var s *scraperutils.StatusError
		require.ErrorAs(t, err, &s)
		assert.Equal(t, status, s.Status)
		assert.Equal(t, base+"/page", s.URL)
		assert.Equal(t, class, scraperutils.ClassOf(err))
	}
}

func TestURLsAreReadAsBrowsersReadThem(t *testing.T) {
	for written, want := range map[string]string{
		"/a//b?x=1":              "/a//b?x=1",
		" /a b ":                 "/a%20b",
		"/q?4a='1','2'":          "/q?4a='1','2'",
		"/q?4a=%27A%27,%27B%27":  "/q?4a=%27A%27,%27B%27",
		"/q?a=b c":               "/q?a=b%20c",
		"/caf\u00e9?\u00e9":      "/caf%C3%A9?%C3%A9",
		"/100%":                  "/100%25",
		`/a\b`:                   "/a/b",
		`/a\b?c=d\e`:             `/a/b?c=d\e`,
		`/a#b\c?d`:               "/a",
		"/$P1.ETR?f=%24P1&f=$P1": "/$P1.ETR?f=%24P1&f=$P1",
	} {
		var seen string
		a, base := site(t, func(w http.ResponseWriter, r *http.Request) { seen = r.RequestURI })
		_, err := a.Get(t.Context(), base+"/")
		require.NoError(t, err)
		p, err := a.Get(t.Context(), base+"/")
		require.NoError(t, err)
		_, err = p.Get(t.Context(), written)
		require.NoError(t, err, written)
		assert.Equal(t, want, seen, written)
	}
}

func TestLimits(t *testing.T) {
	t.Run("a body that is too large when it is decoded", func(t *testing.T) {
		bomb := gzipped(make([]byte, fetch.DefaultMaxBody+1))
		a, base := site(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb)
		})
		_, err := a.Get(t.Context(), base)
		var large *scraperutils.TooLargeError
		require.ErrorAs(t, err, &large)
		assert.ErrorContains(t, err, "more than 20 MiB")
	})
	t.Run("a server that never answers", func(t *testing.T) {
		t.Parallel()
		release := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-release }))
		defer server.Close()
		defer close(release)
		a := newAgent(t, agent.Config{Fetch: fetch.Config{Timeout: 2 * time.Second}})
		_, err := a.Get(t.Context(), server.URL)
		var timeout *fetch.TimeoutError
		require.ErrorAs(t, err, &timeout)
		assert.Equal(t, scraperutils.ClassTimeout, scraperutils.ClassOf(err))
		assert.ErrorContains(t, err, "no answer within 2s (GET "+server.URL+")")
	})
	t.Run("half a body", func(t *testing.T) {
		a, base := site(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "half")
		})
		_, err := a.Get(t.Context(), base)
		assert.ErrorContains(t, err, "unexpected EOF")
	})
	t.Run("a content encoding that nobody asked for", func(t *testing.T) {
		a, base := site(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			io.WriteString(w, "xx")
		})
		_, err := a.Get(t.Context(), base)
		assert.ErrorContains(t, err, `content encoding "br"`)
	})
	t.Run("nobody listens", func(t *testing.T) {
		const gone = "http://127.0.0.1:1" // no server of a test is given that port
		_, err := newAgent(t, agent.Config{}).Get(t.Context(), gone)
		assert.Equal(t, scraperutils.ClassConnect, scraperutils.ClassOf(err))
		assert.Equal(t, 1, strings.Count(err.Error(), gone), "the URL stands once in %q", err)
	})
	t.Run("a certificate that nobody signed", func(t *testing.T) {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		defer server.Close()
		_, err := newAgent(t, agent.Config{}).Get(t.Context(), server.URL)
		assert.Equal(t, scraperutils.ClassTLS, scraperutils.ClassOf(err))
		insecure := fetch.NewTransport(fetch.TransportConfig{TLSInsecure: true})
		defer insecure.CloseIdleConnections()
		_, err = newAgent(t, agent.Config{Fetch: fetch.Config{Transport: insecure}}).Get(t.Context(), server.URL)
		assert.NoError(t, err)
	})
	t.Run("the run has ended", func(t *testing.T) {
		release := make(chan struct{})
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := &scheduler.RunTimeoutError{Limit: time.Second}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { cancel(cause); <-release }))
		defer server.Close()
		defer close(release)
		_, err := newAgent(t, agent.Config{}).Get(ctx, server.URL)
		assert.ErrorIs(t, err, cause)
	})
}

// The time a server took is its own, redirects on the way included.
func TestTook(t *testing.T) {
	a, base := site(t, func(w http.ResponseWriter, r *http.Request) {})
	var took time.Duration
	s := scheduler.New(scheduler.Config{OnEvent: []func(scraperutils.Event){func(e scraperutils.Event) { took = max(took, e.Took) }}})
	require.NoError(t, s.Register("kyogle", func(ctx context.Context) error { _, err := a.Get(ctx, base); return err }))
	_, err := s.Run(t.Context())
	require.NoError(t, err)
	assert.Positive(t, took)
}

func TestPasswordsStayOutOfErrorsAndReferrers(t *testing.T) {
	var referrer string
	a, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		referrer = r.Header.Get("Referer")
		if r.URL.Path == "/missing" {
			w.WriteHeader(404)
		}
	})
	u, err := url.Parse(base)
	require.NoError(t, err)
	u.User = url.UserPassword("user", "secret")
	p, err := a.Get(t.Context(), u.String())
	require.NoError(t, err)
	_, err = p.Get(t.Context(), u.String()+"/missing")
	assert.NotContains(t, err.Error(), "secret")
	assert.NotContains(t, referrer, "secret")
	assert.NotEmpty(t, referrer)
}

func ExampleAgent() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `<form action="/search" method="get"><input name="from" value="1/5/2019"><input type="submit" value="Search"></form>`)
	}))
	defer server.Close()

	a := agent.New(agent.Config{Fetch: fetch.Config{Transport: fetch.NewTransport(fetch.TransportConfig{})}})
	page, err := a.Get(context.Background(), server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	form, err := page.Form("form")
	if err != nil {
		fmt.Println(err)
		return
	}
	form.Set("from", "15/5/2019")
	results, err := form.Submit(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(results.URL.RequestURI())
	// Output: /search?from=15%2F5%2F2019
}

// A timeout before there is a connection is another failure than one after.
func TestTimeoutWhileConnecting(t *testing.T) {
	transport := fetch.NewTransport(fetch.TransportConfig{Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	defer transport.CloseIdleConnections()
	a := newAgent(t, agent.Config{Fetch: fetch.Config{Transport: transport, Timeout: 50 * time.Millisecond}})
	_, err := a.Get(t.Context(), "http://a.example/")
	assert.ErrorContains(t, err, "no connection within 50ms (GET http://a.example/)")
	assert.Equal(t, scraperutils.ClassConnect, scraperutils.ClassOf(err))
	assert.True(t, scraperutils.Unreached(err))
}
