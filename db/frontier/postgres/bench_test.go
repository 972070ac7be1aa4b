package postgres_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/frontier/postgres"
	"github.com/multiscraper/multiscraper/db/frontier/postgres/postgrestest"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// BenchmarkWorkers is what several workers get out of one database whose commits are synced: claims of 64 hosts with 4 URLs each, which are
// completed with links, of which one in ten is new. Workers and database share the processors.
func BenchmarkWorkers(b *testing.B) {
	for _, links := range []int{0, 10} {
		for _, workers := range []int{1, 2, 4} {
			b.Run(fmt.Sprintf("links=%d/workers=%d", links, workers), func(b *testing.B) { benchmarkWorkers(b, workers, links) })
		}
	}
}

func benchmarkWorkers(b *testing.B, workers, links int) {
	s := postgrestest.Server{Durable: true}
	defer s.Close()
	url := s.Schema(b)
	frontiers := make([]*postgres.Frontier, workers)
	for i := range frontiers {
		frontiers[i] = open(b, url, postgres.Options{})
	}
	pages := b.N*64*4*3/2/hosts + 50
	adding, began := s.CPU(), time.Now()
	fill(b, frontiers[0], pages)
	added, took := s.CPU()-adding, time.Since(began)
	postgrestest.Exec(b, url, "analyze", "checkpoint")
	var mu sync.Mutex // guards claims and urls
	var claims []time.Duration
	urls, left := 0, make(chan int, b.N)
	for i := range b.N {
		left <- i
	}
	close(left)
	used := s.CPU()
	b.ResetTimer()
	var all sync.WaitGroup
	for _, f := range frontiers {
		all.Go(func() {
			for n := range left {
				took, done := turn(b, f, n, links, pages)
				mu.Lock()
				claims, urls = append(claims, took), urls+done
				mu.Unlock()
			}
		})
	}
	all.Wait()
	b.StopTimer()
	slices.Sort(claims)
	b.ReportMetric(float64(urls)/b.Elapsed().Seconds(), "URLs/s")
	b.ReportMetric(float64(claims[len(claims)/2].Microseconds())/1000, "ms/claim")
	b.ReportMetric(float64(claims[len(claims)*99/100].Microseconds())/1000, "ms/claim-p99")
	b.ReportMetric(float64(added.Microseconds())/float64(hosts*pages), "server-µs/added")
	b.ReportMetric(float64(took.Microseconds())/float64(hosts*pages), "µs/added")
	b.ReportMetric(float64((s.CPU()-used).Microseconds())/float64(urls), "server-µs/URL")
}

// hosts is how many there are.
const hosts = 1000

// fill adds pages of hosts.
func fill(b *testing.B, f *postgres.Frontier, pages int) {
	var batch []crawl.Entry
	for h := range hosts {
		for p := range pages {
			if batch = append(batch, page(h, p)); len(batch) == 20_000 {
				_, err := f.Add(b.Context(), time.Now(), batch)
				require.NoError(b, err)
				batch = batch[:0]
			}
		}
	}
	_, err := f.Add(b.Context(), time.Now(), batch)
	require.NoError(b, err)
}

func page(host, page int) crawl.Entry {
	h := scraperutils.Host{Name: fmt.Sprintf("host-%d.example", host), Port: "443"}
	return crawl.Entry{Host: h, URL: fmt.Sprintf("https://%s/articles/of-some-length/%d", h.Name, page), Depth: 1}
}

// turn claims hosts and has what they give done, with links, and returns what the claim took.
func turn(b *testing.B, f *postgres.Frontier, n, links, pages int) (took time.Duration, urls int) {
	began := time.Now()
	leases, err := f.Claim(b.Context(), began, crawl.Claim{Worker: "w", Hosts: 64, URLs: 4, Until: began.Add(time.Minute)})
	took = time.Since(began)
	require.NoError(b, err)
	now := time.Now()
	reports := make([]crawl.Report, len(leases))
	for i, l := range leases {
		reports[i] = crawl.Report{Held: l.Held, NotBefore: now, Interval: time.Second, Rule: "max_load"}
		for j, u := range l.URLs {
			urls++
			reports[i].Results = append(reports[i].Results, crawl.Result{Key: u.Key, State: crawl.StateDone, Attempts: 1, Status: 200, At: now, Took: time.Second,
				Bytes: 1000, ETag: `"5f3a"`, Digest: "0123456789abcdef"})
			for k := range links {
				host := (i*31 + j*7 + k*3 + n) % hosts
				number := (n + k) % pages
				if k == 0 {
					number = pages + n*256 + i*4 + j
				}
				reports[i].Found = append(reports[i].Found, page(host, number))
			}
		}
	}
	_, err = f.Complete(b.Context(), now, reports)
	require.NoError(b, err)
	return took, urls
}
