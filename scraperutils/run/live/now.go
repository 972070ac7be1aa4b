package live

import (
	"bytes"
	"cmp"
	"html/template"
	"net/http"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/feed"
)

// slowest is how many hosts the page names above all.
const slowest = 8

// nowPage is what the first page shows.
type nowPage struct {
	*handler
	feed.Picture
	At    time.Time
	Due   time.Time      // of the next run; zero: none is
	Other int            // the process of a run that began elsewhere, or 0
	Why   string         // the last run came to nothing, or ""
	Log   []Action       // the last first
	Count map[string]int // of sites, by state
	Slow  []feed.Status  // that are waited for longest
	All   []feed.Status
}

func (h *handler) now(w http.ResponseWriter, _ *http.Request) {
	p := nowPage{handler: h, Picture: h.Hub.Picture(), At: time.Now(), Count: map[string]int{}}
	if h.Next != nil {
		p.Due = h.Next()
	}
	if h.Elsewhere != nil && !p.Going() {
		p.Other = h.Elsewhere()
	}
	if h.Problem != nil && !p.Going() {
		p.Why = h.Problem()
	}
	if h.Actions != nil {
		p.Log = h.Actions()
	}
	for _, s := range p.Statuses {
		p.Count[string(s.State)]++
	}
	p.All = slices.SortedStableFunc(slices.Values(p.Statuses), func(x, y feed.Status) int {
		return cmp.Or(cmp.Compare(urgency[x.State], urgency[y.State]), cmp.Compare(x.Label, y.Label))
	})
	for _, s := range p.All {
		if s.State == feed.Waiting || s.State == feed.Asking {
			p.Slow = append(p.Slow, s)
		}
	}
	slices.SortStableFunc(p.Slow, func(x, y feed.Status) int { return x.Since.Compare(y.Since) })
	p.Slow = p.Slow[:min(len(p.Slow), slowest)]
	h.show(w, "now.html", http.StatusOK, p)
}

// urgency is the order in which a list shows what sites are doing.
var urgency = map[feed.State]int{feed.Failed: 0, feed.Asking: 1, feed.Waiting: 2, feed.Reading: 3, feed.Queued: 4, feed.Done: 5}

// Going reports whether a run goes on.
func (p nowPage) Going() bool { return p.Run != nil && p.End == nil && !p.CutOff }

// Ended is how many sites have ended.
func (p nowPage) Ended() int { return p.Count[string(feed.Done)] + p.Count[string(feed.Failed)] }

// Sums are the requests and records of all.
func (p nowPage) Sums() (s struct{ Requests, Records int }) {
	for _, status := range p.Statuses {
		s.Requests += status.Requests
		s.Records += status.Records
	}
	return s
}

// sitePage is what the page of one site shows.
type sitePage struct {
	*handler
	feed.Status
	At       time.Time
	Requests []feed.Request // the latest first
}

func (h *handler) site(w http.ResponseWriter, r *http.Request) {
	label := r.PathValue("label")
	statuses := h.Hub.Picture().Statuses
	i := slices.IndexFunc(statuses, func(s feed.Status) bool { return s.Label == label })
	if i < 0 {
		http.Error(w, "there is none of that name in this run", http.StatusNotFound)
		return
	}
	requests := h.Hub.Requests(label)
	slices.Reverse(requests)
	h.show(w, "site.html", http.StatusOK, sitePage{handler: h, Status: statuses[i], At: time.Now(), Requests: requests})
}

// show writes a page, or where that fails says so.
func (h *handler) show(w http.ResponseWriter, name string, status int, page any) {
	var out bytes.Buffer
	if err := h.pages.ExecuteTemplate(&out, name, page); err != nil {
		http.Error(w, "this page can't be shown", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = out.WriteTo(w)
}

// words are what pages say of times and numbers.
var words = template.FuncMap{
	"clock":  func(t time.Time) string { return t.Format("15:04:05") },
	"stamp":  func(t time.Time) string { return t.Format("2006-01-02 15:04:05 MST") },
	"iso":    func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"took":   func(d time.Duration) string { return d.Round(time.Millisecond).String() },
	"count":  scraperutils.Count,
	"future": func(t, now time.Time) bool { return t.After(now) },
}
