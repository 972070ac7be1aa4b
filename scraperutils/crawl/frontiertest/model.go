package frontiertest

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// model is a frontier that is as plain as can be: it keeps nothing that it can count, and looks at everything each time. Drivers are
// held against it.
type model struct {
	alone bool // one worker at a time
	hash  func(string) int64
	hosts []*modelHost
	urls  []*crawl.URLStatus         // Item.ID is that which was given, or ""
	paths map[*crawl.URLStatus]int64 // Placed.PathHash of those that count as variants
	links map[*crawl.URLStatus]*modelLinks
	traps []crawl.Trap // each time that one was left out
}

type modelHost struct {
	crawl.HostStatus // without what is counted
	leased           bool
	token            int64
	seed             bool // a URL of depth 0 was added
}

// reopen is what happens when a worker opens the frontier after another one.
func (m *model) reopen(now time.Time) {
	for _, h := range m.hosts {
		if m.alone && h.leased {
			h.leased = false
			h.NotBefore = latest(h.NotBefore, crawl.TimeOf(crawl.Millis(now)).Add(h.Interval))
		}
	}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func unfinished(u *crawl.URLStatus) bool {
	return u.State == crawl.StateReady || u.State == crawl.StateRetry
}

// of returns the URLs of a host, those of one of the states where any are named.
func (m *model) of(h *modelHost, states ...crawl.State) (urls []*crawl.URLStatus) {
	for _, u := range m.urls {
		if u.HostID == h.ID && (len(states) == 0 || slices.Contains(states, u.State)) {
			urls = append(urls, u)
		}
	}
	return urls
}

func (m *model) status(h *modelHost) crawl.HostStatus {
	s := h.HostStatus
	s.Retrying, s.Done, s.Failed = len(m.of(h, crawl.StateRetry)), len(m.of(h, crawl.StateDone)), len(m.of(h, crawl.StateFailed))
	s.Pending = s.Retrying + len(m.of(h, crawl.StateReady))
	if h.leased {
		s.Due = s.Until
		return s
	}
	s.Owner, s.Until = "", time.Time{}
	for i, u := range m.of(h, crawl.StateReady, crawl.StateRetry) {
		if i == 0 || u.Due.Before(s.Due) {
			s.Due = u.Due
		}
	}
	if s.Pending > 0 {
		s.Due = latest(s.Due, h.NotBefore)
	}
	return s
}

func (m *model) host(id int64) *modelHost {
	for _, h := range m.hosts {
		if h.ID == id {
			return h
		}
	}
	return nil
}

func (m *model) url(host, key int64) *crawl.URLStatus {
	for _, u := range m.urls {
		if u.HostID == host && u.Cursor.Key == key {
			return u
		}
	}
	return nil
}

func (m *model) Add(_ context.Context, now time.Time, entries []crawl.Entry) (added crawl.Added, err error) {
	for _, e := range crawl.Place(entries, m.hash) {
		id, key := e.HostHash, e.URLHash
		for m.host(id) != nil && m.host(id).Host != e.Host {
			id = crawl.NextHash(id)
		}
		if m.host(id) == nil {
			m.hosts = append(m.hosts, &modelHost{HostStatus: crawl.HostStatus{ID: id, Host: e.Host}})
		}
		m.host(id).seed = m.host(id).seed || e.Depth == 0
		for m.url(id, key) != nil && m.url(id, key).URL != e.URL {
			key = crawl.NextHash(key)
		}
		u := m.url(id, key)
		rule := m.keepsOut(id, e)
		if u != nil && e.Depth < u.Depth {
			m.nearer(u, e, now)
		}
		switch {
		case u == nil && rule != "":
			added.Over++
			m.traps = append(m.traps, crawl.Trap{Host: e.Host, Rule: rule, Count: 1, Example: e.URL})
			continue
		case u == nil:
			added.New++
			u = &crawl.URLStatus{Cursor: crawl.Cursor{HostID: id, Key: key}, Host: e.Host}
			u.Item = crawl.Item{Key: key, URL: e.URL, Depth: e.Depth, Via: e.Via, Series: e.Series, Sitemap: e.Sitemap, Added: crawl.TimeOf(crawl.Millis(now))}
			m.urls = append(m.urls, u)
			m.paths[u] = e.PathHash
		case e.Again && !unfinished(u):
			added.Again++
		default:
			added.Known++
			continue
		}
		u.State, u.Due, u.Reason, u.Attempts = crawl.StateReady, dueOr(e.Due, now), "", 0
		u.Priority, u.ID, u.Redirects = min(max(e.Priority, 0), 9), e.ID, e.Redirects
	}
	return added, nil
}

// dueOr returns when a URL is due that is due at once where it does not say.
func dueOr(due, now time.Time) time.Time {
	if due.IsZero() {
		return crawl.TimeOf(crawl.Millis(now))
	}
	return crawl.TimeOf(crawl.MillisUp(due))
}

func (m *model) Claim(_ context.Context, now time.Time, c crawl.Claim) (leases []crawl.Lease, err error) {
	now = crawl.TimeOf(crawl.Millis(now))
	if c.URLs <= 0 || c.Hosts <= 0 {
		return nil, nil
	}
	if err := m.follow(now); err != nil {
		return nil, err
	}
	var due []*modelHost
	for _, h := range m.hosts {
		if s := m.status(h); (h.leased || s.Pending > 0) && !s.Due.After(now) {
			due = append(due, h)
		}
	}
	slices.SortFunc(due, func(a, b *modelHost) int {
		return cmp.Or(m.status(a).Due.Compare(m.status(b).Due), cmp.Compare(a.ID, b.ID))
	})
	for _, h := range due[:min(c.Hosts, len(due))] {
		if h.leased {
			h.NotBefore = latest(h.NotBefore, h.Until.Add(h.Interval))
			h.leased = false
		}
		items := m.next(h, now, c.URLs, nil)
		if len(items) == 0 {
			continue
		}
		h.leased, h.Owner, h.Until = true, c.Worker, crawl.TimeOf(crawl.Millis(c.Until))
		h.token++
		leases = append(leases, crawl.Lease{Held: crawl.Held{HostID: h.ID, Token: h.token}, Host: h.Host, Until: h.Until,
			NotBefore: h.NotBefore, Interval: h.Interval, Downs: h.Downs, Waiting: m.status(h).Pending, URLs: items})
	}
	return leases, nil
}

func (m *model) next(h *modelHost, now time.Time, n int, holding []int64) (items []crawl.Item) {
	urls := m.of(h, crawl.StateReady, crawl.StateRetry)
	slices.SortFunc(urls, func(a, b *crawl.URLStatus) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), a.Due.Compare(b.Due), cmp.Compare(a.Cursor.Key, b.Cursor.Key))
	})
	for _, u := range urls {
		if len(items) < n && !u.Due.After(now) && !slices.Contains(holding, u.Cursor.Key) {
			items = append(items, m.item(u))
		}
	}
	return items
}

