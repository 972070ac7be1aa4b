package browsecmd_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// site serves pages of some kinds: /KIND/N/ is a page, all else below it is what the page asks for. Those of kind held come when they are released.
// It keeps what it was asked for.
type site struct {
	*httptest.Server

	open    chan struct{} // closed when pages that are held come
	release func()        // closes it
	robots  atomic.Int64  // how often robots.txt was asked for

	mu    sync.Mutex      // guards the rest
	asked map[string]bool // URLs
}

// kinds are the pages by their kind; ROOT is where what they ask for is, OTHER the same place by another name.
var kinds = map[string]string{
	"static": `<link rel=stylesheet href=ROOT/a.css><script src=ROOT/a.js></script><img src=ROOT/1.png><img src=ROOT/2.png><a href=ROOT/next>next</a>`,
	"late":   `<script>setTimeout(() => fetch('ROOT/late.json').then(() => setTimeout(() => fetch('ROOT/later.json'), 1000)), 1500)</script>`,
	"post":   `<script>fetch('ROOT/form', {method: 'POST', body: 'a=1&b=ä'}); navigator.sendBeacon('ROOT/beacon', 'bye')</script>`,
	"frame":  `<iframe src=OTHER/inner></iframe><iframe src="data:text/html,<p>hello"></iframe>`,
	"worker": `<script>new Worker('ROOT/worker.js'); fetch('ROOT/page.json')</script>`,
	"scroll": `<div id=all style="height:1500px"></div><script>
		let n = 0; const watch = new IntersectionObserver(e => { if (e[0].isIntersecting && n < 4) { fetch('ROOT/item' + n++);
		const d = document.createElement('div'); d.style.height = '900px'; all.after(d); watch.unobserve(end); document.body.append(end); watch.observe(end) } });
		const end = document.createElement('p'); end.textContent = 'end'; document.body.append(end); watch.observe(end)</script>`,
	"endless": `<img src=ROOT/1.png><script>addEventListener('load', () => { for (;;) {} })</script>`,
	"eater":   `<script>addEventListener('load', () => { const all = []; setInterval(() => { for (let i = 0; i < 10; i++) all.push(new Uint8Array(8<<20).fill(7)) }, 20) })</script>`,
}

func newSite(t testing.TB) *site {
	s := &site{asked: map[string]bool{}, open: make(chan struct{})}
	s.release = sync.OnceFunc(func() { close(s.open) })
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() { s.release(); s.Close() })
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if r.URL.Path == "/favicon.ico" {
		return
	}
	if r.URL.Path == "/robots.txt" {
		s.robots.Add(1)
		_, _ = io.WriteString(w, "User-agent: *\nDisallow: /private/\n")
		return
	}
	s.mu.Lock()
	s.asked["http://"+r.Host+r.URL.RequestURI()] = true
	s.mu.Unlock()
	parts := strings.SplitN(strings.Trim(r.URL.Path, "/"), "/", 3)
	switch {
	case len(parts) == 2:
		if parts[0] == "held" {
			select {
			case <-s.open:
			case <-r.Context().Done():
				return
			}
		}
		root := fmt.Sprintf("/%s/%s", parts[0], parts[1])
		other := "http://" + strings.Replace(r.Host, "127.0.0.1", "localhost", 1) + root
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!doctype html><title>page</title><body>"+strings.NewReplacer("ROOT", root, "OTHER", other).Replace(kinds[parts[0]]))
	case strings.HasSuffix(r.URL.Path, ".js"):
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = io.WriteString(w, "fetch('from-script.json')")
	case strings.HasSuffix(r.URL.Path, ".css"):
		w.Header().Set("Content-Type", "text/css")
	case strings.HasSuffix(r.URL.Path, ".png"):
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg"/>`)
	default:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<p>inner")
	}
}

// requests returns the URLs that were asked for.
func (s *site) requests() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for url := range s.asked {
		all = append(all, url)
	}
	return all
}
