package crawlcmd_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/crawlcmd"
)

// asProfiled has the command write a profile of its CPU time to the file that it names.
const asProfiled = "TEST_CRAWL_PROFILE"

// runCommand is the command as a process of its own.
func runCommand() int {
	path := os.Getenv(asProfiled)
	if path == "" {
		return crawlcmd.Main(os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
	}
	file, err := os.Create(path)
	if err == nil {
		err = pprof.StartCPUProfile(file)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := crawlcmd.Main(os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
	pprof.StopCPUProfile()
	if err := file.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// BenchmarkQueue is what a page of a queue costs a process: pages of 36 KB, four requests at once per host, no rests, no sinks. The sites
// are in another process, this one.
func BenchmarkQueue(b *testing.B) {
	const hosts = 250
	pages := 20
	if os.Getenv(asProfiled) != "" {
		pages = 400 // some 15 seconds of a processor
	}
	base := serveStories(b, hosts, 50*time.Millisecond)
	var urls strings.Builder
	for page := range pages {
		for _, host := range base {
			fmt.Fprintf(&urls, "http://%s/story?page=%d\n", host, page)
		}
	}
	var used time.Duration
	for range b.N {
		folder := b.TempDir()
		c := start(b, folder, "-f", write(b, folder, "urls", urls.String()), "--no-delay", "--per-host", "4", "--requests", "3200", "--warc", "off")
		require.Zero(b, c.end(b), c.complaints)
		require.Contains(b, c.out.String(), fmt.Sprintf(" pages=%d ", hosts*pages))
		used += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	b.ReportMetric(float64(used.Microseconds())/float64(b.N*hosts*pages), "µs-process/page")
}

// serveStories answers on a loopback address for each host, some time after a request.
func serveStories(b *testing.B, hosts int, latency time.Duration) (addresses []string) {
	b.Helper()
	story := []byte("<!doctype html><title>A story</title>" + strings.Repeat("<p>What happened today, told at length.</p>\n", 840))
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/story" {
			http.NotFound(w, r)
			return
		}
		time.Sleep(latency)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(story)
	})}
	var serving sync.WaitGroup
	b.Cleanup(func() {
		_ = server.Close()
		serving.Wait()
	})
	for i := range hosts {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.%d.%d:0", 1+i/250, 1+i%250))
		require.NoError(b, err)
		serving.Go(func() { _ = server.Serve(listener) })
		addresses = append(addresses, listener.Addr().String())
	}
	return addresses
}
