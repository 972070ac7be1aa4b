package cassette

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Player is an http.RoundTripper that answers from a recording. It plays each interaction once, in order, for a request of
// the same method (in any case), host, port, path and query; bodies and headers of requests are not compared. Repeated
// slashes of a path count as one, queries as multisets of decoded pairs; where none is left, a pair that the request repeats may be
// once in the recording. Failures are played among the interactions, the last of a request as often as it is asked for. It is safe
// for concurrent use.
type Player struct {
	path         string
	truncated    bool
	missing      int
	interactions []Interaction
	failures     []Failure

	mu       sync.Mutex
	unplayed map[key][]int // owned by mu: indexes of interactions, then of failures, in the order of the recording; empty where all were played
}

// Player returns a player of what the cassette holds now. Each player plays all of it. What can't be requested (its URL is not
// absolute, say) is never played.
func (c *Cassette) Player() *Player {
	p := &Player{
		path:         c.Path,
		truncated:    c.Truncated,
		missing:      c.Missing,
		interactions: slices.Clone(c.Interactions),
		failures:     slices.Clone(c.Failures),
		unplayed:     make(map[key][]int, len(c.Interactions)),
	}
	failed := 0
	for i := range len(p.interactions) + 1 {
		for ; failed < len(p.failures) && p.failures[failed].After <= i; failed++ {
			p.add(len(p.interactions) + failed)
		}
		if i < len(p.interactions) && !p.interactions[i].Superseded {
			p.add(i)
		}
	}
	return p
}

func (p *Player) add(i int) {
	r := p.request(i)
	if u, err := parseURL(r.URL); err == nil {
		k := keyOf(r.Method, u)
		p.unplayed[k] = append(p.unplayed[k], i)
	}
}

// request is that of an interaction or a failure.
func (p *Player) request(i int) *Request {
	if n := len(p.interactions); i >= n {
		return &p.failures[i-n].Request
	}
	return &p.interactions[i].Request
}

// RoundTrip answers as recorded: the status, all headers, the body as it was on the wire. Content-Length is corrected where
// it is wrong, and Transfer-Encoding left out. A body that was interrupted ends in io.ErrUnexpectedEOF.
//
// The error is a *NoMatchError where no interaction is left for the request, a *scraperutils.PastFailure where it failed, the
// context's where it has ended, or says what is wrong with the recorded body.
func (p *Player) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	if req.URL == nil {
		return nil, errors.New("play a request: it has no URL")
	}
	if ctx := req.Context(); ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	i, err := p.next(req)
	if err != nil {
		return nil, err
	}
	if n := len(p.interactions); i >= n {
		f := &p.failures[i-n]
		return nil, &scraperutils.PastFailure{Kind: f.Class, Text: f.Message}
	}
	resp, err := respond(&p.interactions[i].Response, req)
	if err != nil {
		return nil, fmt.Errorf("play interaction %d of %s, %s %s: response body: %w",
			i+1, p.name(), methodOf(req), withoutUserinfo(req.URL.String()), err)
	}
	return resp, nil
}

// next takes the first that is left for a request.
func (p *Player) next(req *http.Request) (int, error) {
	k := keyOf(req.Method, req.URL)
	p.mu.Lock()
	defer p.mu.Unlock()
	recorded := false
	for _, k := range []key{k, k.once()} {
		left, ok := p.unplayed[k]
		recorded = recorded || ok
		if len(left) == 0 {
			continue
		}
		if len(left) > 1 || left[0] < len(p.interactions) {
			p.unplayed[k] = left[1:]
		}
		return left[0], nil
	}
	return 0, p.noMatch(req, k, recorded)
}

func (p *Player) name() string {
	if p.path == "" {
		return "the cassette"
	}
	return p.path
}

func respond(r *Response, req *http.Request) (*http.Response, error) {
	if r.Body.Cut == NotKept {
		return nil, errors.New("it was not kept, the recorder was full")
	}
	b, err := r.Body.Bytes()
	if err != nil {
		return nil, err
	}
	resp := &http.Response{
		Status:        statusLine(r),
		StatusCode:    r.Status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        r.Header.Clone(),
		Body:          http.NoBody,
		ContentLength: int64(len(b)),
		Request:       req,
	}
	if resp.Header == nil {
		resp.Header = http.Header{}
	}
	resp.Header.Del("Transfer-Encoding")
	switch {
	case r.Body.Cut == Interrupted:
		resp.ContentLength = announced(resp.Header, int64(len(b)))
		resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(b), interruption{}))
	case len(b) > 0:
		setLength(resp.Header, len(b))
		resp.Body = io.NopCloser(bytes.NewReader(b))
	case strings.EqualFold(req.Method, http.MethodHead):
		resp.ContentLength = announced(resp.Header, 0)
	case r.Status != http.StatusNotModified: // which tells the length of what it does not send
		setLength(resp.Header, 0)
	}
	return resp, nil
}

func statusLine(r *Response) string {
	message := r.Message
	if message == "" {
		message = http.StatusText(r.Status)
	}
	return strings.TrimSpace(fmt.Sprintf("%03d %s", r.Status, message))
}

// setLength corrects a Content-Length. One that was not there stays away.
func setLength(h http.Header, length int) {
	if _, ok := h["Content-Length"]; ok {
		h.Set("Content-Length", strconv.Itoa(length))
	}
}

// announced is the length that the header tells of a body that is not whole, -1 where it tells none or too little.
func announced(h http.Header, atLeast int64) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(h.Get("Content-Length")), 10, 64)
	if err != nil || n < atLeast {
		h.Del("Content-Length")
		return -1
	}
	return n
}

// interruption is the end of a body that broke off.
type interruption struct{}

func (interruption) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
