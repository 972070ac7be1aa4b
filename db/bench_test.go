package db_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
)

func application(n int) record {
	return rec("authority_label", "kyogle", "council_reference", fmt.Sprint("DA ", n), "address", "1 Main St, Kyogle NSW 2474",
		"description", "Construction of a shed behind the house and alterations to the house itself",
		"info_url", fmt.Sprint("https://kyogle.example/applications/", n), "date_scraped", "2025-05-07", "date_received", "2025-05-01")
}

// BenchmarkSettle is a page's records on their way to the disk, as an operation saves them: new ones, and the same again.
func BenchmarkSettle(b *testing.B) {
	for _, again := range []bool{false, true} {
		for _, n := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("again=%v/records=%d", again, n), func(b *testing.B) {
				l := open(b, newPath(b), db.Options{}).Ledger("data", "authority_label", "council_reference")
				next := 0
				page := func() {
					for range n {
						require.NoError(b, l.Save(application(next)))
						next++
					}
					require.NoError(b, l.Settle(b.Context()))
				}
				page()
				b.ReportAllocs()
				for b.Loop() {
					if again {
						next = 0
					}
					page()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/record")
			})
		}
	}
}

// BenchmarkManyOperations is many operations that settle a page of ten at the same time.
func BenchmarkManyOperations(b *testing.B) {
	d := open(b, newPath(b), db.Options{})
	b.SetParallelism(50)
	b.RunParallel(func(p *testing.PB) {
		l := d.Ledger("data", "authority_label", "council_reference")
		for n := 0; p.Next(); n++ {
			for i := range 10 {
				require.NoError(b, l.Save(application(n*10+i)))
			}
			require.NoError(b, l.Settle(b.Context()))
		}
	})
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*10), "ns/record")
}
