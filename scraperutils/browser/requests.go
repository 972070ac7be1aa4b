package browser

import (
	"maps"
	"strings"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"
)

// tracker makes whole requests of what the browser tells of them in parts, which come in any order, from any session of the page:
//
//	requestWillBeSent       a hop begins; with a redirectResponse it follows another one of the same request
//	…ExtraInfo              its headers as they went out: before the hop, after it, or never
//	body                    asked for where there is one
//	response, failure       the hop is over; says whether there are …ExtraInfos
//
// Headers belong to the hops of a request in their order, those hops left out of which it is known that they have none. So a hop is
// told of once it is over and its headers are there. It is dropped if it never reached the network.
//
// The goroutine of the page owns it.
type tracker struct {
	requests map[network.RequestID]*tracked
	emit     func(Request)
}

// tracked is one request with its redirects.
type tracked struct {
	id      network.RequestID
	session target.SessionID // that told of it first: others may tell of it again
	begun   bool
	hops    []*hop // that have not been told of
	told    string // the URL of the last that has been told of
	extras  []map[string]string
	lasting bool // its session does not tell of headers: it counts as sent without them
}

// hop is one exchange of a request.
type hop struct {
	Request
	over     bool // there was an answer, or there will be none
	hasExtra bool // where it is over: headers belong to it
	unsent   bool // where it is over: it is known not to have reached the network, headers or not
	failed   bool
	waits    bool   // for its body
	password string // the Authorization that it was repeated with; "" where it was not
}

func newTracker(emit func(Request)) *tracker {
	return &tracker{requests: map[network.RequestID]*tracked{}, emit: emit}
}

func (t *tracker) of(id network.RequestID) *tracked {
	r := t.requests[id]
	if r == nil {
		r = &tracked{id: id}
		t.requests[id] = r
	}
	return r
}

// begin takes a hop that a session tells of. Lasting says that the session may not tell of headers. It returns nil for a hop that another
// session has told of, and for what does not go to the network.
func (t *tracker) begin(from target.SessionID, e *network.EventRequestWillBeSent, lasting bool) *hop {
	if !onNetwork(e.Request.URL) {
		return nil
	}
	r := t.of(e.RequestID)
	switch {
	case !r.begun:
		r.begun, r.session = true, from
	case r.session != from || e.RedirectResponse == nil:
		return nil
	}
	if last := r.last(); last != nil && !last.over {
		last.end(e.RedirectResponse, e.RedirectHasExtraInfo)
	}
	h := &hop{Request: Request{URL: e.Request.URL, Method: e.Request.Method, Header: headers(e.Request.Headers)}}
	r.hops = append(r.hops, h)
	r.lasting = lasting
	t.settle(r)
	return h
}

