package browser

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// measured skips what takes minutes, unless BROWSE_BENCH is set.
func measured(b testing.TB) {
	b.Helper()
	if os.Getenv("BROWSE_BENCH") == "" {
		b.Skip("BROWSE_BENCH is not set: this takes minutes")
	}
}

// site serves a page, and counts what it asks for.
type site struct {
	*httptest.Server
	asked atomic.Int64
}

func newSite(t testing.TB, page string) *site {
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		w.Header().Set("Cache-Control", "no-store")
		if r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<!DOCTYPE html>"+page)
			return
		}
		_, _ = io.WriteString(w, "{}")
	}))
	t.Cleanup(s.Close)
	return s
}

// after has a page be done a fixed time after its load event and the last action of a behavior, whatever it asks for.
func after(wait time.Duration) func(*rest, time.Time) (bool, time.Time) {
	return func(r *rest, now time.Time) (bool, time.Time) {
		since := r.acted
		if r.at.After(since) {
			since = r.at
		}
		over := since.Add(wait)
		return r.loaded && !r.busy && !now.Before(over), cmp.Or(over, now)
	}
}

const (
	plain = `<h1>plain</h1><link rel=icon href="data:,"><img src=/1><img src=/2><img src=/3><img src=/4><script src=/5></script><script src=/6></script><link rel=stylesheet href=/7>
		<script>fetch("/8"); fetch("/9"); fetch("/10")</script>`
	deferred = `<h1>late</h1><link rel=icon href="data:,"><script>setTimeout(() => fetch("/late"), 2000)</script>`
	polling  = `<h1>polls</h1><link rel=icon href="data:,"><script>setInterval(() => fetch("/poll"), 1000)</script>`
	scrolled = `<h1>scrolls</h1><link rel=icon href="data:,"><style>div { height: 1200px }</style><div>0</div><div id=end style="height:10px"></div><script>let n = 0;
		new IntersectionObserver(async s => { if (!s.some(e => e.isIntersecting) || n >= 10) return; await fetch("/" + ++n);
			const d = document.createElement("div"); document.body.insertBefore(d, end) }).observe(end)</script>`
)

// TestDoneRule prints how many requests of some pages are seen, and how long that takes, by the rule and by fixed waits.
func TestDoneRule(t *testing.T) {
	measured(t)
	rules := []struct {
		name string
		rule func(*rest, time.Time) (bool, time.Time)
	}{{"rule", (*rest).done}, {"1 s", after(time.Second)}, {"2.5 s", after(2500 * time.Millisecond)}, {"7 s", after(7 * time.Second)}}
	t.Logf("%-12s %-6s %9s %9s", "page", "done", "requests", "seconds")
	for _, page := range []struct{ name, html string }{{"static", plain}, {"scroll", scrolled}, {"after 2 s", deferred}, {"polling", polling}} {
		for _, r := range rules {
			b, err := Open(t.Context(), Options{AllowPrivate: true, rule: r.rule})
			require.NoError(t, err)
			result, err := b.Visit(t.Context(), Visit{URL: newSite(t, page.html).URL})
			require.NoError(t, err)
			require.NoError(t, b.Close())
			t.Logf("%-12s %-6s %9d %9.1f", page.name, r.name, result.Requests, result.Took.Seconds())
		}
	}
}

// BenchmarkPages opens a page of 11 requests over and over: in a context of its own until the rule says that it is done, and beside that in
// a process of its own with a fixed wait of 7 s.
func BenchmarkPages(b *testing.B) {
	measured(b)
	for _, way := range []struct {
		name string
		Options
	}{
		{"context", Options{}},
		{"process7s", Options{PagesPerProcess: 1, rule: after(7 * time.Second)}},
	} {
		for _, n := range []int{1, 2, 4} {
			b.Run(fmt.Sprintf("%s/at-once=%d", way.name, n), func(b *testing.B) { pagesFor(b, way.Options, n, 40*time.Second) })
		}
	}
}

