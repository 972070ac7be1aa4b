package crawlcmd_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// ledger is hosts of any name behind one proxy, which write down each request.
type ledger struct {
	*httptest.Server
	latency time.Duration

	mu   sync.Mutex // guards the rest
	seen []seen
}

// seen is one request as its host saw it.
type seen struct {
	url, host, agent string
	began, ended     time.Time
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
	s.ended = time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = append(l.seen, s)
}

func (l *ledger) proxy() string { return strings.TrimPrefix(l.URL, "http://") }

func (l *ledger) total() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.seen)
}

// byHost returns all requests, host by host, in the order of time.
func (l *ledger) byHost() []seen {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.Clone(l.seen)
	slices.SortFunc(all, func(a, b seen) int { return cmp.Or(cmp.Compare(a.host, b.host), a.began.Compare(b.began)) })
	return all
}

// least returns the least time from an answer's end to the next request of its host; below zero they overlapped.
func (l *ledger) least() time.Duration {
	all, least := l.byHost(), time.Hour
	for i := range len(all) - 1 {
		if a, b := all[i], all[i+1]; a.host == b.host {
			least = min(least, b.began.Sub(a.ended))
		}
	}
	return least
}

// silence returns the longest time without a request to any host, between two times.
func (l *ledger) silence(from, until time.Time) (longest time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	times := []time.Time{from, until}
	for _, s := range l.seen {
		if s.began.After(from) && s.began.Before(until) {
			times = append(times, s.began)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	for i := range len(times) - 1 {
		longest = max(longest, times[i+1].Sub(times[i]))
	}
	return longest
}

// agents returns how many requests came from each worker.
func (l *ledger) agents() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := map[string]int{}
	for _, s := range l.seen {
		n[s.agent]++
	}
	return n
}
