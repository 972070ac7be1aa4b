package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"

	"github.com/multiscraper/multiscraper/scraperutils/browser/cdp"
)

// observe takes what an event says of requests.
func (g *page) observe(e cdp.Event) error {
	now := time.Now()
	switch e.Method {
	case network.RequestWillBeSent.Method:
		var sent network.EventRequestWillBeSent
		if err := e.Read(&sent); err != nil {
			return fmt.Errorf("read what the browser tells of a request: %w", err)
		}
		g.begin(e.Session, &sent, now)
	case network.RequestWillBeSentExtraInfo.Method:
		var extra network.EventRequestWillBeSentExtraInfo
		if err := e.Read(&extra); err != nil {
			return fmt.Errorf("read the headers of a request: %w", err)
		}
		g.tracker.sent(&extra)
	case network.ResponseReceived.Method:
		var received network.EventResponseReceived
		if err := e.Read(&received); err != nil {
			return fmt.Errorf("read what the browser tells of an answer: %w", err)
		}
		g.rest.answer(received.RequestID, contentLength(received.Response), now)
		g.tracker.answered(&received, g.lasting(e.Session))
		g.answered(&received)
	case network.DataReceived.Method, network.LoadingFinished.Method, network.LoadingFailed.Method, network.RequestServedFromCache.Method:
		var about struct {
			RequestID network.RequestID `json:"requestId"`
			Length    int64             `json:"dataLength"`
		}
		if err := e.Read(&about); err != nil {
			return fmt.Errorf("read what the browser tells of a request: %w", err)
		}
		g.progress(e.Method, about.RequestID, about.Length, now)
	}
	g.status.set(func(s *PageStatus) { s.Open = len(g.rest.open) })
	return nil
}

// progress takes what has happened to a request that is under way.
func (g *page) progress(what string, id network.RequestID, length int64, now time.Time) {
	switch what {
	case network.DataReceived.Method:
		g.rest.hear(id, length, now)
	case network.RequestServedFromCache.Method:
		g.tracker.fromCache(id)
	default:
		g.rest.end(id, now)
		g.tracker.ended(id, what == network.LoadingFailed.Method)
	}
}

// lasting reports whether a session is one that tells of requests without their headers: of a shared worker.
func (g *page) lasting(id target.SessionID) bool {
	s := g.sessions[id]
	return s != nil && s.kind == "shared_worker"
}

// begin takes a request as it begins.
func (g *page) begin(from target.SessionID, e *network.EventRequestWillBeSent, now time.Time) {
	s := g.sessions[from]
	h := g.tracker.begin(from, e, g.lasting(from))
	if h == nil {
		return
	}
	path := e.Request.URL
	if u, err := url.Parse(path); err == nil {
		path = u.Host + u.Path
	}
	g.rest.begin(e.RequestID, h.Method+" "+path, e.Type, now)
	if e.Type == network.ResourceTypeDocument && g.main != nil && from == g.main.ID && string(e.FrameID) == string(g.main.target) {
		redirects := 0
		if e.LoaderID == g.document.loader {
			redirects = g.document.redirects + 1
		}
		g.document = document{loader: e.LoaderID, url: e.Request.URL, redirects: redirects}
		g.status.set(func(s *PageStatus) { s.URL = e.Request.URL })
	}
	if e.Request.HasPostData && s != nil {
		h.waits = true
		g.bodies++
		g.async(func(ctx context.Context) func() {
			body := postData(ctx, g.options.Limits.Unresponsive, s.Session, e)
			return func() {
				g.bodies--
				g.tracker.body(e.RequestID, h, body)
			}
		})
	}
}

// postData returns the body of a request. Files and blobs are only where the page is asked for it; where that is gone already, there is
// what came beside the request.
func postData(ctx context.Context, limit time.Duration, s *cdp.Session, e *network.EventRequestWillBeSent) []byte {
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	body, err := cdp.Call(within, s, network.GetRequestPostData, network.GetRequestPostDataParams{RequestID: e.RequestID})
	if err == nil {
		return append([]byte{}, body.PostData...)
	}
	var inline []byte
	for _, part := range e.Request.PostDataEntries {
		inline = append(inline, part.Bytes...)
	}
	return inline
}

// answered takes the answer that the page itself came with.
func (g *page) answered(e *network.EventResponseReceived) {
	if e.LoaderID != g.document.loader || e.Type != network.ResourceTypeDocument || network.RequestID(e.LoaderID) != e.RequestID {
		return
	}
	g.document.url, g.document.status = e.Response.URL, int(e.Response.Status)
	g.document.header = httpHeader(e.Response.Headers)
}

// httpHeader are headers as the standard library has them.
func httpHeader(all network.Headers) http.Header {
	own := http.Header{}
	for name, value := range headers(all) {
		for line := range strings.SplitSeq(value, "\n") {
			own.Add(name, line)
		}
	}
	return own
}

// contentLength is how long an answer says that its body is, in bytes; -1 where it does not, or where that is not what a reader gets.
func contentLength(r *network.Response) int64 {
	h := httpHeader(r.Headers)
	n, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64)
	if err != nil || n < 0 || h.Get("Content-Encoding") != "" {
		return -1
	}
	return n
}
