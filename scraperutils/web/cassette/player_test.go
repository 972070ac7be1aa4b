package cassette_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

func TestPlaysEachOnceInOrder(t *testing.T) {
	c := recording("http://a.example/?n=1", "http://a.example/?n=2", "http://a.example/?n=1")
	for i := range c.Interactions {
		c.Interactions[i].Response.Body = cassette.NewBody(fmt.Append(nil, "answer ", i+1))
	}
	for _, p := range []*cassette.Player{c.Player(), c.Player()} { // each plays all
		for _, step := range []struct{ query, want string }{{"n=2", "answer 2"}, {"n=1", "answer 1"}, {"n=1", "answer 3"}} {
			got, err := ask(t, p, "GET", "http://a.example/?"+step.query)
			require.NoError(t, err)
			assert.Equal(t, step.want, got)
		}
		_, err := ask(t, p, "GET", "http://a.example/?n=2")
		var noMatch *cassette.NoMatchError
		require.ErrorAs(t, err, &noMatch)
		assert.True(t, noMatch.Played)
	}
}

func TestPlayedResponse(t *testing.T) {
	text := cassette.NewBody([]byte("hello"))
	interrupted := text
	interrupted.Cut = cassette.Interrupted
	for name, c := range map[string]struct {
		method   string
		response cassette.Response
		status   string
		header   http.Header
		length   int64
		body     string
		bodyErr  error
	}{
		"plain":                      {"GET", cassette.Response{Status: 200, Message: "Fine", Body: text}, "200 Fine", http.Header{}, 5, "hello", nil},
		"no message":                 {"GET", cassette.Response{Status: 404}, "404 Not Found", http.Header{}, 0, "", nil},
		"neither message nor name":   {"GET", cassette.Response{Status: 299}, "299", http.Header{}, 0, "", nil},
		"lists of values":            {"GET", cassette.Response{Status: 200, Header: http.Header{"Set-Cookie": {"a=1", "b=2"}}}, "200 OK", http.Header{"Set-Cookie": {"a=1", "b=2"}}, 0, "", nil},
		"right length":               {"GET", cassette.Response{Status: 200, Header: http.Header{"Content-Length": {"5"}}, Body: text}, "200 OK", http.Header{"Content-Length": {"5"}}, 5, "hello", nil},
		"wrong length":               {"GET", cassette.Response{Status: 200, Header: http.Header{"Content-Length": {"99", "98"}}, Body: text}, "200 OK", http.Header{"Content-Length": {"5"}}, 5, "hello", nil},
		"wrong length of nothing":    {"GET", cassette.Response{Status: 302, Header: http.Header{"Content-Length": {"99"}}}, "302 Found", http.Header{"Content-Length": {"0"}}, 0, "", nil},
		"chunked":                    {"GET", cassette.Response{Status: 200, Header: http.Header{"Transfer-Encoding": {"chunked"}}, Body: text}, "200 OK", http.Header{}, 5, "hello", nil},
		"encoded stays encoded":      {"GET", cassette.Response{Status: 200, Header: http.Header{"Content-Encoding": {"gzip,gzip"}}, Body: text}, "200 OK", http.Header{"Content-Encoding": {"gzip,gzip"}}, 5, "hello", nil},
		"HEAD tells a length":        {"HEAD", cassette.Response{Status: 200, Header: http.Header{"Content-Length": {"99"}}}, "200 OK", http.Header{"Content-Length": {"99"}}, 99, "", nil},
		"HEAD tells none":            {"HEAD", cassette.Response{Status: 200}, "200 OK", http.Header{}, -1, "", nil},
		"not modified tells as well": {"GET", cassette.Response{Status: 304, Header: http.Header{"Content-Length": {"99"}}}, "304 Not Modified", http.Header{"Content-Length": {"99"}}, 0, "", nil},
		"interrupted":                {"GET", cassette.Response{Status: 200, Header: http.Header{"Content-Length": {"99"}}, Body: interrupted}, "200 OK", http.Header{"Content-Length": {"99"}}, 99, "hello", io.ErrUnexpectedEOF},
		"interrupted while chunked":  {"GET", cassette.Response{Status: 200, Header: http.Header{"Transfer-Encoding": {"chunked"}}, Body: interrupted}, "200 OK", http.Header{}, -1, "hello", io.ErrUnexpectedEOF},
		"interrupted and wrong":      {"GET", cassette.Response{Status: 200, Header: http.Header{"Content-Length": {"3"}}, Body: interrupted}, "200 OK", http.Header{}, -1, "hello", io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			rec := &cassette.Cassette{Interactions: []cassette.Interaction{{
				Request:  cassette.Request{Method: c.method, URL: "http://a.example/"},
				Response: c.response,
			}}}
			req, err := http.NewRequestWithContext(t.Context(), c.method, "http://a.example/", nil)
			require.NoError(t, err)
			resp, err := rec.Player().RoundTrip(req)
			require.NoError(t, err)
			body, err := io.ReadAll(resp.Body)
			assert.Equal(t, c.bodyErr, err)
			require.NoError(t, resp.Body.Close())
			assert.Equal(t, c.body, string(body))
			assert.Equal(t, c.status, resp.Status)
			assert.Equal(t, c.response.Status, resp.StatusCode)
			assert.Equal(t, c.header, resp.Header)
			assert.Equal(t, c.length, resp.ContentLength)
			assert.Same(t, req, resp.Request)
			assert.Equal(t, "HTTP/1.1", resp.Proto)
		})
	}
}

