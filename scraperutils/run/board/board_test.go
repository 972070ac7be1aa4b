package board_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/run/board"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

const token = "0123456789abcdef"

// night is an overview of a run that goes on: noosa has failed, kyogle is well, hobart is still to come.
func night() *report.Overview {
	o := &report.Overview{
		Database: "/home/somebody/data.sqlite", Made: time.Now(), Days: []string{"2026-03-17"},
		Run: report.Run{ID: "2026-03-17T02:00:00", At: time.Now(), Process: 4711, Unfinished: []string{"hobart"}, Records: 7, Requests: 5,
			Verdicts: map[runlog.Verdict]int{runlog.OK: 1, runlog.Failed: 1}},
	}
	for label, verdict := range map[string]runlog.Verdict{"kyogle": runlog.OK, "noosa": runlog.Failed} {
		a := report.Authority{Label: label, InRun: true, Verdict: verdict, Days: []report.Day{{Verdict: verdict}}, Past: []report.PastRun{{Verdict: verdict}}}
		if verdict.Bad() {
			a.Class, a.Error = "layout", "no table.grid <script>alert(1)</script>"
		}
		o.Authorities = append(o.Authorities, a)
	}
	return o
}

func reading(o *report.Overview, err error) board.Config {
	return board.Config{Read: func(context.Context) (*report.Overview, error) { return o, err }}
}

// ask sends a request as a browser on this machine does, unless a change says otherwise.
func ask(b http.Handler, target string, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080"+target, nil)
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

func TestPages(t *testing.T) {
	b := board.New(reading(night(), nil))
	for target, want := range map[string]string{
		"/": "1 of 2 sites needs attention", "/authority/noosa.html": "no table.grid", "/authority/kyogle.html": "kyogle",
		"/report.json": `"authority": "noosa"`, "/healthz": "ok", "/readyz": "ok",
	} {
		w := ask(b, target, nil)
		assert.Equal(t, http.StatusOK, w.Code, target)
		assert.Contains(t, w.Body.String(), want, target)
	}
	w := ask(b, "/", nil)
	doc, err := goquery.NewDocumentFromReader(w.Body)
	require.NoError(t, err)
	doc.Find("a[href]").Each(func(_ int, s *goquery.Selection) {
		if href := s.AttrOr("href", ""); !strings.HasPrefix(href, "#") {
			assert.Equal(t, http.StatusOK, ask(b, "/"+strings.TrimPrefix(href, "/"), nil).Code, href)
		}
	})
	assert.Equal(t, "/", ask(b, "/index.html", nil).Header().Get("Location"))
	assert.NotContains(t, ask(b, "/", nil).Body.String(), "<script>alert", "text of a site is text")
	for _, target := range []string{"/authority/hobart.html", "/authority/..%2fnow", "/nothing", "/metrics", "/now", "/live"} {
		assert.Equal(t, http.StatusNotFound, ask(b, target, nil).Code, target)
	}
}

// A database that can't be read is no secret, but its error is.
func TestNothingToRead(t *testing.T) {
	w := ask(board.New(reading(nil, report.ErrNoRun)), "/", nil)
	assert.Equal(t, http.StatusNotFound, w.Code)
	assert.Contains(t, w.Body.String(), "no run has been logged")
	assert.Equal(t, http.StatusOK, ask(board.New(reading(nil, report.ErrNoRun)), "/readyz", nil).Code)
	b := board.New(reading(nil, errors.New("open /home/somebody/secret: no")))
	for _, target := range []string{"/", "/readyz", "/report.json"} {
		w := ask(b, target, nil)
		assert.Equal(t, http.StatusServiceUnavailable, w.Code)
		assert.NotContains(t, w.Body.String(), "secret")
	}
	assert.Equal(t, http.StatusOK, ask(b, "/healthz", nil).Code)
}

// However many look, the database is read once a second.
func TestReadOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int32
		b := board.New(board.Config{Read: board.Fresh(func(context.Context) (*report.Overview, error) {
			reads.Add(1)
			time.Sleep(100 * time.Millisecond)
			return night(), nil
		})})
		var all sync.WaitGroup
		for range 60 {
			all.Go(func() { assert.Equal(t, http.StatusOK, ask(b, "/", nil).Code) })
		}
		all.Wait()
		assert.EqualValues(t, 1, reads.Load())
		time.Sleep(time.Second)
		ask(b, "/", nil)
		assert.EqualValues(t, 2, reads.Load())
	})
}

