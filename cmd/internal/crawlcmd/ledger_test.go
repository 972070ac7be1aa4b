package crawlcmd_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// ledger is hosts of any name behind one proxy, which write down each request.
type ledger struct {
	*httptest.Server
	journal
	latency time.Duration
}

func newLedger(t testing.TB, latency time.Duration) *ledger {
	l := &ledger{latency: latency}
	l.Server = httptest.NewServer(l)
	t.Cleanup(l.Close)
	return l
}

func (l *ledger) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(out, r)
		return
	}
	s := seen{url: r.URL.String(), host: r.URL.Host, agent: r.UserAgent(), began: time.Now()}
	time.Sleep(l.latency)
	out.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(out, "<title>%s</title>%s", s.url, strings.Repeat("<p>story", 200))
	s.status, s.ended = http.StatusOK, time.Now()
	l.note(s)
}

func (l *ledger) proxy() string { return strings.TrimPrefix(l.URL, "http://") }
