package frontiertest

import (
	"container/heap"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// host is one host of a Memory. Times are in milliseconds.
type host struct {
	id        int64
	name      scraperutils.Host
	due       int64 // where it has a place in the heap: when it may be claimed, which is the end of its lease while it has one
	place     int   // in the heap; -1: none
	notBefore int64
	interval  int64
	leased    bool
	owner     string
	token     int64
	rule      string
	trouble   string
	downs     int
	seed      bool // a URL of depth 0 was added
	urls      map[int64]*page
	variants  map[int64]int          // by Placed.PathHash
	lines     [crawl.Priorities]line // the unfinished ones

	crawl.Tally
}

// page is one URL of a Memory.
type page struct {
	key        int64
	url        string
	id         string // of the visit, where it was given
	via        string
	etag       string
	modified   string
	digest     string
	reason     string
	state      crawl.State
	due        int64
	at         int64
	seen       bool // at is set
	added      int64
	took       int64
	bytes      int
	priority   int
	depth      int
	attempts   int
	redirects  int
	level      int
	visits     int
	visited    time.Time // of the last that is done
	series     int
	sitemap    bool
	status     int
	links      crawl.Links
	nearer     int64 // since when it is found nearer, where it is one of Memory.nearer
	lineNumber int   // its place in the line
}

// find returns the URL, or a new one of that name.
func (h *host) find(url string, key int64) (u *page, known bool) {
	for ; h.urls[key] != nil; key = crawl.NextHash(key) {
		if h.urls[key].url == url {
			return h.urls[key], true
		}
	}
	h.urls[key] = &page{key: key, url: url}
	return h.urls[key], false
}

func (u *page) finished() bool { return u.state == crawl.StateDone || u.state == crawl.StateFailed }

// begin starts a visit.
func (u *page) begin(e crawl.Placed, due int64) {
	u.state, u.due, u.reason, u.attempts = crawl.StateReady, due, "", 0
	u.priority, u.id, u.redirects = crawl.PriorityOf(e.Entry), e.ID, e.Redirects
}

// end takes what became of a visit.
func (u *page) end(r crawl.Result, now int64) {
	u.state, u.attempts, u.status, u.reason, u.bytes, u.took = r.State, r.Attempts, r.Status, r.Reason, r.Bytes, r.Took.Milliseconds()
	u.seen, u.at = !r.At.IsZero(), crawl.Millis(r.At)
	u.due = now
	if !r.Due.IsZero() {
		u.due = crawl.MillisUp(r.Due)
	}
	if r.State == crawl.StateDone || r.State == crawl.StateReady {
		u.visits++
		u.etag, u.modified, u.digest, u.level = r.ETag, r.Modified, r.Digest, r.Level
		u.visited = time.Time{}
		if visited := crawl.VisitedAt(r); !visited.IsZero() {
			u.visited = crawl.TimeOf(crawl.Millis(visited))
		}
	}
	if r.State == crawl.StateReady {
		u.attempts, u.id, u.redirects = 0, "", 0
	}
}

func (u *page) item() crawl.Item {
	id := u.id
	if number := u.visits + 1; id == "" {
		if u.state == crawl.StateDone {
			number--
		}
		id = crawl.VisitID(u.url, number)
	}
	return crawl.Item{
		Key: u.key, ID: id, URL: u.url, Priority: u.priority, Depth: u.depth, Attempts: u.attempts, Redirects: u.redirects, Via: u.via,
		ETag: u.etag, Modified: u.modified, Digest: u.digest, Level: u.level, Visits: u.visits, Visited: u.visited, Series: u.series, Sitemap: u.sitemap, Added: crawl.TimeOf(u.added),
	}
}

func (u *page) urlStatus(h *host) crawl.URLStatus {
	s := crawl.URLStatus{
		Cursor: crawl.Cursor{HostID: h.id, Key: u.key}, Item: u.item(), Host: h.name, State: u.state,
		Status: u.status, Reason: u.reason, Took: time.Duration(u.took) * time.Millisecond, Bytes: u.bytes,
	}
	if !u.finished() {
		s.Due = crawl.TimeOf(u.due)
	}
	if u.seen {
		s.At = crawl.TimeOf(u.at)
	}
	return s
}

// enter puts a URL into its line, unless it is finished.
func (h *host) enter(u *page) {
	if !u.finished() {
		heap.Push(&h.lines[u.priority], u)
	}
}

func (h *host) leave(u *page) {
	if !u.finished() {
		heap.Remove(&h.lines[u.priority], u.lineNumber)
	}
}

// next returns the first URLs that are due and not held.
func (h *host) next(now int64, n int, holding []int64) (items []crawl.Item) {
	for p := range h.lines {
		var seen []*page
		for l := &h.lines[p]; len(items) < n && len(*l) > 0 && (*l)[0].due <= now; {
			u := heap.Pop(l).(*page)
			seen = append(seen, u)
			if !slices.Contains(holding, u.key) {
				items = append(items, u.item())
			}
		}
		for _, u := range seen {
			heap.Push(&h.lines[p], u)
		}
	}
	return items
}

// nextDue returns when the host may be asked for the next of its URLs; not ok: there is none.
func (h *host) nextDue() (due int64, ok bool) {
	for _, l := range h.lines {
		if len(l) > 0 && (!ok || l[0].due < due) {
			due, ok = l[0].due, true
		}
	}
	return max(due, h.notBefore), ok
}

// report takes what a worker says of the host.
func (h *host) report(r crawl.Report) {
	if !r.NotBefore.IsZero() {
		h.notBefore = crawl.MillisUp(r.NotBefore)
	}
	if r.Interval > 0 {
		h.interval = crawl.IntervalMillis(r.Interval)
	}
	h.rule, h.trouble, h.downs = r.Rule, r.Trouble, r.Downs
}

func (h *host) hostStatus() crawl.HostStatus {
	s := crawl.HostStatus{
		ID: h.id, Host: h.name, NotBefore: crawl.TimeOf(h.notBefore), Interval: time.Duration(h.interval) * time.Millisecond,
		Rule: h.rule, Trouble: h.trouble, Downs: h.downs, Pending: h.Pending, Retrying: h.Retrying, Done: h.Done, Failed: h.Failed,
	}
	if h.place >= 0 {
		s.Due = crawl.TimeOf(h.due)
	}
	if h.leased {
		s.Owner, s.Until = h.owner, s.Due
	}
	return s
}

// line is the unfinished URLs of one priority, the first due in front.
type line []*page

func (l line) Len() int { return len(l) }
func (l line) Less(i, j int) bool {
	return l[i].due < l[j].due || l[i].due == l[j].due && l[i].key < l[j].key
}
func (l line) Swap(i, j int) {
	l[i], l[j] = l[j], l[i]
	l[i].lineNumber, l[j].lineNumber = i, j
}
func (l *line) Push(x any) {
	x.(*page).lineNumber = len(*l)
	*l = append(*l, x.(*page))
}
func (l *line) Pop() any {
	last := (*l)[len(*l)-1]
	(*l)[len(*l)-1] = nil
	*l = (*l)[:len(*l)-1]
	return last
}

// hostHeap is hosts with something to do, the first due in front.
type hostHeap []*host

func (q hostHeap) Len() int { return len(q) }
func (q hostHeap) Less(i, j int) bool {
	return q[i].due < q[j].due || q[i].due == q[j].due && q[i].id < q[j].id
}
func (q hostHeap) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}
func (q *hostHeap) Push(x any) {
	x.(*host).place = len(*q)
	*q = append(*q, x.(*host))
}
func (q *hostHeap) Pop() any {
	last := (*q)[len(*q)-1]
	(*q)[len(*q)-1] = nil
	*q = (*q)[:len(*q)-1]
	last.place = -1
	return last
}
