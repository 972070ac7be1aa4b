package wire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/web/wire"
)

const page = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage"

// A connection serves one request after another, as long as host and reader leave it whole.
func TestConnectionsAreKept(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		dials  int // for three requests
	}{
		"a page":                   {page, 1},
		"a page in chunks":         {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npage\r\n0\r\n\r\n", 1},
		"an empty page":            {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 1},
		"no content":               {"HTTP/1.1 204 No Content\r\n\r\n", 1},
		"after interim answers":    {"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + page, 1},
		"a host that closes":       {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\npage", 3},
		"a host of another age":    {"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\npage", 3},
		"another protocol":         {"HTTP/1.1 101 Switching Protocols\r\n\r\n", 3},
		"more than was asked":      {page + page, 3},
		"more than an empty page":  {"HTTP/1.1 304 Not Modified\r\n\r\npage", 3},
		"an answer that is broken": {"HTTP/1.1 200 OK\r\nno header\r\n\r\n", 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, n := transport(t, answers(c.answer))
				for range 3 {
					_, _ = get(t.Context(), w, "http://a.example/")
					synctest.Wait()
				}
				assert.EqualValues(t, c.dials, n.dials.Load())
			})
		})
	}
}

// What is not read to its end takes its connection with it, however much there would be.
func TestBodyThatIsNotWanted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		w, n := transport(t, func(c net.Conn) {
			if !asked(c) {
				return
			}
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
			_, err := io.Copy(c, endless{})
			ended <- err
		})
		response, err := w.RoundTrip(request(t, t.Context()))
		require.NoError(t, err)
		_, err = io.CopyN(io.Discard, response.Body, 1<<20)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Error(t, <-ended)
		_, err = response.Body.Read(make([]byte, 1))
		assert.ErrorIs(t, err, http.ErrBodyReadAfterClose)
		require.NoError(t, response.Body.Close())
		assert.EqualValues(t, 1, n.dials.Load())
	})
}

// A body that is closed while the rest is on its way takes its connection with it, too.
func TestBodyThatIsNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, n := transport(t, answers("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\npage"))
		for range 2 {
			response, err := w.RoundTrip(request(t, t.Context()))
			require.NoError(t, err)
			_, err = io.ReadFull(response.Body, make([]byte, 4))
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
		}
		assert.EqualValues(t, 2, n.dials.Load())
	})
}

// A request that is given up when its answer is there does not harm the next one.
func TestRequestThatIsGivenUpTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, n := transport(t, answers(page))
		ctx, cancel := context.WithCancel(t.Context())
		response, err := w.RoundTrip(request(t, ctx))
		require.NoError(t, err)
		cancel()
		synctest.Wait()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		assert.Equal(t, "page", string(body))
		assert.Equal(t, "page", mustGet(t, w, "http://a.example/"))
		assert.EqualValues(t, 2, n.dials.Load())
	})
}

func request(t *testing.T, ctx context.Context) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://a.example/", nil)
	require.NoError(t, err)
	return r
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// At most so many connections wait for the next request, and only for a time.
func TestIdleConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open atomic.Int32
		w, n := transport(t, func(c net.Conn) {
			open.Add(1)
			defer open.Add(-1)
			for asked(c) {
				time.Sleep(time.Second) // so that all ask at once
				_, _ = io.WriteString(c, page)
			}
		})
		fetch := func(requests int) {
			var all sync.WaitGroup
			for range requests {
				all.Go(func() { mustGet(t, w, "http://a.example/") })
			}
			all.Wait()
			synctest.Wait()
		}
		fetch(5)
		require.EqualValues(t, 5, n.dials.Load())
		require.EqualValues(t, 2, open.Load())
		fetch(2)
		require.EqualValues(t, 5, n.dials.Load(), "two are kept")
		time.Sleep(58 * time.Second)
		fetch(1)
		time.Sleep(58 * time.Second)
		fetch(1)
		require.EqualValues(t, 5, n.dials.Load(), "it was used within a minute")
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Zero(t, open.Load())
		require.Zero(t, w.Hosts())
		fetch(1)
		assert.EqualValues(t, 6, n.dials.Load())
		assert.Equal(t, 1, w.Hosts())
		w.CloseIdleConnections()
		synctest.Wait()
		assert.Zero(t, open.Load())
		assert.Zero(t, w.Hosts())
	})
}

