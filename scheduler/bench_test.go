package scheduler_test

import (
	"context"
	"fmt"
	"net/url"
	"testing"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/pace"
)

// instant answers at once.
type instant struct{ response *scraperutils.Response }

func (c instant) Do(context.Context, *scraperutils.Request) (*scraperutils.Response, error) {
	return c.response, nil
}

// BenchmarkTurn is one ExecuteRequest through the loop, with so many operations alive.
func BenchmarkTurn(b *testing.B) {
	for _, n := range []int{1, 100, 10_000, 100_000} {
		b.Run(fmt.Sprintf("operations=%d", n), func(b *testing.B) {
			client := instant{&scraperutils.Response{Status: 200}}
			s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{NoDelay: true})})
			each := b.N/n + 1
			for i := range n {
				u, err := url.Parse(fmt.Sprintf("http://council-%d.example/page", i))
				if err != nil {
					b.Fatal(err)
				}
				r := &scraperutils.Request{Method: "GET", URL: u}
				register(b, s, fmt.Sprint(i), func(ctx context.Context) error {
					for range each {
						if _, err := scheduler.ExecuteRequest(ctx, client, r); err != nil {
							return err
						}
					}
					return nil
				})
			}
			b.ReportAllocs()
			b.ResetTimer()
			run(b, s)
			b.StopTimer()
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(each*n), "ns/turn")
		})
	}
}
