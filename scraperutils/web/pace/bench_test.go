package pace_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// BenchmarkHosts is what a request costs the table of hosts: when it may go, and what came of it.
func BenchmarkHosts(b *testing.B) {
	for _, n := range []int{1, 1_000, 100_000} {
		b.Run(fmt.Sprintf("hosts=%d", n), func(b *testing.B) {
			limiter := pace.New(pace.Config{})
			began := time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC)
			outcome := scraperutils.Outcome{
				Request: &scraperutils.Request{Method: "GET"}, Response: &scraperutils.Response{Status: 200, Took: 50 * time.Millisecond},
				Try: 1, Started: began, Ended: began.Add(50 * time.Millisecond),
			}
			hosts := make([]scraperutils.Host, n)
			for i := range hosts {
				hosts[i] = scraperutils.Host{Name: fmt.Sprintf("council-%d.example", i), Port: "443"}
				limiter.Pace(hosts[i]).Observe(outcome)
			}
			b.ReportAllocs()
			next := 0
			for b.Loop() {
				limiter.Pace(hosts[next]).Earliest()
				limiter.Pace(hosts[next]).Observe(outcome)
				if next++; next == n {
					next = 0
				}
			}
		})
	}
}