func (m *model) item(u *crawl.URLStatus) crawl.Item {
	i := u.Item
	switch {
	case i.ID != "":
	case u.State == crawl.StateDone:
		i.ID = crawl.VisitID(u.URL, u.Visits)
	default:
		i.ID = crawl.VisitID(u.URL, u.Visits+1)
	}
	return i
}

func (m *model) held(l crawl.Held) *modelHost {
	if h := m.host(l.HostID); h != nil && h.leased && h.token == l.Token {
		return h
	}
	return nil
}

func (m *model) Renew(_ context.Context, _, until time.Time, held []crawl.Held) (lost []int64, err error) {
	for _, l := range held {
		if h := m.held(l); h != nil {
			h.Until = latest(h.Until, crawl.TimeOf(crawl.Millis(until)))
		} else {
			lost = append(lost, l.HostID)
		}
	}
	return lost, nil
}

func (m *model) Complete(ctx context.Context, now time.Time, reports []crawl.Report) (receipts []crawl.Receipt, err error) {
	if _, err := m.Add(ctx, now, crawl.FoundIn(reports)); err != nil {
		return nil, err
	}
	for _, r := range reports {
		receipts = append(receipts, m.complete(now, r))
	}
	return receipts, nil
}

func (m *model) complete(now time.Time, r crawl.Report) crawl.Receipt {
	m.traps = append(m.traps, r.Trapped...)
	h := m.held(r.Held)
	if h == nil {
		return crawl.Receipt{Lost: true}
	}
	for _, result := range r.Results {
		if u := m.url(h.ID, result.Key); u != nil {
			m.end(u, result, now)
		}
	}
	h.Rule, h.Trouble, h.Downs = r.Rule, r.Trouble, r.Downs
	if !r.NotBefore.IsZero() {
		h.NotBefore = crawl.TimeOf(crawl.MillisUp(r.NotBefore))
	}
	if r.Interval > 0 {
		h.Interval = time.Duration(crawl.IntervalMillis(r.Interval)) * time.Millisecond
	}
	var receipt crawl.Receipt
	if r.Keep {
		receipt.URLs = m.next(h, crawl.TimeOf(crawl.Millis(now)), r.More, r.Holding)
	}
	receipt.Released = !r.Keep || r.More > 0 && len(receipt.URLs) == 0 && len(r.Holding) == 0
	h.leased = !receipt.Released
	if h.leased {
		h.Until = latest(h.Until, crawl.TimeOf(crawl.Millis(r.Until)))
	}
	return receipt
}

