package frontiertest

import (
	"container/heap"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// Memory is a frontier that lasts as long as the process. Any number of workers may open it.
type Memory struct {
	hash func(string) int64

	mu      sync.Mutex // guards the rest, and all hosts
	hosts   map[int64]*host
	due     hostHeap // those with something to do
	totals  crawl.Totals
	workers map[string]crawl.WorkerStatus
	traps   map[trapKey]*crawl.Trap
	nearer  map[*page]*host // pages that were found nearer, whose links are to be followed again
}

// NewMemory returns an empty frontier.
func NewMemory() *Memory { return newMemory(crawl.Hash) }

func newMemory(hash func(string) int64) *Memory {
	return &Memory{hash: hash, hosts: map[int64]*host{}, totals: crawl.Totals{}, workers: map[string]crawl.WorkerStatus{}, traps: map[trapKey]*crawl.Trap{}, nearer: map[*page]*host{}}
}

// Open returns the frontier for one of its users. Closing that does not close the Memory for others.
func (m *Memory) Open() crawl.Frontier { return &opened{memory: m} }

// opened is one use of a Memory.
type opened struct {
	memory *Memory
	closed atomic.Bool
}

// enter locks the memory unless a method may not go on.
func (o *opened) enter(ctx context.Context) (*Memory, error) {
	if o.closed.Load() {
		return nil, crawl.ErrClosed
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	o.memory.mu.Lock()
	return o.memory, nil
}

func (o *opened) Close() error {
	o.closed.Store(true)
	return nil
}

func (o *opened) Add(ctx context.Context, now time.Time, entries []crawl.Entry) (crawl.Added, error) {
	m, err := o.enter(ctx)
	if err != nil {
		return crawl.Added{}, err
	}
	defer m.mu.Unlock()
	return m.add(crawl.Millis(now), entries), nil
}

func (m *Memory) add(now int64, entries []crawl.Entry) (added crawl.Added) {
	for _, e := range crawl.Place(entries, m.hash) {
		h := m.hostOf(e)
		h.seed = h.seed || e.Depth == 0
		due := now
		if !e.Due.IsZero() {
			due = crawl.MillisUp(e.Due)
		}
		u, known := h.find(e.URL, e.URLHash)
		if known && e.Depth < u.depth {
			u.depth, u.via = e.Depth, e.Via
			m.foundNearer(h, u, now)
		}
		rule := ""
		if !known {
			rule = h.keepsOut(e)
		}
		switch {
		case rule != "":
			added.Over++
			delete(h.urls, u.key)
			m.trap(crawl.Trap{Host: e.Host, Rule: rule, Count: 1, Example: e.URL})
			continue
		case !known:
			added.New++
			u.added, u.depth, u.via, u.series, u.sitemap = now, e.Depth, e.Via, e.Series, e.Sitemap
			u.begin(e, due)
			m.enter(h, u)
		case e.Again && u.finished():
			added.Again++
			m.leave(h, u)
			u.begin(e, due)
			m.enter(h, u)
		default:
			added.Known++
			continue
		}
		m.reschedule(h)
	}
	return added
}

// hostOf returns the host of an entry, which is made where it is new.
func (m *Memory) hostOf(e crawl.Placed) *host {
	id := e.HostHash
	for ; m.hosts[id] != nil; id = crawl.NextHash(id) {
		if m.hosts[id].name == e.Host {
			return m.hosts[id]
		}
	}
	m.hosts[id] = &host{id: id, name: e.Host, notBefore: crawl.Millis(time.Time{}), place: -1, urls: map[int64]*page{}, variants: map[int64]int{}}
	m.totals[crawl.TotalHosts]++
	return m.hosts[id]
}

// find returns the host of that name, or nil.
func (m *Memory) find(name scraperutils.Host) *host {
	for id := m.hash(crawl.HostText(name)); m.hosts[id] != nil; id = crawl.NextHash(id) {
		if m.hosts[id].name == name {
			return m.hosts[id]
		}
	}
	return nil
}

func (o *opened) Claim(ctx context.Context, now time.Time, c crawl.Claim) ([]crawl.Lease, error) {
	m, err := o.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	if c.Hosts <= 0 || c.URLs <= 0 {
		return nil, nil
	}
	if err := m.follow(crawl.Millis(now)); err != nil {
		return nil, err
	}
	var leases []crawl.Lease
	for _, h := range m.dueHosts(crawl.Millis(now), c) {
		if h.leased {
			h.notBefore = max(h.notBefore, h.due+h.interval)
		}
		items := h.next(crawl.Millis(now), c.URLs, nil)
		if len(items) == 0 {
			h.leased = false
			m.reschedule(h)
			continue
		}
		h.token++
		h.leased, h.owner = true, c.Worker
		m.schedule(h, crawl.Millis(c.Until))
		leases = append(leases, crawl.Lease{
			Held: crawl.Held{HostID: h.id, Token: h.token}, Host: h.name, Until: crawl.TimeOf(h.due),
			NotBefore: crawl.TimeOf(h.notBefore), Interval: time.Duration(h.interval) * time.Millisecond, Downs: h.downs, Waiting: h.Pending, URLs: items,
		})
	}
	return leases, nil
}

// dueHosts takes the hosts that may be claimed out of the heap.
func (m *Memory) dueHosts(now int64, c crawl.Claim) (hosts []*host) {
	for len(hosts) < c.Hosts && len(m.due) > 0 && m.due[0].due <= now {
		hosts = append(hosts, heap.Pop(&m.due).(*host))
	}
	return hosts
}

// held returns the host of a lease, or nil where the lease is lost.
func (m *Memory) held(l crawl.Held) *host {
	if h := m.hosts[l.HostID]; h != nil && h.leased && h.token == l.Token {
		return h
	}
	return nil
}

func (o *opened) Renew(ctx context.Context, _, until time.Time, held []crawl.Held) (lost []int64, err error) {
	m, err := o.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	for _, l := range held {
		if h := m.held(l); h != nil {
			m.schedule(h, max(h.due, crawl.Millis(until)))
		} else {
			lost = append(lost, l.HostID)
		}
	}
	return lost, nil
}

func (o *opened) Complete(ctx context.Context, now time.Time, reports []crawl.Report) ([]crawl.Receipt, error) {
	if err := crawl.CheckReports(reports); err != nil {
		return nil, err
	}
	m, err := o.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	m.add(crawl.Millis(now), crawl.FoundIn(reports))
	receipts := make([]crawl.Receipt, len(reports))
	for i, r := range reports {
		receipts[i] = m.complete(crawl.Millis(now), r)
	}
	return receipts, nil
}

func (m *Memory) complete(now int64, r crawl.Report) crawl.Receipt {
	for _, t := range r.Trapped {
		m.trap(t)
	}
	h := m.held(r.Held)
	if h == nil {
		return crawl.Receipt{Lost: true}
	}
	for _, result := range r.Results {
		if u := h.urls[result.Key]; u != nil {
			m.leave(h, u)
			u.end(result, now)
			m.enter(h, u)
			m.keep(h, u, result.Links, now)
		}
	}
	h.report(r)
	if r.Keep {
		items := h.next(now, r.More, r.Holding)
		if len(items) > 0 || len(r.Holding) > 0 || r.More <= 0 {
			m.schedule(h, max(h.due, crawl.Millis(r.Until)))
			return crawl.Receipt{URLs: items}
		}
	}
	h.leased = false
	m.reschedule(h)
	return crawl.Receipt{Released: true}
}

func (o *opened) Due(ctx context.Context) (time.Time, error) {
	m, err := o.enter(ctx)
	if err != nil {
		return time.Time{}, err
	}
	defer m.mu.Unlock()
	return m.nextDue(), nil
}

// enter counts a URL in.
func (m *Memory) enter(h *host, u *page) { m.count(h, u, 1); h.enter(u) }

// leave is its opposite.
func (m *Memory) leave(h *host, u *page) { m.count(h, u, -1); h.leave(u) }

func (m *Memory) count(h *host, u *page, n int) { m.totals.Count(&h.Tally, u.state, u.reason, n) }

// schedule has a host claimed at a time.
func (m *Memory) schedule(h *host, due int64) {
	h.due = due
	if h.place < 0 {
		heap.Push(&m.due, h)
	} else {
		heap.Fix(&m.due, h.place)
	}
}

// reschedule has a host that nobody leases claimed when its next URL is due.
func (m *Memory) reschedule(h *host) {
	if h.leased {
		return
	}
	if due, ok := h.nextDue(); ok {
		m.schedule(h, due)
	} else if h.place >= 0 {
		heap.Remove(&m.due, h.place)
	}
}
