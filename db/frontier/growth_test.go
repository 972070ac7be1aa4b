package frontier_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/frontier"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// BenchmarkGrowth says what a URL and a page cost when so many URLs are known, on 100 pages of each host. GROWTH is how many at last.
func BenchmarkGrowth(b *testing.B) {
	most := 100_000
	if n, err := strconv.Atoi(os.Getenv("GROWTH")); err == nil {
		most = n
	}
	fmt.Println("\n| known | CPU a new URL, since the row before | time | CPU a page | time | a claim of 64 hosts | bytes a URL | memory |")
	for b.Loop() {
		path := newPath(b)
		f := open(b, path, frontier.Options{})
		known := 0
		for _, size := range []int{10_000, 100_000, 1_000_000, 4_000_000, 10_000_000} {
			if size > most {
				break
			}
			began, cpu, before := time.Now(), cpuTime(b), known
			for ; known < size; known += 10_000 {
				_, err := f.Add(b.Context(), now, synthetic(known, 10_000))
				require.NoError(b, err)
			}
			added := fmt.Sprintf("%s | %s", perOne(cpuTime(b)-cpu, size-before), perOne(time.Since(began), size-before))
			page := pages(b, f, size)
			fmt.Printf("| %d | %s | %s | %d | %d MiB |\n", size, added, page, sizeOf(b, path)/int64(size), resident(b)>>20)
		}
	}
}

func perOne(d time.Duration, n int) time.Duration {
	return (d / time.Duration(max(n, 1))).Round(100 * time.Nanosecond)
}

// ofHost is how many URLs a host has.
const ofHost = 100

func address(i int) (scraperutils.Host, string) {
	name := fmt.Sprintf("www.host-%d.example", i/ofHost)
	return scraperutils.Host{Name: name, Port: "443"}, fmt.Sprintf("https://%s/section-%d/page-%d.html", name, i%7, i)
}

// synthetic are URLs of a number and on; the first 10,000 are on 100 hosts.
func synthetic(first, n int) []crawl.Entry {
	all := make([]crawl.Entry, n)
	for i := range all {
		h, u := address(first + i)
		all[i] = crawl.Entry{Host: h, URL: u, Depth: 1, Via: "https://" + h.Name + "/", Variants: 10_000}
	}
	return all
}

// pages claims and completes pages with ten links each, nine of which are known: seven of their host, two of any.
func pages(b *testing.B, f crawl.Frontier, size int) string {
	b.Helper()
	r := rand.New(rand.NewPCG(uint64(size), 0))
	const rounds, hosts, urls = 20, 64, 4
	asked := 0
	began, cpu := time.Now(), cpuTime(b)
	var claims time.Duration
	for round := range rounds {
		at := now.Add(time.Duration(round) * time.Second)
		start := time.Now()
		leases, err := f.Claim(b.Context(), at, crawl.Claim{Worker: "w", Hosts: hosts, URLs: urls, Until: at.Add(time.Minute)})
		require.NoError(b, err)
		claims += time.Since(start)
		reports := make([]crawl.Report, 0, len(leases))
		for _, l := range leases {
			var host int
			_, err := fmt.Sscanf(l.Host.Name, "www.host-%d.example", &host)
			require.NoError(b, err)
			report := crawl.Report{Held: l.Held, NotBefore: at, Interval: time.Second, Rule: "max_load"}
			for _, u := range l.URLs {
				asked++
				report.Results = append(report.Results, crawl.Result{Key: u.Key, State: crawl.StateDone, Attempts: 1, Status: 200, At: at, Took: time.Second, Bytes: 30_000,
					ETag: `"5f3a-1"`, Digest: "0123456789abcdef"})
				report.Found = append(report.Found, crawl.Entry{Host: l.Host, URL: fmt.Sprintf("https://%s/new-%d-%d-%d", l.Host.Name, size, round, asked), Depth: 2, Via: u.URL})
				for i := range 9 {
					n := host*ofHost + r.IntN(ofHost)
					if i > 6 {
						n = r.IntN(size)
					}
					h, link := address(n)
					report.Found = append(report.Found, crawl.Entry{Host: h, URL: link, Depth: 2, Via: u.URL})
				}
			}
			reports = append(reports, report)
		}
		_, err = f.Complete(b.Context(), at, reports)
		require.NoError(b, err)
	}
	return fmt.Sprintf("%s | %s | %s", perOne(cpuTime(b)-cpu, asked), perOne(time.Since(began), asked), (claims / rounds).Round(10*time.Microsecond))
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func sizeOf(b *testing.B, path string) (n int64) {
	b.Helper()
	run(b, another(b, path), "PRAGMA wal_checkpoint(TRUNCATE)")
	info, err := os.Stat(path)
	require.NoError(b, err)
	return info.Size()
}

// resident is what the process holds in memory, after a collection.
func resident(b *testing.B) int64 {
	b.Helper()
	runtime.GC()
	text, err := os.ReadFile("/proc/self/statm")
	require.NoError(b, err)
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	require.NoError(b, err)
	return pages * int64(os.Getpagesize())
}