// onNetwork reports whether a URL leads to a server.
func onNetwork(u string) bool {
	scheme, _, _ := strings.Cut(u, ":")
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

// sent takes the headers of a hop.
func (t *tracker) sent(e *network.EventRequestWillBeSentExtraInfo) {
	r := t.of(e.RequestID)
	r.extras = append(r.extras, headers(e.Headers))
	t.settle(r)
}

// answered takes the answer to the last hop of a request. A lasting session may tell of an answer alone.
func (t *tracker) answered(e *network.EventResponseReceived, lasting bool) {
	r := t.of(e.RequestID)
	if !r.begun && lasting && onNetwork(e.Response.URL) {
		r.begun, r.lasting = true, true
		r.hops = append(r.hops, &hop{Request: Request{URL: e.Response.URL, Method: "GET", Header: map[string]string{}}})
	}
	if r.last() == nil {
		return
	}
	if h := r.last(); !h.over {
		h.end(e.Response, e.HasExtraInfo)
	}
	t.settle(r)
}

// ended takes the end of a request, after which nothing but late headers comes of it.
func (t *tracker) ended(id network.RequestID, failed bool) {
	r := t.requests[id]
	if r == nil {
		return
	}
	if h := r.last(); h != nil && !h.over {
		h.over, h.failed = true, failed
		h.hasExtra = true // if it was sent
	}
	t.settle(r)
}

// fromCache takes that an answer came without the network.
func (t *tracker) fromCache(id network.RequestID) {
	if r := t.requests[id]; r != nil && r.last() != nil {
		r.last().unsent = true
	}
}

// body takes the body of a hop, nil where there is none.
func (t *tracker) body(id network.RequestID, h *hop, body []byte) {
	h.waits = false
	if body != nil {
		text := strings.ToValidUTF8(string(body), "\ufffd")
		h.Body, h.PostData = body, &text
	}
	if r := t.requests[id]; r != nil {
		t.settle(r)
	}
}

// repeated takes that a request under way is repeated with a password.
func (t *tracker) repeated(url, authorization string) {
	for _, r := range t.requests {
		if h := r.last(); h != nil && !h.over && h.URL == url {
			h.password = authorization
		}
	}
}

// finish tells of everything that was sent, whole or not: the page is over.
func (t *tracker) finish() {
	for id, r := range t.requests {
		for i, h := range r.hops {
			extra := r.take(h, i == len(r.hops)-1)
			if extra != nil {
				h.Header = extra
			}
			if extra != nil || h.over && !h.unsent && !h.failed || !h.over && r.lasting {
				t.tellOf(h)
			}
		}
		delete(t.requests, id)
	}
}

// settle tells of the hops of a request that are whole, in their order.
func (t *tracker) settle(r *tracked) {
	for len(r.hops) > 0 {
		h := r.hops[0]
		last := len(r.hops) == 1
		if !h.over || h.waits {
			return
		}
		extra := r.take(h, last)
		if extra == nil && !h.unsent && (h.hasExtra || last && !r.lasting) {
			return // they may come late
		}
		if extra != nil {
			h.Header = extra
		}
		if extra != nil || !h.unsent && !h.failed {
			t.tellOf(h)
		}
		r.hops, r.told = r.hops[1:], h.URL
	}
}

// tellOf tells of a hop, and of it once more where a password was asked for and given.
func (t *tracker) tellOf(h *hop) {
	t.emit(h.Request)
	if h.password != "" {
		repeated := h.Request
		repeated.Header = maps.Clone(h.Header)
		repeated.Header["Authorization"] = h.password
		t.emit(repeated)
	}
}

// take returns the headers of a request's first hop, nil where there are none yet, or none at all. Those of the last hop may be there though
// the browser says that they are not.
func (r *tracked) take(h *hop, last bool) map[string]string {
	if len(r.extras) == 0 || h.over && !h.hasExtra && !last {
		return nil
	}
	extra := r.extras[0]
	r.extras = r.extras[1:]
	return extra
}

func (r *tracked) last() *hop {
	if len(r.hops) == 0 {
		return nil
	}
	return r.hops[len(r.hops)-1]
}

// end takes the answer of a hop.
func (h *hop) end(response *network.Response, hasExtra bool) {
	h.over, h.hasExtra = true, hasExtra
	if response != nil {
		_, made := headers(response.Headers)["Non-Authoritative-Reason"] // a redirect of the browser's own, to https
		h.unsent = h.unsent || made || response.FromServiceWorker || response.FromDiskCache || response.FromPrefetchCache
	}
}

// headers are those of the protocol, without what HTTP/2 has instead of a request line.
func headers(all network.Headers) map[string]string {
	own := make(map[string]string, len(all))
	for name, value := range all {
		if text, ok := value.(string); ok {
			own[name] = text
		}
	}
	maps.DeleteFunc(own, func(name, _ string) bool { return strings.HasPrefix(name, ":") })
	return own
}

// knows reports whether a request for a URL is under way or ended a moment ago.
func (t *tracker) knows(url string) bool {
	for _, r := range t.requests {
		if last := r.last(); last != nil && last.URL == url || r.told == url {
			return true
		}
	}
	return false
}
