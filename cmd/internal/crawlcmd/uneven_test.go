package crawlcmd_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkUnevenQueue fetches a queue of 100,000 URLs of which three hosts have 95 %, until the other 250 hosts are done. A host answers
// after 200 ms and rests as long, so its twenty pages take 7.8 s whatever else there is: late is by how much the latest host and the median
// exceed what their own answers and rests take, from the first request of the crawl to the host's last answer, by the hosts' own log.
func BenchmarkUnevenQueue(b *testing.B) {
	const hosts, pages, latency = 250, 20, 200 * time.Millisecond
	for b.Loop() {
		web, folder := newWeb(b), b.TempDir()
		web.latency = latency
		good(b, folder, "add", "-f", write(b, folder, "small", list(hosts, pages)))
		good(b, folder, "add", "-f", write(b, folder, "large", uneven(95_000)))
		c := start(b, folder, "--proxy", web.proxy(), "--warc", "off")
		var late []float64
		for end := time.Now().Add(time.Minute); len(late) < hosts; time.Sleep(100 * time.Millisecond) {
			require.True(b, time.Now().Before(end), "%d hosts are done", len(late))
			late = web.late(pages)
		}
		c.kill(b)
		slices.Sort(late)
		b.ReportMetric(100*late[len(late)-1], "%late-latest")
		b.ReportMetric(100*late[len(late)/2], "%late-median")
		b.ReportMetric(float64(web.total()), "pages")
	}
}

// uneven is pages of three hosts.
func uneven(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "http://large%d.example/%d\n", i%3, i)
	}
	return b.String()
}