// A request ends when its context does, at every stage, and leaves nothing behind.
func TestRequestThatIsGivenUp(t *testing.T) {
	for name, host := range map[string]func(net.Conn){
		"unread":            func(net.Conn) { time.Sleep(time.Hour) },
		"before the answer": func(c net.Conn) { asked(c); time.Sleep(time.Hour) },
		"in the head":       func(c net.Conn) { asked(c); _, _ = io.WriteString(c, page[:20]); time.Sleep(time.Hour) },
		"in the body":       func(c net.Conn) { asked(c); _, _ = io.WriteString(c, page[:len(page)-2]); time.Sleep(time.Hour) },
		"after an interim answer": func(c net.Conn) {
			asked(c)
			_, _ = io.WriteString(c, "HTTP/1.1 103 Hints\r\n\r\n")
			time.Sleep(time.Hour)
		},
		"in a body without end":         func(c net.Conn) { asked(c); _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n"); time.Sleep(time.Hour) },
		"in a body that comes too slow": func(c net.Conn) { asked(c); _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n"); drip(c) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, _ := transport(t, host)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				began := time.Now()
				_, err := get(ctx, w, "http://a.example/")
				assert.ErrorIs(t, err, context.DeadlineExceeded)
				assert.Equal(t, time.Minute, time.Since(began))
				time.Sleep(time.Hour)
			})
		})
	}
	t.Run("while it is connected", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := wire.New(wire.Config{Next: nobody{}, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, errors.New("given up")
			}})
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			_, err := get(ctx, w, "http://a.example/")
			assert.ErrorIs(t, err, context.Canceled)
		})
	})
}

func drip(c net.Conn) {
	for range 3600 {
		if _, err := c.Write([]byte("x")); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// A connection that ends while nobody uses it costs nothing; one that ends under a request fails it once.
func TestHostThatCloses(t *testing.T) {
	closing := make(chan net.Conn, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/cut" {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, "page")
	}))
	server.Config.ConnState = func(c net.Conn, s http.ConnState) {
		if s == http.StateIdle {
			closing <- c
		}
	}
	server.Start()
	defer server.Close()
	w := wire.New(wire.Config{Dial: new(net.Dialer).DialContext, Next: nobody{}, MaxIdle: 2})
	defer w.CloseIdleConnections()
	for range 3 {
		assert.Equal(t, "page", mustGet(t, w, server.URL))
		c := (<-closing).(*net.TCPConn)
		require.NoError(t, c.CloseWrite())
	}
	assert.Equal(t, "page", mustGet(t, w, server.URL))
	<-closing
	_, err := get(t.Context(), w, server.URL+"/cut")
	assert.ErrorContains(t, err, "the connection ended before an answer came")
}

// The head of an answer is limited, whatever it consists of.
func TestLargeHead(t *testing.T) {
	for name, answer := range map[string]string{
		"a long line":          "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 8<<10) + "\r\n\r\n",
		"many lines":           "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: x\r\n", 2<<10) + "\r\n",
		"many interim answers": strings.Repeat("HTTP/1.1 103 Hints\r\n\r\n", 400),
		"large interim answer": "HTTP/1.1 103 Hints\r\n" + strings.Repeat("X: x\r\n", 2<<10) + "\r\n" + page,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, _ := transport(t, answers(answer))
				_, err := get(t.Context(), w, "http://a.example/")
				require.Error(t, err)
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		large := strings.Repeat("x", 1<<20)
		w, _ := transport(t, answers("HTTP/1.1 200 OK\r\nContent-Length: 1048576\r\n\r\n"+large))
		assert.Equal(t, large, mustGet(t, w, "http://a.example/"), "the limit is not the body's")
	})
}

// Whatever is more than a GET or HEAD is the next transport's.
func TestWhatIsMoreThanPlain(t *testing.T) {
	w, n := transport(t, answers(page))
	for name, change := range map[string]func(*http.Request){
		"a form":          func(r *http.Request) { r.Method, r.Body = http.MethodPost, io.NopCloser(strings.NewReader("a=b")) },
		"a GET of a body": func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("a=b")) },
		"a method":        func(r *http.Request) { r.Method = "PURGE" },
		"a header":        func(r *http.Request) { r.Header.Set("X", "a\x00b") },
		"a header's name": func(r *http.Request) { r.Header["X Y"] = []string{"a"} },
		"a file":          func(r *http.Request) { r.URL.Scheme = "file" },
		"no host":         func(r *http.Request) { r.URL.Host = "" },
		"close":           func(r *http.Request) { r.Close = true },
	} {
		t.Run(name, func(t *testing.T) {
			r := request(t, t.Context())
			change(r)
			_, err := w.RoundTrip(r)
			assert.ErrorContains(t, err, "Next was asked for")
		})
	}
	assert.Zero(t, n.dials.Load())
}

// One transport serves any number of callers.
func TestManyAtOnce(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Path) }))
	defer server.Close()
	w := wire.New(wire.Config{Dial: new(net.Dialer).DialContext, Next: nobody{}, MaxIdle: 10})
	defer w.CloseIdleConnections()
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			path := "/" + strings.Repeat("x", i)
			for range 20 {
				assert.Equal(t, path, mustGet(t, w, server.URL+path))
			}
		})
	}
	all.Wait()
}
