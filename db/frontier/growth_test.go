package frontier_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/frontier"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/scope"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// BenchmarkGrowth says what a URL and a page cost when so many URLs are known, on 100 pages of each host. GROWTH is how many at last.
func BenchmarkGrowth(b *testing.B) {
	most := 100_000
	if n, err := strconv.Atoi(os.Getenv("GROWTH")); err == nil {
		most = n
	}
	fmt.Println("\n| known | CPU a new URL, since the row before | time | CPU a page, in the frontier | a claim of 64 hosts | CPU a page, in all | bytes a URL | memory |")
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
			bytes := sizeOf(b, path) / int64(size)
			var alone, all, claim []time.Duration
			for n := range 3 { // the machine may have other work
				claimed, cost := pages(b, f, size+n)
				claim, alone, all = append(claim, claimed), append(alone, cost), append(all, crawled(b, f, size+n))
			}
			fmt.Printf("| %d | %s | %s | %s | %s | %d | %d MiB |\n", size, added, slices.Min(alone), slices.Min(claim), slices.Min(all), bytes, resident(b)>>20)
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

// linksOf are what a page of a host leads to, in a frontier of so many URLs: a new page, 27 known ones of the same host, two of any.
func linksOf(r *rand.Rand, host, size int, new string) []string {
	name := fmt.Sprintf("https://www.host-%d.example", host)
	all := []string{name + new}
	for i := range 29 {
		n := host*ofHost + r.IntN(ofHost)
		if i > 26 {
			n = r.IntN(size)
		}
		_, link := address(n)
		all = append(all, link)
	}
	return all
}

// hostNumber is the number of a host of address.
func hostNumber(name string) (n int) {
	if _, err := fmt.Sscanf(name, "www.host-%d.example", &n); err != nil {
		panic(err) // nobody adds others
	}
	return n
}

// How much of a crawl is measured: some hosts, and about half of their pages.
const (
	hostsAtOnce = 64
	pagesInAll  = 5120
)

// pages claims hosts and completes pages of them, in the frontier alone. It is asked for each link, also for those that a worker remembers.
func pages(b *testing.B, f crawl.Frontier, size int) (claim, page time.Duration) {
	b.Helper()
	now := time.Now()
	const atOnce = 8 // pages of a host
	r := rand.New(rand.NewPCG(uint64(size), 0))
	began, cpu := time.Now(), cpuTime(b)
	leases, err := f.Claim(b.Context(), now, crawl.Claim{Worker: "w", Hosts: hostsAtOnce, URLs: atOnce, Until: now.Add(time.Minute)})
	require.NoError(b, err)
	claim, asked := time.Since(began).Round(10*time.Microsecond), 0
	for last := false; !last; {
		last = asked+len(leases)*atOnce >= pagesInAll
		reports := make([]crawl.Report, len(leases))
		for i, l := range leases {
			report := crawl.Report{Held: l.Held, NotBefore: now, Interval: time.Second, Rule: "max_load", Keep: !last, Until: now.Add(time.Minute), More: atOnce}
			for _, u := range l.URLs {
				asked++
				report.Results = append(report.Results, crawl.Result{Key: u.Key, State: crawl.StateDone, Attempts: 1, Status: 200, At: now, Took: time.Second, Bytes: 30_000,
					ETag: `"5f3a-1"`, Digest: "0123456789abcdef"})
				for _, link := range linksOf(r, hostNumber(l.Host.Name), size, fmt.Sprintf("/new-%d-%d", size, asked)) {
					parsed, err := url.Parse(link)
					require.NoError(b, err)
					report.Found = append(report.Found, crawl.Entry{Host: scraperutils.HostOf(parsed), URL: link, Depth: 2, Via: u.URL})
				}
			}
			reports[i] = report
		}
		receipts, err := f.Complete(b.Context(), now, reports)
		require.NoError(b, err)
		for i := range leases {
			leases[i].URLs = receipts[i].URLs
		}
	}
	return claim, perOne(cpuTime(b)-cpu, asked)
}

// web answers at once with pages of 10 KB and 30 links.
type web struct {
	size int
	news atomic.Int64
	text []byte // of each page, besides its links
}

func (w *web) Do(_ context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	n := w.news.Add(1)
	random := rand.New(rand.NewPCG(uint64(w.size), uint64(n)))
	body := append(make([]byte, 0, len(w.text)+4096), w.text...)
	for _, link := range linksOf(random, hostNumber(r.URL.Hostname()), w.size, fmt.Sprintf("/fresh-%d-%d", w.size, n)) {
		body = append(append(append(body, `<li><a href="`...), link...), `">a story</a></li>`...)
	}
	return &scraperutils.Response{URL: r.URL, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}, "Etag": {`"5f3a-1"`}}, Body: body}, nil
}

// crawled has a worker crawl some pages, with all that it does but the network and what stores pages, and returns the CPU time of one.
func crawled(b *testing.B, f crawl.Frontier, size int) time.Duration {
	b.Helper()
	counts, err := f.Counts(b.Context(), time.Now())
	require.NoError(b, err)
	s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{NoDelay: true, NoRetry: true})})
	ctx, cancel := context.WithCancel(b.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	w := &crawl.Worker{Name: "w", Frontier: f, Scheduler: s, Hosts: hostsAtOnce, URLs: 64, MaxPages: counts.Done + counts.Failed + pagesInAll, Scope: scope.Scope{Kind: scope.All},
		Client: &web{size: size, text: []byte("<title>A page</title>" + strings.Repeat("<p>A line of a story, as there are many.</p>\n", 220))}}
	cpu := cpuTime(b)
	require.NoError(b, w.Run(b.Context()))
	page := perOne(cpuTime(b)-cpu, pagesInAll)
	cancel()
	require.NoError(b, <-served)
	return page
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func sizeOf(b *testing.B, path string) (n int64) {
	b.Helper()
	pool, err := sql.Open("sqlite3", path)
	require.NoError(b, err)
	_, err = pool.ExecContext(b.Context(), "PRAGMA wal_checkpoint(TRUNCATE)")
	require.NoError(b, errors.Join(err, pool.Close()))
	info, err := os.Stat(path)
	require.NoError(b, err)
	return info.Size()
}

// resident is what the process holds in memory, when it has given back what it does not need.
func resident(b *testing.B) int64 {
	b.Helper()
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	require.NoError(b, err)
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	require.NoError(b, err)
	return pages * int64(os.Getpagesize())
}
