package wire_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/web/wire"
)

// served is a host on loopback, which answers each request of a connection by some writes. What its clients read, they tell.
func served(t *testing.T, read <-chan int, writes ...string) (url string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				answer(c, read, writes)
			}()
		}
	}()
	return "http://" + l.Addr().String() + "/"
}

// answer answers the requests of a connection.
func answer(c net.Conn, read <-chan int, writes []string) {
	unread := 0
	for asked(c) {
		for _, text := range writes {
			if text == later {
				for unread > 0 {
					unread -= <-read
				}
				continue
			}
			if _, err := io.WriteString(c, text); err != nil || text == ends {
				return
			}
			unread += len(text)
		}
	}
}

// In place of what a host writes: it waits until all before it has been read, or ends the connection.
const later, ends = "later", ""

// A page is as it was written, however it comes, and its connection is kept if nothing is left on it.
func TestLargePages(t *testing.T) {
	const head, last = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "0\r\n\r\n"
	one, two := strings.Repeat("1", 36_000), strings.Repeat("2", 5000)
	length := "HTTP/1.1 200 OK\r\nContent-Length: 36000\r\n\r\n"
	chunk := func(s string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(s), s) }
	trailer := "0\r\nX: " + strings.Repeat("x", 300) + "\r\n\r\n"
	for name, c := range map[string]struct {
		writes []string
		want   string
		dials  int // for three requests
		err    error
	}{
		"at once":                      {[]string{head + chunk(one) + last}, one, 1, nil},
		"the end apart":                {[]string{head + chunk(one), later, last}, one, 1, nil},
		"the end of the chunk apart":   {[]string{head, chunk(one)[:36_000], later, chunk(one)[36_000:] + last}, one, 1, nil},
		"two chunks":                   {[]string{head + chunk(one) + chunk(two) + last}, one + two, 1, nil},
		"two chunks in pieces":         {[]string{head + chunk(one)[:3000], later, chunk(one)[3000:] + chunk(two)[:10], later, chunk(two)[10:] + last}, one + two, 1, nil},
		"small chunks behind it":       {[]string{head + chunk(one) + strings.Repeat(chunk("3"), 50) + last}, one + strings.Repeat("3", 50), 1, nil},
		"a trailer":                    {[]string{head + chunk(one) + trailer}, one, 1, nil},
		"more than was asked for":      {[]string{head + chunk(one) + last + "more"}, one, 3, nil},
		"much more":                    {[]string{head + chunk(one) + last + two}, one, 3, nil},
		"a length":                     {[]string{length + one}, one, 1, nil},
		"a length, and more":           {[]string{length + one + "more"}, one, 3, nil},
		"an end within the page":       {[]string{head + chunk(one)[:20_000], ends}, "", 3, io.ErrUnexpectedEOF},
		"an end before the last chunk": {[]string{head + chunk(one), ends}, "", 3, io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			dials, read := 0, make(chan int, 1000)
			w := wire.New(wire.Config{Next: nobody{}, MaxIdle: 1, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				dials++
				raw, err := new(net.Dialer).DialContext(ctx, network, address)
				if err != nil {
					return nil, err
				}
				return telling{raw.(*net.TCPConn), read}, nil
			}})
			t.Cleanup(w.CloseIdleConnections)
			url := served(t, read, c.writes...)
			for range 3 {
				response, err := w.RoundTrip(mustRequest(t, url))
				require.NoError(t, err)
				body := bytes.NewBuffer(make([]byte, 0, 64<<10)) // room for a whole page, as fetch has
				_, err = body.ReadFrom(response.Body)
				_ = response.Body.Close()
				require.ErrorIs(t, err, c.err)
				if c.err == nil {
					require.Equal(t, c.want, body.String())
				}
			}
			assert.Equal(t, c.dials, dials)
		})
	}
}

// telling is a connection that tells how much is read.
type telling struct {
	*net.TCPConn // which is looked at while it is idle
	read         chan<- int
}

func (c telling) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	c.read <- n
	return n, err
}

func mustRequest(t *testing.T, url string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	return r
}
