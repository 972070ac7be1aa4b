package workers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/run/status"
	"github.com/multiscraper/multiscraper/scraperutils/run/workers"
)

func TestAddress(t *testing.T) {
	for text, good := range map[string]bool{
		"http://localhost:9090": true, "http://127.0.0.1:9090/": true, "https://workers.example/crawl/": true, "http://[::1]:9090": true, "http://10.0.0.7:9090": true,
		"localhost:9090": false, "": false, "ftp://a:1": false, "file:///etc/passwd": false, "http://": false, "http://me:secret@a:1": false, "http://me@a:1": false,
		"http://a:1/?x=1": false, "http://a:1/?": false, "http://a:1/#x": false, "http://a b": false, "unix:///run/a": false, "http://a:x": false,
	} {
		_, err := workers.Address(text)
		assert.Equal(t, good, err == nil, text)
		if err != nil {
			assert.NotContains(t, err.Error(), "secret")
		}
	}
}

func addresses(t testing.TB, all ...string) (read []*url.URL) {
	t.Helper()
	for _, text := range all {
		u, err := workers.Address(text)
		require.NoError(t, err)
		read = append(read, u)
	}
	return read
}

// watching returns a Watcher that watches until the test ends.
func watching(t testing.TB, w *workers.Watcher) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { w.Watch(ctx); close(done) }()
	t.Cleanup(func() { stop(); <-done })
}

const working = `{"program":"crawl","version":"v1","worker":"host-7","began_at":"2026-11-22T01:17:00Z","state":"working",
	"figures":[{"name":"pages","value":12345,"unit":"pages","total":true}],"slow":["a.example: 3 left, one in 5s (crawl-delay)"],"problems":["no route to b.example"]}`

// Each worker is shown as what it is, and one that does not answer as that, with the reason. The token goes to nobody else.
func TestWorkersAreShown(t *testing.T) {
	var strayed atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	defer elsewhere.Close()
	answer := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			assert.Equal(t, "/status", r.URL.Path)
			if r.Header.Get("Authorization") != "Bearer 0123456789abcdef" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			_, _ = io.WriteString(w, text) // who asked may have heard enough
		}
	}
	cases := []struct {
		name    string
		handler http.HandlerFunc // nil: nobody listens
		up      bool
		says    string
	}{
		{"one that works", answer(working), true, "12,345 pages"},
		{"one that is hostile", answer(`{"state":"waiting","program":"<script>alert(1)</script>","slow":["<img src=x onerror=alert(1)>\u001b[31m"],"figures":[{"name":"</dt>","value":-1.5}]}`), true, "</dt>-1.5"},
		{"one that says too much", answer(strings.Repeat(" ", 1<<20)), false, "more than 65536 bytes"},
		{"a page", answer("<html>"), false, "the answer is no status"},
		{"one that leads elsewhere", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/status", http.StatusFound)
		}, false, "it answered 302 Found"},
		{"one that wants another token", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, false, "it wants a token, and got none or another"},
		{"one with a long head", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) }, false, "exceeded"},
		{"one that hangs up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, false, "EOF"},
		{"nobody", nil, false, "connection refused"},
	}
	var all []string
	for _, c := range cases {
		if c.handler == nil {
			all = append(all, "http://127.0.0.1:1") // no server of a test is given that port
			continue
		}
		server := httptest.NewServer(c.handler)
		defer server.Close()
		all = append(all, server.URL)
	}
	w := workers.New(addresses(t, all...), "0123456789abcdef")
	watching(t, w)
	require.Eventually(t, func() bool { return len(w.Up()) == len(cases) }, time.Minute, 10*time.Millisecond)

	page := httptest.NewRecorder()
	w.Handler("scrape").ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/workers", nil))
	assert.NotContains(t, page.Body.String(), "<script>alert")
	assert.NotContains(t, page.Body.String(), "<img")
	assert.NotContains(t, page.Body.String(), "\x1b")
	assert.Contains(t, page.Header().Get("Content-Security-Policy"), "default-src 'none'")
	document, err := goquery.NewDocumentFromReader(page.Body)
	require.NoError(t, err)
	sections := document.Find(".worker")
	require.Equal(t, len(cases), sections.Length())
	for i, c := range cases {
		text := strings.Join(strings.Fields(sections.Eq(i).Text()), " ")
		assert.Contains(t, text, c.says, c.name)
		assert.Equal(t, c.up, w.Up()[all[i]], c.name)
		assert.Equal(t, !c.up, sections.Eq(i).HasClass("down"), c.name)
		assert.Equal(t, !c.up, strings.Contains(text, "does not answer since 20"), c.name)
	}
	assert.Zero(t, strayed.Load())

	short, err := goquery.NewDocumentFromReader(strings.NewReader(string(w.Section())))
	require.NoError(t, err)
	assert.Contains(t, strings.Join(strings.Fields(short.Find("li").First().Text()), " "), "working, answers since ")
	assert.Contains(t, short.Find("li").First().Text(), "pages: 12,345 pages; last problem: no route to b.example")
	assert.Equal(t, "/workers/short", short.Find("ul").AttrOr("data-from", ""))
}

// transport answers in place of a network.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// A worker is asked every three seconds; how fast its totals grow is known from the second answer on, and anew when it begins anew. One
// that goes away keeps what it said last, and is down since then.
func TestRatesAndSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var says atomic.Pointer[string] // nil: the worker is gone
		say := func(began time.Time, pages int) {
			text := fmt.Sprintf(`{"state":"working","began_at":%q,"figures":[{"name":"pages","value":%d,"total":true},{"name":"ready","value":5}]}`, began.Format(time.RFC3339), pages)
			says.Store(&text)
		}
		began := time.Now()
		say(began, 0)
		w := workers.New(addresses(t, "http://a.example:9090"), "")
		w.Through(transport(func(r *http.Request) (*http.Response, error) {
			assert.Empty(t, r.Header.Get("Authorization"))
			text := says.Load()
			if text == nil {
				return nil, errors.New("no route")
			}
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(*text))}, nil
		}))
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { w.Watch(ctx); close(done) }()
		synctest.Wait()
		first := w.Workers()[0]
		assert.True(t, first.Up)
		assert.Empty(t, first.Rates)
		for i := range 5 {
			say(began, 30*(i+1))
			time.Sleep(3 * time.Second)
			synctest.Wait()
			assert.Equal(t, map[string]float64{"pages": 10}, w.Workers()[0].Rates)
		}
		say(time.Now(), 3)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		assert.Empty(t, w.Workers()[0].Rates, "it began anew")

		says.Store(nil)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		down := time.Now()
		time.Sleep(time.Minute)
		synctest.Wait()
		last := w.Workers()[0]
		assert.Equal(t, map[string]bool{"http://a.example:9090": false}, w.Up())
		assert.Equal(t, down, last.Since)
		assert.Equal(t, "no route", last.Why)
		assert.Equal(t, status.Working, last.Status.State, "what it said last")
		stop()
		<-done
	})
}

// One that says nothing is given up after five seconds, and the end of the server waits for none.
func TestSilentWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := workers.New(addresses(t, "http://a.example:9090"), "")
		w.Through(transport(func(r *http.Request) (*http.Response, error) { <-r.Context().Done(); return nil, r.Context().Err() }))
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { w.Watch(ctx); close(done) }()
		time.Sleep(4 * time.Second)
		assert.Empty(t, w.Up(), "it is being asked")
		time.Sleep(1500 * time.Millisecond)
		assert.Equal(t, "no answer within 5s", w.Workers()[0].Why)
		at := time.Now()
		stop()
		<-done
		assert.Zero(t, time.Since(at))
	})
}
