package frontiertest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// walk does what comes to a seed's mind with a frontier and with the model, and compares every answer.
type walk struct {
	t     *testing.T
	rand  *rand.Rand
	place Place
	real  crawl.Frontier
	model *model
	now   time.Time
	held  []crawl.Lease // also such as are lost
}

func runWalk(t *testing.T, d Driver, hash func(string) int64, seed uint64, steps int) {
	w := &walk{
		t: t, rand: rand.New(rand.NewPCG(seed, 0)), place: d.New(t, hash), now: start,
		model: &model{alone: d.Alone, hash: hash, paths: map[*crawl.URLStatus]int64{}, links: map[*crawl.URLStatus]*modelLinks{}},
	}
	w.real = open(t, w.place, w.now)
	for range steps {
		w.step()
	}
	w.look()
	audit(t, w.real)
}

// step does one thing.
func (w *walk) step() {
	ctx := w.t.Context()
	switch n := w.rand.IntN(100); {
	case n < 25:
		entries := w.entries(w.rand.IntN(6))
		same(w, "add", func(f crawl.Frontier) (any, error) { return f.Add(ctx, w.now, entries) })
	case n < 45:
		c := crawl.Claim{Worker: w.pick("a", "b"), Hosts: w.rand.IntN(4), URLs: w.rand.IntN(4), Until: w.now.Add(time.Minute)}
		leases, _ := same(w, "claim", func(f crawl.Frontier) (any, error) { return f.Claim(ctx, w.now, c) }).([]crawl.Lease)
		w.held = append(w.held, leases...)
	case n < 70:
		reports := w.reports(w.rand.IntN(3))
		same(w, "complete", func(f crawl.Frontier) (any, error) { return f.Complete(ctx, w.now, reports) })
	case n < 75:
		var held []crawl.Held
		for range w.rand.IntN(3) {
			held = append(held, w.lease().Held)
		}
		until := w.now.Add(time.Duration(w.rand.IntN(90)) * time.Second)
		same(w, "renew", func(f crawl.Frontier) (any, error) { return f.Renew(ctx, w.now, until, held) })
	case n < 78:
		f := w.filter()
		same(w, fmt.Sprintf("retry %+v", f), func(r crawl.Frontier) (any, error) { return r.Retry(ctx, w.now, f) })
	case n < 79:
		require.NoError(w.t, w.real.Close())
		w.real = open(w.t, w.place, w.now)
		w.model.reopen(w.now)
	case n < 90:
		w.now = w.now.Add([]time.Duration{time.Microsecond * 300, time.Millisecond, time.Second, time.Minute, time.Hour}[w.rand.IntN(5)])
	default:
		w.look()
	}
}

// look compares all that can be asked.
func (w *walk) look() {
	ctx := w.t.Context()
	same(w, "due", func(f crawl.Frontier) (any, error) { return f.Due(ctx) })
	same(w, "counts", func(f crawl.Frontier) (any, error) { return f.Counts(ctx, w.now) })
	for _, h := range []crawl.HostFilter{{}, {Slowest: true}, {Limit: 3}, {Slowest: true, Limit: 2}, {Name: "h1.example"}, {Name: "h2.example:8080"}} {
		same(w, fmt.Sprintf("hosts %+v", h), func(f crawl.Frontier) (any, error) { return f.Hosts(ctx, h) })
	}
	same(w, "seeds", func(f crawl.Frontier) (any, error) { return f.Seeds(ctx) })
	for _, limit := range []int{0, 2} {
		same(w, "traps", func(f crawl.Frontier) (any, error) { return f.Traps(ctx, limit) })
	}
	for _, u := range []crawl.URLFilter{{}, w.filter(), w.filter()} {
		same(w, fmt.Sprintf("urls %+v", u), func(f crawl.Frontier) (any, error) { return f.URLs(ctx, u) })
	}
}

// same returns an answer that both give.
func same(w *walk, what string, ask func(crawl.Frontier) (any, error)) any {
	want, err := ask(w.model)
	require.NoError(w.t, err)
	got, err := ask(w.real)
	require.NoError(w.t, err, what)
	if !nothingIn(want) || !nothingIn(got) {
		require.Equal(w.t, want, got, "%s at %s", what, w.now)
	}
	return got
}

// nothingIn reports whether an answer is a list of nothing, which a driver may also give as no list.
func nothingIn(answer any) bool {
	v := reflect.ValueOf(answer)
	return v.Kind() == reflect.Slice && v.Len() == 0
}

func (w *walk) pick(words ...string) string { return words[w.rand.IntN(len(words))] }

// hostAt returns one of a few hosts: some of one name.
func (w *walk) hostAt() scraperutils.Host {
	return scraperutils.Host{Name: fmt.Sprintf("h%d.example", w.rand.IntN(4)), Port: w.pick("80", "443", "8080")}
}