// pagesFor opens pages for a time, so many at once.
func pagesFor(b *testing.B, o Options, atOnce int, during time.Duration) {
	o.AllowPrivate, o.Pages = true, atOnce
	s := newSite(b, plain)
	u := &usage{}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	var watching, visiting sync.WaitGroup
	watching.Go(func() { u.watch(ctx) })
	began := time.Now()
	var count atomic.Int64
	visit := visitor(b, o, s.URL)
	for range atOnce {
		visiting.Go(func() {
			for time.Since(began) < during {
				visit()
				count.Add(1)
			}
		})
	}
	visiting.Wait()
	took := time.Since(began)
	cancel()
	watching.Wait()
	b.ReportMetric(float64(count.Load())/took.Minutes(), "pages/min")
	b.ReportMetric(u.cpu.Seconds()/float64(count.Load()), "cpu-s/page")
	b.ReportMetric(float64(u.peak>>20), "MB-peak")
	b.ReportMetric(float64(s.asked.Load())/float64(count.Load()), "requests/page")
	b.ReportMetric(0, "ns/op")
}

// visitor returns what opens the page once: in the one browser of all places, or in one of its own.
func visitor(b *testing.B, o Options, url string) func() {
	if o.PagesPerProcess == 1 {
		o.Pages = 1
		return func() {
			one, err := Open(b.Context(), o)
			require.NoError(b, err)
			defer one.Close()
			_, err = one.Visit(b.Context(), Visit{URL: url})
			require.NoError(b, err)
		}
	}
	all, err := Open(b.Context(), o)
	require.NoError(b, err)
	b.Cleanup(func() { _ = all.Close() })
	return func() {
		_, err := all.Visit(b.Context(), Visit{URL: url})
		require.NoError(b, err)
	}
}

// usage is what the processes below this one take.
type usage struct {
	cpu  time.Duration
	peak int64 // bytes, of all together: what they share counted in part
}

// watch looks at all processes below this one until ctx is over.
func (u *usage) watch(ctx context.Context) {
	last := map[int]time.Duration{}
	for {
		var memory int64
		for _, pid := range below(os.Getpid()) {
			if used, ok := cpuOf(pid); ok {
				last[pid] = max(last[pid], used)
			}
			memory += proportional(pid)
		}
		u.peak = max(u.peak, memory)
		if sleep(ctx, 100*time.Millisecond) != nil {
			break
		}
	}
	for _, used := range last {
		u.cpu += used
	}
}

func below(pid int) []int {
	var all []int
	for _, child := range children(pid) {
		all = append(append(all, child), below(child)...)
	}
	return all
}

// cpuOf is what a process has used so far itself.
func cpuOf(pid int) (time.Duration, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, false
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond, true
}

// proportional is a process's share of the memory that it uses, in bytes.
func proportional(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), "\nPss:")
	var kilobytes int64
	_, _ = fmt.Sscan(after, &kilobytes)
	return kilobytes << 10
}

// A page of 300 images is not taken for one that hangs because the machine has no time for it.
func TestBusyMachine(t *testing.T) {
	if os.Getenv("BROWSE") != "full" {
		t.Skip("BROWSE=full is not set: both cores would be busy for a while")
	}
	ctx, cancel := context.WithCancel(t.Context())
	var spinning sync.WaitGroup
	defer spinning.Wait()
	defer cancel()
	for range 4 {
		spinning.Go(func() {
			for ctx.Err() == nil {
			}
		})
	}
	var page strings.Builder
	page.WriteString(`<link rel=icon href="data:,">`)
	for i := range 300 {
		fmt.Fprintf(&page, "<img src=/image/%d>", i)
	}
	s := newSite(t, page.String())
	b, err := Open(t.Context(), Options{AllowPrivate: true})
	require.NoError(t, err)
	defer b.Close()
	result, err := b.Visit(t.Context(), Visit{URL: s.URL})
	require.NoError(t, err)
	require.Equal(t, 301, result.Requests)
}
