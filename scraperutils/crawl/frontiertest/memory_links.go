package frontiertest

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// foundNearer has the links that are kept of a page followed again.
func (m *Memory) foundNearer(h *host, u *page, now int64) {
	if len(u.links) > 0 && m.nearer[u] == nil {
		m.nearer[u], u.nearer = h, now
	}
}

// keep keeps what a page leads to.
func (m *Memory) keep(h *host, u *page, links crawl.Links, now int64) {
	if len(links) == 0 {
		return
	}
	u.links = links
	delete(m.nearer, u)
	if u.depth < links.Depth() {
		m.foundNearer(h, u, now)
	}
}

// follow adds again what pages lead to that were found nearer.
func (m *Memory) follow(now int64) error {
	if len(m.nearer) == 0 {
		return nil
	}
	pages := slices.SortedFunc(maps.Keys(m.nearer), func(a, b *page) int {
		return cmp.Or(cmp.Compare(a.nearer, b.nearer), cmp.Compare(m.nearer[a].id, m.nearer[b].id), cmp.Compare(a.key, b.key))
	})
	pages = pages[:min(len(pages), crawl.NearerPages)]
	nearer := make([]crawl.Nearer, len(pages))
	for i, u := range pages {
		nearer[i] = crawl.Nearer{HostID: m.nearer[u].id, Key: u.key, URL: u.url, Depth: u.depth, Links: u.links}
	}
	found, followed, err := crawl.FollowNearer(nearer)
	if err != nil {
		return err
	}
	for _, u := range pages[:followed] {
		delete(m.nearer, u)
	}
	m.add(now, found)
	return nil
}

// nextDue returns when there is something to claim for; zero: nothing waits.
func (m *Memory) nextDue() (due time.Time) {
	if len(m.due) > 0 {
		due = crawl.TimeOf(m.due[0].due)
	}
	for u := range m.nearer {
		if at := crawl.TimeOf(u.nearer); due.IsZero() || at.Before(due) {
			due = at
		}
	}
	return due
}
