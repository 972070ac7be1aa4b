package cassette

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options of a Recorder. The zero value keeps everything.
type Options struct {
	// MaxBytes is how much of bodies is kept, and as much again of URLs and headers; 0 is no limit. A body that does not fit
	// is left out, later ones that fit are kept, and the cassette is marked as truncated.
	MaxBytes int64
	// Secrets, such as a proxy's password, are replaced wherever they occur in what is written.
	Secrets []string
}

// Recorder is an http.RoundTripper that passes requests to another and keeps what was exchanged, in the order in which the
// bodies of responses came to their end or were closed. Requests that failed without a response are not kept, nor are
// responses that nobody closes. It is safe for concurrent use.
type Recorder struct {
	next    http.RoundTripper
	options Options

	mu           sync.Mutex // guards what follows, and what taps and exchanges keep
	interactions []Interaction
	truncated    bool
	bodyBytes    int64
	headBytes    int64
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

// Cassette returns what has been recorded so far, secrets included.
func (r *Recorder) Cassette() *Cassette {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &Cassette{Interactions: slices.Clone(r.interactions), Truncated: r.truncated}
}

// Write writes what has been recorded so far, without secrets, as Cassette.Write does. The recorder can go on.
func (r *Recorder) Write(path string) error {
	return r.Cassette().Write(path, r.options.Secrets...)
}

// RoundTrip does the request and returns what the transport returned. The response's body must be closed, as always.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
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
	size := int64(len(e.request.URL)) + headerSize(e.request.Header) + headerSize(e.response.Header)
	if r.options.MaxBytes > 0 && r.headBytes+size > r.options.MaxBytes {
		r.truncated = true
		return
	}
	r.headBytes += size
	e.request.Body = e.sent.body(e.sent.whole())
	e.response.Body = e.received.body(whole)
	r.interactions = append(r.interactions, Interaction{Request: e.request, Response: e.response, RecordedAt: time.Now().UTC().Truncate(time.Second)})
}

func headerSize(h http.Header) (n int64) {
	for name, values := range h {
		n += int64(len(name))
		for _, v := range values {
			n += int64(len(v))
		}
	}
	return n
}

func messageOf(resp *http.Response) string {
	_, message, _ := strings.Cut(resp.Status, " ")
	return message
}
