package fetch_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

// BenchmarkDo gets a page of 8 KiB from loopback: by a Client, as a crawl does, and by net/http alone on the first one's transport. The
// server allocates nothing, so that what is measured is the client.
func BenchmarkDo(b *testing.B) {
	base := serveAlways(b, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 8000\r\n\r\n"+strings.Repeat("<p>Page.", 1000))
	transport := fetch.NewTransport(fetch.TransportConfig{})
	b.Cleanup(transport.CloseIdleConnections)
	u, err := url.Parse(base + "/page?number=1")
	require.NoError(b, err)
	header := http.Header{"If-None-Match": {`"1"`}}
	b.Run("net/http", func(b *testing.B) {
		client := http.Client{Transport: transport}
		measure(b, func() error {
			ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
			defer cancel()
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
			if err != nil {
				return err
			}
			r.Header = header.Clone()
			r.Header.Set("User-Agent", "a crawler")
			r.Header.Set("Accept-Encoding", "gzip, deflate")
			answer, err := client.Do(r)
			if err != nil {
				return err
			}
			defer answer.Body.Close()
			_, err = io.ReadAll(answer.Body)
			return err
		})
	})
	bodies, direct := new(fetch.Bodies), fetch.NewDirect(fetch.TransportConfig{})
	b.Cleanup((&http.Client{Transport: direct}).CloseIdleConnections)
	for name, c := range map[string]fetch.Config{"fetch": {Transport: transport}, "crawl": {Transport: direct, Bodies: bodies}} {
		b.Run(name, func(b *testing.B) {
			c.Robots, c.UserAgent = robots.NewCache(robots.Config{}), "a crawler"
			client := fetch.New(c)
			measure(b, func() error {
				answer, err := client.Do(b.Context(), &scraperutils.Request{Method: http.MethodGet, URL: u, Header: header})
				c.Bodies.Free(answer.Body)
				return err
			})
		})
	}
}

// serveAlways gives the same answer to every request.
func serveAlways(b *testing.B, answer string) (base string) {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	b.Cleanup(func() { listener.Close() })
	serve := func(c net.Conn) {
		defer c.Close()
		response, buffer := []byte(answer), make([]byte, 64<<10)
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

// measure runs a request again and again, and reports the processor's time of both ends.
func measure(b *testing.B, request func() error) {
	require.NoError(b, request()) // connects, and reads the robots.txt
	b.ReportAllocs()
	before := cpu(b)
	for b.Loop() {
		if err := request(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cpu(b)-before)/float64(b.N), "cpu-ns/op")
}

// cpu is the time that the process has used, in nanoseconds.
func cpu(b *testing.B) int64 {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return u.Utime.Nano() + u.Stime.Nano()
}
