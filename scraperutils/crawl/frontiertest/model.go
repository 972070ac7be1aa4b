package frontiertest

import (
	"context"
	"slices"
	"time"

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

func (m *model) Close() error { return nil }
