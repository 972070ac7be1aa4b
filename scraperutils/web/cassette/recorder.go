package cassette

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Options of a Recorder. The zero value keeps everything, in memory.
type Options struct {
	// MaxBytes is how much of bodies is kept; 0 is no limit. Where there is more, the first exchanges and the latest stay,
	// those between go, and the cassette is marked as truncated. A body that is too large by itself is left out.
	MaxBytes int64
	// MaxHeadBytes is the same of URLs and headers, which are kept in memory.
	MaxHeadBytes int64
	// Secrets, such as a proxy's password, are replaced wherever they occur in what is written.
	Secrets []string
	// Spool holds the bodies; nil: memory does.
	Spool *Spool
	// OnExchange, if not nil, is told of each exchange as it ends. Bodies can be read until it returns; it must not use the recorder.
	OnExchange func(Interaction)
}

// Recorder is an http.RoundTripper that passes requests to another and keeps what was exchanged, in the order in which the
// bodies of responses came to their end or were closed. Responses that nobody closes are not kept; that a request failed is, where
// its client says so by Try and Failed. It is safe for concurrent use.
type Recorder struct {
	next    http.RoundTripper
	options Options

	mu        sync.Mutex // guards what follows, and what taps and exchanges keep
	kept      []kept
	start     int // how many of them, the first ones, are never dropped
	truncated bool
	missing   int // exchanges that were dropped
	closed    bool
	size      size
	users     []string              // secrets in the URLs that were asked for
	trying    *scraperutils.Request // the last one that Try has told of
	begun     int                   // number of the first exchange of its last try
	number    int                   // of the next exchange
}

// NewRecorder returns a recorder in front of next, or of http.DefaultTransport where next is nil. Put it next to the
// transport: what it sees is what is recorded.
func NewRecorder(next http.RoundTripper, o Options) *Recorder {
	if next == nil {
		next = http.DefaultTransport
	}
	o.Secrets = slices.Clone(o.Secrets)
	return &Recorder{next: next, options: o}
}

// Cassette returns what has been recorded so far, secrets included, with all bodies in memory. Those that can't be read any more
// are marked as not kept.
func (r *Recorder) Cassette() *Cassette {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.cassette()
	for i := range c.Interactions {
		n := &c.Interactions[i]
		n.Request.Body, n.Response.Body = n.Request.Body.inMemory(), n.Response.Body.inMemory()
	}
	return c
}

// cassette is good for as long as the mutex is held.
func (r *Recorder) cassette() *Cassette {
	c := &Cassette{Truncated: r.truncated, Missing: r.missing}
	for _, k := range r.kept {
		if k.failure == nil {
			c.Interactions = append(c.Interactions, k.Interaction)
			continue
		}
		f := *k.failure
		f.After = len(c.Interactions)
		c.Failures = append(c.Failures, f)
	}
	return c
}

// Write writes what has been recorded so far, without secrets, as Cassette.Write does, one body at a time. The recorder can go on.
func (r *Recorder) Write(path string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cassette().Write(path, append(r.users, r.options.Secrets...)...)
}

// Add puts exchanges that others had into the recording, but none that it has already.
func (r *Recorder) Add(others ...Interaction) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, i := range others {
		same := func(k kept) bool { return k.Request.Method == i.Request.Method && k.Request.URL == i.Request.URL }
		if !r.closed && !slices.ContainsFunc(r.kept, same) {
			r.kept = append(r.kept, kept{Interaction: i})
		}
	}
}

// Close forgets what has been recorded, so that others can use its room. The recorder passes requests on and keeps nothing more.
func (r *Recorder) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, k := range r.kept {
		k.release()
	}
	r.kept, r.size = nil, size{}
}

// learn remembers the secrets of a URL, whatever becomes of its exchange.
func (r *Recorder) learn(u *url.URL) {
	if u == nil || u.User == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.users = withUserOf(r.users, u.String())
}

// RoundTrip does the request and returns what the transport returned. The response's body must be closed, as always.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	r.learn(req.URL)
	out, sent := r.tapRequest(req)
	resp, err := r.next.RoundTrip(out)
	if err != nil {
		return resp, err
	}
	resp.Request = req
	e := &exchange{
		recorder: r,
		sent:     sent,
		request:  Request{Method: methodOf(req), URL: req.URL.String(), Header: req.Header.Clone()},
		response: Response{Status: resp.StatusCode, Message: messageOf(resp), Header: resp.Header.Clone()},
	}
	if resp.Body == nil || resp.Body == http.NoBody || resp.StatusCode == http.StatusSwitchingProtocols {
		r.finish(e, true)
		return resp, nil
	}
	e.received = &tap{ReadCloser: resp.Body, recorder: r, length: resp.ContentLength, ended: e.finish}
	resp.Body = e.received
	return resp, nil
}

// tapRequest returns the request to send and what keeps its body: nil where it has none.
func (r *Recorder) tapRequest(req *http.Request) (*http.Request, *tap) {
	if req.Body == nil || req.Body == http.NoBody {
		return req, nil
	}
	t := &tap{recorder: r, length: req.ContentLength}
	if req.GetBody != nil { // then the transport may begin again with another copy, behind a tap's back
		if body, err := req.GetBody(); err == nil {
			t.ReadCloser = body
			_, _ = io.Copy(io.Discard, t) // what went wrong shows in the tap
			_ = t.Close()
			return req, t
		}
	}
	out := req.WithContext(req.Context())
	t.ReadCloser = req.Body
	out.Body, out.GetBody = t, nil
	return out, t
}

// exchange is a request whose response is being read.
type exchange struct {
	recorder       *Recorder
	request        Request
	response       Response
	sent, received *tap // nil where there is no body
	done           bool // guarded by recorder.mu
}

func (e *exchange) finish(whole bool) { e.recorder.finish(e, whole) }

// finish adds an exchange to the recording, once.
func (r *Recorder) finish(e *exchange, whole bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.done {
		return
	}
	e.done = true
	if !r.room(e.sent.size()+e.received.size(), r.options.MaxBytes, &r.size.bodies) {
		r.lose(e.received) // one of the two fits, whatever the first exchanges take
	}
	e.request.Body, e.response.Body = r.take(e.sent, e.sent.whole()), r.take(e.received, whole)
	k := kept{Interaction: Interaction{Request: e.request, Response: e.response, RecordedAt: now()}, size: size{
		bodies: e.sent.size() + e.received.size(),
		heads:  exchangeSize + int64(len(e.request.URL)) + headerSize(e.request.Header) + headerSize(e.response.Header),
	}}
	if r.options.OnExchange != nil {
		r.options.OnExchange(k.Interaction)
	}
	if r.append(k) && r.start < startExchanges && r.start == len(r.kept)-1 && r.missing == 0 && r.within(startShare) {
		r.start++
	}
}

// append adds to the recording what there is room for, and reports whether there was. The mutex is held.
func (r *Recorder) append(k kept) bool {
	if r.closed || !r.room(k.size.heads, r.options.MaxHeadBytes, &r.size.heads) {
		r.forget(k)
		return false
	}
	k.number = r.number
	r.number++
	r.size = r.size.plus(k.size)
	r.kept = append(r.kept, k)
	return true
}

// now is a time as recordings have it.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

func messageOf(resp *http.Response) string {
	_, message, _ := strings.Cut(resp.Status, " ")
	return message
}
