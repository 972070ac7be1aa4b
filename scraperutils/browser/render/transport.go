package render

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Transport is an http.RoundTripper. It passes a GET without a body that wants a rendered document (scraperutils.WantsRendered) to a
// Renderer, and every other request to another transport.
//
// If a document has another URL than the requested one, the answer is a redirect to that URL. The client follows it like any other
// redirect, and gets the document, which the Transport keeps until then.
type Transport struct {
	Renderer *Renderer
	Refusal  error // if not nil, such requests get this error instead
	Next     http.RoundTripper

	mu   sync.Mutex // guards kept
	kept []*Document
}

// mostKept is how many documents wait for who was redirected to them.
const mostKept = 16

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !scraperutils.WantsRendered(r.Context()) || r.Method != http.MethodGet || r.Body != nil && r.Body != http.NoBody {
		return t.Next.RoundTrip(r)
	}
	if t.Refusal != nil {
		return nil, t.Refusal
	}
	d := t.take(r.URL)
	if d == nil {
		var err error
		if d, err = t.Renderer.Get(r.Context(), Ask{URL: r.URL.String(), UserAgent: r.Header.Get("User-Agent"), Header: passed(r.Header)}); err != nil {
			return nil, err
		}
		if to, err := url.Parse(d.URL); err == nil && !same(to, r.URL) {
			t.keep(d)
			return response(r, http.StatusTemporaryRedirect, http.Header{"Location": {d.URL}}, ""), nil
		}
	}
	return response(r, d.Status, received(d.Header), d.HTML), nil
}

// passed is the headers of a request that a page's own request is to have: the rest is the browser's.
func passed(h http.Header) map[string]string {
	some := map[string]string{}
	for _, name := range []string{"Cookie", "Authorization", "Referer", "Accept-Language"} {
		if value := h.Get(name); value != "" {
			some[name] = value
		}
	}
	return some
}

// received is the headers of an answer as they suit its document.
func received(h map[string][]string) http.Header {
	header := http.Header{}
	for name, values := range h {
		header[http.CanonicalHeaderKey(name)] = values
	}
	for _, name := range []string{"Content-Encoding", "Content-Length", "Transfer-Encoding", "Location", "Refresh"} {
		header.Del(name)
	}
	header.Set("Content-Type", "text/html; charset=utf-8")
	return header
}

func response(r *http.Request, status int, header http.Header, body string) *http.Response {
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}
}

// same reports whether two URLs are the same but for their fragments.
func same(a, b *url.URL) bool { return bare(a) == bare(b) }

func bare(u *url.URL) string {
	c := *u
	c.Fragment, c.RawFragment, c.User = "", "", nil
	if c.Path == "" {
		c.Path = "/"
	}
	return c.String()
}

// keep keeps a document for who is redirected to it.
func (t *Transport) keep(d *Document) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.kept) == mostKept {
		t.kept = t.kept[1:]
	}
	t.kept = append(t.kept, d)
}

// take returns the document that was kept for a URL, once; nil: there is none.
func (t *Transport) take(u *url.URL) *Document {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, d := range t.kept {
		if at, err := url.Parse(d.URL); err == nil && same(at, u) {
			t.kept = append(t.kept[:i:i], t.kept[i+1:]...)
			return d
		}
	}
	return nil
}
