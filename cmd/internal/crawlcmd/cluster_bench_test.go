package crawlcmd_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/frontier/postgres/postgrestest"
)

// BenchmarkCluster is what several processes fetch from one database together, without rests, from hosts that answer at once. Processes,
// database and web share the processors, so what a page costs each of them says more than how many there are in a second.
func BenchmarkCluster(b *testing.B) {
	for _, processes := range []int{1, 2, 4} {
		b.Run(fmt.Sprint("processes=", processes), func(b *testing.B) { benchmarkCluster(b, processes) })
	}
}

func benchmarkCluster(b *testing.B, processes int) {
	const hosts, pages = 400, 50
	s := &postgrestest.Server{Durable: true}
	defer s.Close()
	var fetching, used, server time.Duration
	for range b.N {
		web, folder := newLedger(b, 0), b.TempDir()
		shared.Store(folder, s.Schema(b))
		good(b, folder, "add", "-f", write(b, folder, "urls", list(hosts, pages)))
		before, began := s.CPU(), time.Now()
		var members []*child
		for range processes {
			members = append(members, start(b, folder, "--scope", "none", "--proxy", web.proxy(), "--warc", "off", "--no-delay"))
		}
		for _, m := range members {
			require.Zero(b, m.end(b), m.complaints)
			used += m.ProcessState.UserTime() + m.ProcessState.SystemTime()
		}
		fetching += time.Since(began)
		server += s.CPU() - before
		require.Equal(b, hosts*pages, web.total())
	}
	n := float64(b.N * hosts * pages)
	b.ReportMetric(n/fetching.Seconds(), "pages/s")
	b.ReportMetric(float64(used.Microseconds())/n, "µs-processes/page")
	b.ReportMetric(float64(server.Microseconds())/n, "µs-server/page")
}
