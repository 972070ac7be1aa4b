package fetch_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// The loop calls it.
var _ scheduler.Client = (*fetch.Client)(nil)

// serve starts a server on loopback and a client that talks to it.
func serve(t *testing.T, c fetch.Config, handler http.HandlerFunc) (*fetch.Client, string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	transport := fetch.NewTransport(fetch.TransportConfig{})
	t.Cleanup(transport.CloseIdleConnections)
	c.Transport = transport
	return fetch.New(c), server.URL
}

func get(t testing.TB, link string) *scraperutils.Request {
	t.Helper()
	u, err := url.Parse(link)
	require.NoError(t, err)
	return &scraperutils.Request{Method: http.MethodGet, URL: u, Header: http.Header{}}
}

// What the server saw is what the response says was sent; cookies are kept only where there is a jar.
func TestWhatIsSent(t *testing.T) {
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		config  fetch.Config
		cookies int // of the second request
	}{
		"without a jar": {fetch.Config{}, 0},
		"with a jar":    {fetch.Config{Jar: jar, UserAgent: "a crawler", Header: http.Header{"Accept": {"text/html"}}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var saw http.Header
			client, base := serve(t, c.config, func(w http.ResponseWriter, r *http.Request) {
				saw = r.Header
				http.SetCookie(w, &http.Cookie{Name: "session", Value: "1"})
			})
			for i := range 2 {
				r := get(t, base+"/page")
				r.Header.Set("If-None-Match", `"1"`)
				r.URL.User = url.UserPassword("user", "secret")
				response, err := client.Do(t.Context(), r)
				require.NoError(t, err)
				assert.Equal(t, saw, response.Sent)
				assert.Len(t, (&http.Request{Header: response.Sent}).Cookies(), i*c.cookies)
				assert.Equal(t, `"1"`, saw.Get("If-None-Match"))
				assert.Equal(t, "gzip, deflate", saw.Get("Accept-Encoding"))
				assert.NotEmpty(t, saw.Get("User-Agent"))
				assert.NotEmpty(t, saw.Get("Authorization"))
				assert.Equal(t, c.config.Header["Accept"], saw["Accept"])
				assert.Equal(t, http.Header{"If-None-Match": {`"1"`}}, r.Header, "the request stays as it was")
			}
		})
	}
}

// The body of an answer that nobody wants is not read; one that is too large is read up to the limit. What answers beside pages say
// counts whatever their type is.
func TestUnwantedAnswers(t *testing.T) {
	for path, c := range map[string]struct {
		status   int
		unwanted string
		text     string
	}{
		"/page":      {200, "", ""},
		"/untyped":   {200, "", ""},
		"/image":     {200, "not-text", `content type "image/png" is not wanted (GET `},
		"/large":     {200, "oversized", "read the body: the body has more than 1000 bytes (GET "},
		"/bomb":      {200, "oversized", "the body has more than 1000 bytes"},
		"/missing":   {404, "", ""},
		"/elsewhere": {302, "", ""},
	} {
		t.Run(path, func(t *testing.T) {
			client, base := serve(t, fetch.Config{MaxBody: 1000, Accept: func(h http.Header) bool {
				return h.Get("Content-Type") == "" || strings.HasPrefix(h.Get("Content-Type"), "text/")
			}}, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "image/png")
				switch path {
				case "/image": // without an end
					forever(w, r)
				case "/large":
					w.Header().Set("Content-Type", "text/html")
					forever(w, r)
				case "/bomb":
					w.Header().Set("Content-Type", "text/html")
					w.Header().Set("Content-Encoding", "gzip")
					z := gzip.NewWriter(w)
					z.Write(make([]byte, 100_000))
					z.Close()
				case "/missing":
					w.WriteHeader(404)
				case "/elsewhere":
					w.Header().Set("Location", "http://b.example/")
					w.WriteHeader(302)
				case "/untyped":
					w.Header()["Content-Type"] = nil
				case "/page":
					w.Header().Set("Content-Type", "text/html")
					w.Write(make([]byte, 1000))
				}
			})
			response, err := client.Do(t.Context(), get(t, base+path))
			require.NotNil(t, response)
			assert.Equal(t, c.status, response.Status)
			assert.NotEmpty(t, response.Sent)
			var unwanted interface{ Unwanted() string }
			if c.unwanted == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorAs(t, err, &unwanted)
			assert.Equal(t, c.unwanted, unwanted.Unwanted())
			assert.ErrorContains(t, err, c.text)
			assert.Nil(t, response.Body)
			assert.Equal(t, scraperutils.ClassOther, scraperutils.ClassOf(err))
		})
	}
}

