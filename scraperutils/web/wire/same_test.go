package wire_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils/web/wire"
)

// script is a connection on which an answer comes once it was asked, and then its end.
type script struct {
	io.Reader
	asked chan struct{}
	once  *sync.Once
}

func newScript(answer string) script {
	return script{strings.NewReader(answer), make(chan struct{}), new(sync.Once)}
}

func (s script) Read(p []byte) (int, error) {
	<-s.asked
	return s.Reader.Read(p)
}

func (s script) Write(p []byte) (int, error) {
	s.once.Do(func() { close(s.asked) })
	return len(p), nil
}

func (s script) Close() error {
	s.once.Do(func() { close(s.asked) })
	return nil
}

func (script) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (script) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (script) SetDeadline(time.Time) error      { return nil }
func (script) SetReadDeadline(time.Time) error  { return nil }
func (script) SetWriteDeadline(time.Time) error { return nil }

// outcome is what a caller learns.
type outcome struct {
	Failed, Cut bool // no answer; a body without its end
	Status      int
	Header      http.Header
	Body        string
	Length      int64
	Close       bool
}

func outcomeOf(w http.RoundTripper, method string) outcome {
	r, err := http.NewRequest(method, "http://a.example/", nil)
	if err != nil {
		return outcome{Failed: true}
	}
	response, err := w.RoundTrip(r)
	if err != nil {
		return outcome{Failed: true}
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusSwitchingProtocols { // net/http has its body be the connection
		return outcome{Status: response.StatusCode, Header: response.Header}
	}
	body, err := io.ReadAll(response.Body)
	return outcome{Cut: err != nil, Status: response.StatusCode, Header: response.Header, Body: string(body), Length: response.ContentLength, Close: response.Close}
}

// quiet has net/http not log what it thinks of a host.
func quiet(t testing.TB) {
	log.SetOutput(io.Discard)
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
}

// both returns what comes of an answer here, and with net/http's transport.
func both(answer, method string) (here, there outcome) {
	dial := func(context.Context, string, string) (net.Conn, error) { return newScript(answer), nil }
	w := wire.New(wire.Config{Dial: dial, Next: nobody{}, MaxHeader: 8 << 10, MaxIdle: 1})
	defer w.CloseIdleConnections()
	standard := &http.Transport{DialContext: dial, DisableCompression: true, MaxResponseHeaderBytes: 8 << 10}
	defer standard.CloseIdleConnections()
	return outcomeOf(w, method), outcomeOf(standard, method)
}

var scripts = map[string]string{
	"a page":                       page,
	"a page until the end":         "HTTP/1.1 200 OK\r\n\r\npage",
	"a page in chunks":             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npage\r\n0\r\n\r\n",
	"chunks with a trailer":        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n4\r\npage\r\n0\r\nX: y\r\n\r\n",
	"chunks without an end":        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npage\r\n",
	"a chunk that is none":         "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\npage\r\n",
	"half a page":                  page[:len(page)-2],
	"half a head":                  page[:20],
	"nothing":                      "",
	"a header of many values":      "HTTP/1.1 200 OK\r\nA: 1\r\na: 2\r\nContent-Length: 0\r\n\r\n",
	"a folded header":              "HTTP/1.1 200 OK\r\nA: 1\r\n 2\r\nContent-Length: 0\r\n\r\n",
	"a header without a colon":     "HTTP/1.1 200 OK\r\nnone\r\n\r\n",
	"a space before the colon":     "HTTP/1.1 200 OK\r\nA : 1\r\n\r\n",
	"lines without returns":        "HTTP/1.1 200 OK\nContent-Length: 4\n\npage",
	"two lengths":                  "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
	"the same length twice":        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab",
	"a negative length":            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nab",
	"a length and chunks":          "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npage\r\n0\r\n\r\n",
	"an unknown transfer":          "HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\n\r\nab",
	"no content, with some":        "HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\npage",
	"nothing new, with a length":   "HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n",
	"a status that is none":        "HTTP/1.1 abc OK\r\n\r\n",
	"a status of four digits":      "HTTP/1.1 1000 OK\r\n\r\n",
	"a status without a word":      "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
	"a negative status":            "HTTP/1.1 -20 OK\r\n\r\n",
	"no HTTP":                      "<html>page</html>\r\n\r\n",
	"HTTP/1.0":                     "HTTP/1.0 200 OK\r\n\r\npage",
	"HTTP/1.0 that keeps":          "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 4\r\n\r\npage",
	"HTTP/2":                       "HTTP/2.0 200 OK\r\nContent-Length: 4\r\n\r\npage",
	"HTTP/0.9":                     "page",
	"interim answers":              "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n" + page,
	"five interim answers":         strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 5) + page,
	"many interim answers":         strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 9) + page,
	"interim answers alone":        "HTTP/1.1 100 Continue\r\n\r\n",
	"another protocol":             "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
	"a large head":                 "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 16<<10) + "\r\n\r\n",
	"a head that is just too long": "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 8<<10) + "\r\n\r\n",
	"a page and another":           page + page,
	"a blank line first":           "\r\n" + page,
	"compressed":                   "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\npage",
}

// An answer means the same here as with net/http's transport.
func TestAnswersAreThoseOfNetHTTP(t *testing.T) {
	quiet(t)
	for name, answer := range scripts {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			t.Run(name+" "+method, func(t *testing.T) {
				here, there := both(answer, method)
				assert.Equal(t, there, here)
			})
		}
	}
}

func FuzzAnswer(f *testing.F) {
	quiet(f)
	for _, answer := range scripts {
		f.Add(answer, false)
	}
	f.Fuzz(func(t *testing.T, answer string, head bool) {
		method := http.MethodGet
		if head {
			method = http.MethodHead
		}
		here, there := both(answer, method)
		assert.Equal(t, there, here)
	})
}