// More than 64 at once are told to come again, and nobody else waits longer for it.
func TestTooManyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open := make(chan struct{})
		b := board.New(board.Config{Read: func(context.Context) (*report.Overview, error) { <-open; return night(), nil }})
		var all sync.WaitGroup
		for range 64 {
			all.Go(func() { assert.Equal(t, http.StatusOK, ask(b, "/", nil).Code) })
		}
		synctest.Wait()
		w := ask(b, "/", nil)
		assert.Equal(t, http.StatusServiceUnavailable, w.Code)
		assert.Equal(t, "1", w.Header().Get("Retry-After"))
		assert.Equal(t, http.StatusOK, ask(b, "/healthz", nil).Code)
		close(open)
		all.Wait()
	})
}

// A hundred requests that have no business here: none is answered with what a board knows.
func TestHostileRequests(t *testing.T) {
	open, closed := board.New(reading(night(), nil)), reading(night(), nil)
	closed.Token = token
	locked := board.New(closed)
	type request struct {
		name   string
		board  http.Handler
		target string
		change func(*http.Request)
	}
	var all []request
	add := func(name string, b http.Handler, target string, change func(*http.Request)) {
		all = append(all, request{name, b, target, change})
	}
	for _, host := range []string{"evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8080", "169.254.169.254", "0.0.0.0", "[::]", "", "local host", "127.0.0.1@evil.example", "192.168.0.1:8080"} {
		for _, target := range []string{"/", "/report.json", "/now"} {
			add("host "+host, open, target, func(r *http.Request) { r.Host = host })
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "CONNECT", "TRACE", "OPTIONS", "PROPFIND", "get", "X"} {
		add("method "+method, open, "/", func(r *http.Request) { r.Method = method })
		add("method from elsewhere "+method, open, "/report.json", func(r *http.Request) {
			r.Method = method
			r.Header.Set("Origin", "https://evil.example")
			r.Header.Set("Sec-Fetch-Site", "cross-site")
		})
	}
	for _, given := range []string{"", "Bearer", "Bearer ", "Bearer x", "Bearer " + token + "x", "Bearer  " + token, "bearer " + token[:15], "Basic", "Basic !!", "Basic eDp5", "Digest " + token, token, "Bearer " + strings.ToUpper(token), "Bearer " + strings.Repeat("a", 10_000), "Basic OjAxMjM0NTY3ODlhYmNkZQ=="} {
		add("token "+given[:min(20, len(given))], locked, "/", func(r *http.Request) { r.Header.Set("Authorization", given) })
		add("token of metrics", locked, "/healthz", func(r *http.Request) { r.Header.Set("Authorization", given) })
	}
	for _, path := range []string{"/authority/", "/authority/..", "/authority/%2e%2e%2fnow", "/authority/noosa", "/authority/noosa.html/x", "/authority/noosa.html%00", "/authority/" + strings.Repeat("a", 5000), "//evil.example", "/.git/config", "/data.sqlite",
		"/evidence/", "/%00", "/now/", "/events/x", "/authority/<script>", "/authority/NOOSA.html"} {
		add("path "+path, open, "/", func(r *http.Request) { r.URL.Path = path })
	}
	for _, length := range []int64{1, 1 << 40, -1} {
		add("a body", open, "/", func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(strings.NewReader("x")), length })
		add("a form", open, "/now", func(r *http.Request) {
			r.Method, r.Body, r.ContentLength = "POST", io.NopCloser(strings.NewReader("run=all")), length
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		})
	}
	require.GreaterOrEqual(t, len(all), 100)
	for _, each := range all {
		w := ask(each.board, each.target, each.change)
		assert.True(t, w.Code >= 300 && w.Code < 500, "%s %s: %d", each.name, each.target, w.Code)
		assert.NotContains(t, w.Body.String(), "kyogle", each.name)
		assert.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"), each.name)
		assert.Equal(t, "DENY", w.Header().Get("X-Frame-Options"), each.name)
	}
	for _, right := range []func(*http.Request){
		func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) },
		func(r *http.Request) { r.SetBasicAuth("anybody", token); r.Host = "scraper.example" },
	} {
		assert.Equal(t, http.StatusOK, ask(locked, "/", right).Code)
	}
}

func ExampleNew() {
	b := board.New(board.Config{Read: func(context.Context) (*report.Overview, error) { return nil, report.ErrNoRun }})
	w := httptest.NewRecorder()
	b.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/", nil))
	fmt.Print(w.Code, " ", w.Body)
	// Output: 404 no run has been logged in this database yet
}