func (w *walk) entries(n int) (entries []crawl.Entry) {
	for range n {
		h := w.hostAt()
		e := crawl.Entry{Host: h, URL: fmt.Sprintf("http://%s:%s/%d%s", h.Name, h.Port, w.rand.IntN(12), w.query()), Priority: w.rand.IntN(12) - 1,
			Series: w.rand.IntN(3), Sitemap: w.rand.IntN(9) == 0, Variants: w.rand.IntN(4), Limit: w.rand.IntN(2) * w.rand.IntN(30), Depth: w.rand.IntN(5), Via: w.pick("", "http://via.example/"), Again: w.rand.IntN(3) == 0, Redirects: w.rand.IntN(2)}
		if w.rand.IntN(4) == 0 {
			e.ID = fmt.Sprint("given ", w.rand.IntN(9))
		}
		if w.rand.IntN(3) == 0 {
			e.Due = w.now.Add(time.Duration(w.rand.IntN(7200)-1800) * time.Second)
		}
		entries = append(entries, e)
	}
	return entries
}

// linked are links of a page.
func (w *walk) linked(u crawl.Item) []crawl.Entry {
	all := w.entries(1 + w.rand.IntN(3))
	for i := range all {
		all[i].Depth = u.Depth + w.rand.IntN(2)
	}
	return all
}

// query returns one of a few queries, or none most often.
func (w *walk) query() string {
	if w.rand.IntN(3) > 0 {
		return ""
	}
	return fmt.Sprint("?q=", w.rand.IntN(6))
}

func (w *walk) trapped() (traps []crawl.Trap) {
	for range w.rand.IntN(3) {
		traps = append(traps, crawl.Trap{Host: w.hostAt(), Rule: w.pick("series", "depth", crawl.TrapVariants), Count: 1 + w.rand.IntN(9), Example: fmt.Sprint("http://example/", w.rand.IntN(99))})
	}
	return traps
}

// lease returns one that was given at some time, of late most often, or none of any frontier's.
func (w *walk) lease() crawl.Lease {
	if len(w.held) == 0 || w.rand.IntN(30) == 0 {
		return crawl.Lease{Held: crawl.Held{HostID: 4711, Token: 1}}
	}
	return w.held[len(w.held)-1-w.rand.IntN(min(len(w.held), 4))]
}

func (w *walk) reports(n int) (reports []crawl.Report) {
	for range n {
		l := w.lease()
		r := crawl.Report{Held: l.Held, Found: w.entries(w.rand.IntN(3)), Trapped: w.trapped(), Rule: w.pick("", "max_load"), Trouble: w.pick("", "dns"), Downs: w.rand.IntN(3),
			Keep: w.rand.IntN(3) > 0, Until: w.now.Add(time.Duration(w.rand.IntN(90)) * time.Second), More: w.rand.IntN(3)}
		if w.rand.IntN(3) > 0 {
			r.NotBefore = w.now.Add(time.Duration(w.rand.IntN(10_000_000)) * time.Microsecond)
			r.Interval = time.Duration(w.rand.IntN(10_000_000)) * time.Microsecond
		}
		for _, u := range l.URLs {
			switch w.rand.IntN(4) {
			case 0:
				r.Holding = append(r.Holding, u.Key)
			case 1, 2:
				r.Results = append(r.Results, w.result(u))
			}
		}
		reports = append(reports, r)
	}
	return reports
}

func (w *walk) result(u crawl.Item) crawl.Result {
	r := crawl.Result{Key: u.Key, Attempts: u.Attempts + 1, Status: w.rand.IntN(600), ETag: w.pick("", `"x"`), Modified: w.pick("", "Mon"),
		Digest: w.pick("", "abc"), Level: w.rand.IntN(10), At: w.now.Add(-time.Second), Took: time.Duration(w.rand.IntN(1e9)), Bytes: w.rand.IntN(1e6)}
	r.State = []crawl.State{crawl.StateReady, crawl.StateRetry, crawl.StateDone, crawl.StateDone, crawl.StateFailed, crawl.StateFailed}[w.rand.IntN(6)]
	if r.State == crawl.StateFailed || r.State == crawl.StateRetry {
		r.Reason = w.pick("robots", "http-404", "not-text: image/png", "not-text", "dns no such host", "")
	}
	if w.rand.IntN(2) == 0 {
		r.Due = w.now.Add(time.Duration(w.rand.IntN(7200)) * time.Second)
	}
	if w.rand.IntN(3) == 0 {
		r.Links = crawl.PackLinks(u.Depth, w.rand.IntN(5), w.linked(u))
	}
	if w.rand.IntN(50) == 0 {
		r.Key++ // of another URL, or none
	}
	return r
}

func (w *walk) filter() (f crawl.URLFilter) {
	pick := func() bool { return w.rand.IntN(4) == 0 }
	if pick() {
		f.State = crawl.State(w.pick("ready", "retry", "done", "failed"))
	}
	if pick() {
		f.Reason = w.pick("robots", "not-text", "dns", "not")
	}
	if pick() {
		f.HostID = w.lease().HostID
	}
	if e := w.entries(1)[0]; pick() {
		f.URL = e.URL
	}
	if pick() {
		f.Since = w.now.Add(-time.Duration(w.rand.IntN(7200)) * time.Second)
	}
	if l := w.lease(); pick() && len(l.URLs) > 0 {
		f.After = crawl.Cursor{HostID: l.HostID, Key: l.URLs[0].Key}
	}
	if pick() {
		f.Limit = 1 + w.rand.IntN(3)
	}
	return f
}