func (m *model) end(u *crawl.URLStatus, r crawl.Result, now time.Time) {
	u.State, u.Attempts, u.Status, u.Reason = r.State, r.Attempts, r.Status, r.Reason
	u.Took, u.Bytes, u.At, u.Due = r.Took.Truncate(time.Millisecond), r.Bytes, time.Time{}, time.Time{}
	if !r.At.IsZero() {
		u.At = crawl.TimeOf(crawl.Millis(r.At))
	}
	if unfinished(u) {
		u.Due = dueOr(r.Due, now)
	}
	if len(r.Links) > 0 {
		m.links[u] = &modelLinks{links: r.Links, nearer: u.Depth < r.Links.Depth(), since: crawl.TimeOf(crawl.Millis(now))}
	}
	switch r.State {
	case crawl.StateReady:
		u.Attempts, u.ID, u.Redirects = 0, "", 0
		fallthrough
	case crawl.StateDone:
		u.Visits++
		u.ETag, u.Modified, u.Digest, u.Level = r.ETag, r.Modified, r.Digest, r.Level
		u.Visited = time.Time{}
		if visited := crawl.VisitedAt(r); !visited.IsZero() {
			u.Visited = crawl.TimeOf(crawl.Millis(visited))
		}
	}
}

func (m *model) Due(context.Context) (due time.Time, err error) {
	found := false
	for _, h := range m.hosts {
		if s := m.status(h); (h.leased || s.Pending > 0) && (!found || s.Due.Before(due)) {
			due, found = s.Due, true
		}
	}
	for _, l := range m.links {
		if l.nearer && (!found || l.since.Before(due)) {
			due, found = l.since, true
		}
	}
	return due, nil
}

func (m *model) Counts(_ context.Context, now time.Time) (crawl.Counts, error) {
	c := crawl.Counts{Hosts: len(m.hosts), FailedBy: map[string]int{}}
	for _, h := range m.hosts {
		s := m.status(h)
		if h.leased {
			c.Leased++
		}
		if h.leased || !s.Due.After(crawl.TimeOf(crawl.Millis(now))) {
			c.Ready += s.Pending
		} else {
			c.Waiting += s.Pending
		}
		c.Retrying += s.Retrying
		c.Done += s.Done
		c.Failed += s.Failed
		for _, u := range m.of(h, crawl.StateFailed) {
			c.FailedBy[crawl.ReasonWord(u.Reason)]++
		}
	}
	return c, nil
}

func (m *model) Hosts(_ context.Context, f crawl.HostFilter) (all []crawl.HostStatus, err error) {
	for _, h := range m.hosts {
		s := m.status(h)
		if (f.Name == "" || slices.Contains(crawl.HostsNamed(f.Name), h.Host)) && (!f.Slowest || h.leased || s.Pending > 0) {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b crawl.HostStatus) int {
		if f.Slowest {
			return cmp.Or(b.Due.Compare(a.Due), cmp.Compare(b.ID, a.ID))
		}
		return cmp.Or(cmp.Compare(a.Host.Name, b.Host.Name), cmp.Compare(a.Host.Port, b.Host.Port))
	})
	return all[:min(len(all), cmp.Or(f.Limit, 100))], nil
}

func (m *model) URLs(_ context.Context, f crawl.URLFilter) (all []crawl.URLStatus, err error) {
	for _, u := range m.matching(f, cmp.Or(f.Limit, 1000)) {
		s := *u
		s.Item = m.item(u)
		all = append(all, s)
	}
	return all, nil
}

func (m *model) Retry(_ context.Context, now time.Time, f crawl.URLFilter) (int, error) {
	if f.State != "" && f.State != crawl.StateFailed {
		return 0, nil
	}
	f.State = crawl.StateFailed
	failed := m.matching(f, cmp.Or(f.Limit, len(m.urls)))
	for _, u := range failed {
		u.State, u.Due, u.Reason, u.Attempts = crawl.StateReady, crawl.TimeOf(crawl.Millis(now)), "", 0
	}
	return len(failed), nil
}

func (m *model) matching(f crawl.URLFilter, limit int) []*crawl.URLStatus {
	after := func(u *crawl.URLStatus) bool {
		return u.HostID > f.After.HostID || u.HostID == f.After.HostID && u.Cursor.Key > f.After.Key
	}
	matches := func(u *crawl.URLStatus) bool {
		over := !unfinished(u) || u.State == crawl.StateReady && u.Visits > 0
		return (f.State == "" || f.State == u.State) && (f.HostID == 0 || f.HostID == u.HostID) &&
			(f.Reason == "" || f.Reason == crawl.ReasonWord(u.Reason)) && m.isURL(u, f) &&
			(f.Since.IsZero() || over && !u.At.IsZero() && !u.At.Before(crawl.TimeOf(crawl.Millis(f.Since))))
	}
	var all []*crawl.URLStatus
	for _, u := range m.urls {
		if after(u) && matches(u) {
			all = append(all, u)
		}
	}
	slices.SortFunc(all, func(a, b *crawl.URLStatus) int {
		return cmp.Or(cmp.Compare(a.HostID, b.HostID), cmp.Compare(a.Cursor.Key, b.Cursor.Key))
	})
	return all[:min(len(all), limit)]
}

// isURL reports whether a URL is the one that a filter names, if it does.
func (m *model) isURL(u *crawl.URLStatus, f crawl.URLFilter) bool {
	if f.URL == "" {
		return true
	}
	named, err := url.Parse(f.URL)
	return u.URL == f.URL && (f.HostID != 0 || err == nil && u.Host == scraperutils.HostOf(named))
}

func (m *model) Close() error { return nil }