// forever writes until nobody reads any more.
func forever(w io.Writer, r *http.Request) {
	for r.Context().Err() == nil {
		if _, err := w.Write(make([]byte, 4096)); err != nil {
			return
		}
	}
}

// One client serves many hosts at once.
func TestManyAtOnce(t *testing.T) {
	var tries atomic.Int32
	client, base := serve(t, fetch.Config{OnTry: func(*scraperutils.Request) { tries.Add(1) }}, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Host, r.URL.Path, r.Header.Get("X-Number"))
	})
	_, other := serve(t, fetch.Config{}, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Host, r.URL.Path, r.Header.Get("X-Number"))
	})
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			r := get(t, []string{base, other}[i%2]+fmt.Sprintf("/%d", i))
			r.Header.Set("X-Number", fmt.Sprint(-i))
			response, err := client.Do(t.Context(), r)
			if assert.NoError(t, err) {
				assert.Equal(t, fmt.Sprintf("%s/%d%d", r.URL.Host, i, -i), string(response.Body))
			}
		})
	}
	all.Wait()
	assert.EqualValues(t, 100, tries.Load())
}

// The caller's deadline counts where it is shorter than the client's, with its cause.
func TestDeadlines(t *testing.T) {
	release := make(chan struct{})
	client, base := serve(t, fetch.Config{Timeout: time.Hour}, func(http.ResponseWriter, *http.Request) { <-release })
	t.Cleanup(func() { close(release) }) // before the server's
	cause := errors.New("enough")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, cause)
	defer cancel()
	_, err := client.Do(ctx, get(t, base))
	assert.ErrorIs(t, err, cause)
}

// Requests that no server takes are not sent.
func TestCheck(t *testing.T) {
	client := fetch.New(fetch.Config{})
	for link, want := range map[string]string{
		"http:///page": "GET http:///page: the address names no host",
		"http://a.example/" + strings.Repeat("x", 16<<10): "the address has more than 16 KiB",
	} {
		_, err := client.Do(t.Context(), get(t, link))
		assert.EqualError(t, err, want)
	}
	r := get(t, "http://a.example/")
	r.Body = make([]byte, 12<<20+1)
	_, err := client.Do(t.Context(), r)
	assert.EqualError(t, err, "the form has more than 12 MiB")
}

// Servers that speak HTTP/2 are spoken to by it.
func TestHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	transport := fetch.NewTransport(fetch.TransportConfig{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs})
	defer transport.CloseIdleConnections()
	response, err := fetch.New(fetch.Config{Transport: transport}).Do(t.Context(), get(t, server.URL))
	require.NoError(t, err)
	assert.Equal(t, "HTTP/2.0", string(response.Body))
}

// Connections are kept as the configuration says.
func TestKeptConnections(t *testing.T) {
	usual := fetch.NewTransport(fetch.TransportConfig{})
	assert.Equal(t, []any{2, 0, 2 * time.Minute}, []any{usual.MaxIdleConnsPerHost, usual.MaxIdleConns, usual.IdleConnTimeout})
	large := fetch.NewTransport(fetch.TransportConfig{MaxIdlePerHost: 1, MaxIdle: 5000, IdleTimeout: time.Second})
	assert.Equal(t, []any{1, 5000, time.Second}, []any{large.MaxIdleConnsPerHost, large.MaxIdleConns, large.IdleConnTimeout})
}

func ExampleClient() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "a page") }))
	defer server.Close()

	client := fetch.New(fetch.Config{Transport: fetch.NewTransport(fetch.TransportConfig{RememberNames: time.Minute})})
	u, err := fetch.ParseURL(server.URL + "/a page")
	if err != nil {
		fmt.Println(err)
		return
	}
	response, err := client.Do(context.Background(), &scraperutils.Request{Method: http.MethodGet, URL: u})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(response.Status, response.URL.RequestURI(), string(response.Body))
	// Output: 200 /a%20page a page
}
