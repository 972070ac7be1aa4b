package frontiertest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// modelLinks are the links that are kept of a URL.
type modelLinks struct {
	links  crawl.Links
	nearer bool      // it was found nearer than they say
	since  time.Time // when
}

// nearer gives a URL a smaller depth.
func (m *model) nearer(u *crawl.URLStatus, e crawl.Placed, now time.Time) {
	u.Depth, u.Via = e.Depth, e.Via
	if l := m.links[u]; l != nil && !l.nearer {
		l.nearer, l.since = true, crawl.TimeOf(crawl.Millis(now))
	}
}

// follow adds again what URLs lead to that were found nearer.
func (m *model) follow(now time.Time) error {
	var urls []*crawl.URLStatus
	for u, l := range m.links {
		if l.nearer {
			urls = append(urls, u)
		}
	}
	slices.SortFunc(urls, func(a, b *crawl.URLStatus) int {
		return cmp.Or(m.links[a].since.Compare(m.links[b].since), cmp.Compare(a.HostID, b.HostID), cmp.Compare(a.Cursor.Key, b.Cursor.Key))
	})
	var pages []crawl.Nearer
	for _, u := range urls[:min(len(urls), crawl.NearerPages)] {
		pages = append(pages, crawl.Nearer{HostID: u.HostID, Key: u.Cursor.Key, URL: u.URL, Depth: u.Depth, Links: m.links[u].links})
	}
	found, followed, err := crawl.FollowNearer(pages)
	if err != nil {
		return err
	}
	for _, u := range urls[:followed] {
		m.links[u].nearer = false
	}
	_, err = m.Add(context.Background(), now, found)
	return err
}
