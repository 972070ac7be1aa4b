package wire_test

import (
	"bytes"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/web/wire"
)

// BenchmarkRoundTrip gets pages of 8 KiB from loopback by this transport and by net/http's, 500 at once. The server allocates nothing.
func BenchmarkRoundTrip(b *testing.B) {
	url := serveAlways(b, "HTTP/1.1 200 OK\r\nContent-Length: 8000\r\n\r\n"+strings.Repeat("<p>Page.", 1000))
	dial := new(net.Dialer).DialContext
	standard := &http.Transport{DialContext: dial, DisableCompression: true, MaxIdleConnsPerHost: 500}
	b.Cleanup(standard.CloseIdleConnections)
	direct := wire.New(wire.Config{Dial: dial, Next: standard, MaxIdle: 500})
	b.Cleanup(direct.CloseIdleConnections)
	for name, w := range map[string]http.RoundTripper{"wire": direct, "net/http": standard} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			requests := make(chan struct{}, 500)
			var all sync.WaitGroup
			for range cap(requests) {
				all.Go(func() {
					for range requests {
						if _, err := get(b.Context(), w, url); err != nil {
							b.Error(err)
						}
					}
				})
			}
			for b.Loop() {
				requests <- struct{}{}
			}
			close(requests)
			all.Wait()
		})
	}
}

// serveAlways gives the same answer to every request.
func serveAlways(b *testing.B, answer string) (url string) {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	b.Cleanup(func() { listener.Close() })
	serve := func(c net.Conn) {
		defer c.Close()
		response, buffer := []byte(answer), make([]byte, 4<<10)
		for {
			n, err := c.Read(buffer)
			if err != nil || !bytes.HasSuffix(buffer[:n], []byte("\r\n\r\n")) {
				return
			}
			if _, err := c.Write(response); err != nil {
				return
			}
		}
	}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return "http://" + listener.Addr().String()
}
