package crawlcmd_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// web is hosts of any name behind one proxy on loopback: --proxy has a crawl ask it for everything.
type web struct {
	*httptest.Server
	latency time.Duration
	busy    func(url string, asked int) bool                    // answers 503 with Retry-After: 0.05; nil: never
	answer  func(w http.ResponseWriter, url string, n int) bool // answers in its own way; nil: never

	mu      sync.Mutex // guards the rest
	asked   map[string]int
	active  map[string]int // by host
	most    map[string]int // requests at once, by host
	ended   map[string]time.Time
	began   map[string]time.Time     // the latest request of a host
	pages   map[string]int           // by host
	answers map[string]time.Duration // by host, together, where it has one request at a time
	first   time.Time                // request
	gap     time.Duration            // the shortest from an answer of a host to the next request to it
}

func newWeb(t testing.TB) *web {
	w := &web{asked: map[string]int{}, active: map[string]int{}, most: map[string]int{}, ended: map[string]time.Time{}, pages: map[string]int{}, began: map[string]time.Time{}, answers: map[string]time.Duration{}, gap: time.Hour}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

func (w *web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	url, host := r.URL.String(), r.URL.Host
	if r.URL.Path == "/robots.txt" {
		http.NotFound(out, r)
		return
	}
	n := w.begin(url, host)
	time.Sleep(w.latency)
	w.end(host) // before the answer is on its way, so that nobody can be blamed for the time that this takes
	switch {
	case w.answer != nil && w.answer(out, url, n):
	case w.busy != nil && w.busy(url, n):
		out.Header().Set("Retry-After", "0.05")
		http.Error(out, "busy", http.StatusServiceUnavailable)
	default:
		out.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(out, "<title>%s</title>%s", url, strings.Repeat("<p>story", 200))
	}
}

func (w *web) begin(url, host string) (asked int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if at, ok := w.ended[host]; ok && w.active[host] == 0 {
		w.gap = min(w.gap, time.Since(at))
	}
	w.active[host]++
	w.most[host] = max(w.most[host], w.active[host])
	w.asked[url]++
	w.pages[host]++
	w.began[host] = time.Now()
	if w.first.IsZero() {
		w.first = w.began[host]
	}
	return w.asked[url] - 1
}

func (w *web) end(host string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active[host]--
	w.ended[host] = time.Now()
	w.answers[host] += w.ended[host].Sub(w.began[host])
}

// proxy is what --proxy takes.
func (w *web) proxy() string { return strings.TrimPrefix(w.URL, "http://") }

// mostAtOnce is how many requests a host had at once.
func (w *web) mostAtOnce() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.most {
		n = max(n, m)
	}
	return n
}

// late returns, of each host that has answered so many requests, by which part it ended later than it could: from the first request of all
// to its last answer, against the time of its answers and as long a rest between them.
func (w *web) late(pages int) (all []float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for host, n := range w.pages {
		if n == pages && w.active[host] == 0 {
			own := w.answers[host].Seconds() * float64(2*pages-1) / float64(pages)
			all = append(all, w.ended[host].Sub(w.first).Seconds()/own-1)
		}
	}
	return all
}

// total is how many requests there were.
func (w *web) total() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.asked {
		n += m
	}
	return n
}

// list is pages of hosts, a URL a line, host by host in turn.
func list(hosts, pages int) string {
	var b strings.Builder
	for p := range pages {
		for h := range hosts {
			fmt.Fprintf(&b, "http://h%d.example/%d\n", h, p)
		}
	}
	return b.String()
}
