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
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
)

// slowest is how many hosts the page names above all.
const slowest = 8

// nowPage is what the first page shows.
type nowPage struct {
	*handler
	feed.Picture
	PageKey string
	At      time.Time
	Due     time.Time      // of the next run; zero: none is
	Last    *report.Run    // that the database knows of; nil: none, or it is that of the picture
	Why     string         // the last run came to nothing, or ""
	Log     []Action       // the last first
	Count   map[string]int // of sites, by state
	Slow    []feed.Status  // before which the others are done
	All     []feed.Status
}

func (h *handler) now(w http.ResponseWriter, r *http.Request) {
	picture := h.Hub.Picture()
	p := nowPage{handler: h, Picture: picture, PageKey: keyOf(picture), At: time.Now(), Count: map[string]int{}}
	if h.Next != nil {
		p.Due = h.Next()
	}
	if h.Last != nil && !p.Going() {
		if last, err := h.Last(r.Context()); err == nil && (p.Run == nil || last.At.After(p.Run.At)) {
			p.Last = &last
		}
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
		if !s.State.Ended() && s.State != feed.Queued {
			p.Slow = append(p.Slow, s)
		}
	}
	slices.SortStableFunc(p.Slow, func(x, y feed.Status) int {
		return cmp.Or(y.Expected.Compare(x.Expected), x.Since.Compare(y.Since))
	})
	p.Slow = p.Slow[:min(len(p.Slow), slowest)]
	h.show(w, "now.html", http.StatusOK, p)
}

// urgency is the order in which a list shows what sites are doing.
var urgency = map[feed.State]int{feed.Failed: 0, feed.Asking: 1, feed.Waiting: 2, feed.Reading: 3, feed.Queued: 4, feed.Done: 5}

// keyOf tells the page of a run from that of another one, or of its end. The script compares it with what it is told.
func keyOf(p feed.Picture) string {
	switch {
	case p.Run == nil:
		return ""
	case p.Going():
		return p.Run.At.Format(time.RFC3339Nano)
	}
	return p.Run.At.Format(time.RFC3339Nano) + " over"
}

// Left is how long the run goes on at least, or "".
func (p nowPage) Left() string {
	left := time.Duration(0)
	for _, s := range p.Statuses {
		left = max(left, s.Expected.Sub(p.At))
	}
	if left < time.Second || !p.Going() {
		return ""
	}
	return left.Round(time.Second).String()
}

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
	PageKey  string
	Going    bool
	At       time.Time
	Requests []feed.Request // the latest first
}

func (h *handler) site(w http.ResponseWriter, r *http.Request) {
	label := r.PathValue("label")
	picture := h.Hub.Picture()
	i := slices.IndexFunc(picture.Statuses, func(s feed.Status) bool { return s.Label == label })
	if i < 0 {
		http.Error(w, "there is none of that name in this run", http.StatusNotFound)
		return
	}
	requests := h.Hub.Requests(label)
	slices.Reverse(requests)
	h.show(w, "site.html", http.StatusOK, sitePage{
		handler: h, Status: picture.Statuses[i], PageKey: keyOf(picture), Going: picture.Going(), At: time.Now(), Requests: requests,
	})
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
	"digits": scraperutils.Digits,
	"future": func(t, now time.Time) bool { return t.After(now) },
}