// A player plays what the cassette held when it was made.
func TestPlayerIsASnapshot(t *testing.T) {
	c := recording("http://a.example/")
	p := c.Player()
	c.Interactions[0].Response.Status = 500
	resp := begin(t, p, "GET", "http://a.example/")
	assert.Equal(t, 200, resp.StatusCode)
	require.NoError(t, resp.Body.Close())
}

// What a client does to a response does not reach the recording.
func TestResponsesAreTheirOwn(t *testing.T) {
	c := recording("http://a.example/")
	c.Interactions[0].Response.Header = http.Header{"Server": {"nginx"}}
	for range 2 {
		req, err := http.NewRequestWithContext(t.Context(), "GET", "http://a.example/", nil)
		require.NoError(t, err)
		resp, err := c.Player().RoundTrip(req)
		require.NoError(t, err)
		assert.Equal(t, http.Header{"Server": {"nginx"}}, resp.Header)
		resp.Header["Server"][0] = "changed"
		resp.Header.Set("X", "y")
		require.NoError(t, resp.Body.Close())
	}
}

func TestBodyNotKept(t *testing.T) {
	c := recording("http://a.example/")
	c.Interactions[0].Response.Body.Cut = cassette.NotKept
	_, err := ask(t, c.Player(), "GET", "http://a.example/")
	assert.EqualError(t, err, "play interaction 1 of kyogle.yml, GET http://a.example/: response body: it was not kept, the recorder was full")
}

func TestEndedContext(t *testing.T) {
	cause := errors.New("the run is over")
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	plain, stop := context.WithCancel(t.Context())
	stop()
	for name, c := range map[string]struct {
		ctx  context.Context
		want error
	}{
		"with a cause":    {cancelled, cause},
		"without a cause": {plain, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			p := recording("http://a.example/").Player()
			body := &closing{Reader: strings.NewReader("x")}
			req, err := http.NewRequestWithContext(c.ctx, "GET", "http://a.example/", body)
			require.NoError(t, err)
			_, err = p.RoundTrip(req)
			assert.ErrorIs(t, err, c.want)
			assert.True(t, body.closed)
			_, err = ask(t, p, "GET", "http://a.example/")
			assert.NoError(t, err, "nothing was played for it")
		})
	}
}

func TestRequestBodyIsClosed(t *testing.T) {
	for name, url := range map[string]string{"played": "http://a.example/", "not recorded": "http://b.example/"} {
		t.Run(name, func(t *testing.T) {
			body := &closing{Reader: strings.NewReader("x")}
			req, err := http.NewRequestWithContext(t.Context(), "GET", url, body)
			require.NoError(t, err)
			if resp, err := recording("http://a.example/").Player().RoundTrip(req); err == nil {
				require.NoError(t, resp.Body.Close())
			}
			assert.True(t, body.closed)
		})
	}
}

func TestRequestWithoutURL(t *testing.T) {
	_, err := recording().Player().RoundTrip(&http.Request{})
	assert.EqualError(t, err, "play a request: it has no URL")
}

// An interaction made by hand whose URL is none keeps no other from being played.
func TestInteractionThatCannotBeAsked(t *testing.T) {
	p := recording("no URL", "http://a.example/").Player()
	_, err := ask(t, p, "GET", "http://a.example/")
	assert.NoError(t, err)
}

// Many clients at once get each interaction exactly once.
func TestConcurrentPlay(t *testing.T) {
	const pages, times = 10, 20
	c := &cassette.Cassette{}
	for i := range pages * times {
		u := fmt.Sprint("http://a.example/", i%pages)
		c.Interactions = append(c.Interactions, recording(u).Interactions[0])
		c.Interactions[i].Response.Body = cassette.NewBody([]byte(strconv.Itoa(i)))
	}
	p := c.Player()
	var mu sync.Mutex
	played := map[string]int{}
	var all sync.WaitGroup
	for i := range pages * times {
		all.Go(func() {
			got, err := ask(t, p, "GET", fmt.Sprint("http://a.example/", i%pages))
			assert.NoError(t, err)
			mu.Lock()
			defer mu.Unlock()
			played[got]++
		})
	}
	all.Wait()
	assert.Len(t, played, pages*times)
}

type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }
