package frontiertest

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

func (o *opened) Counts(ctx context.Context, now time.Time) (crawl.Counts, error) {
	m, err := o.enter(ctx)
	if err != nil {
		return crawl.Counts{}, err
	}
	defer m.mu.Unlock()
	leased, ready := 0, 0
	for _, h := range m.hosts {
		if h.leased {
			leased++
		}
		if h.leased || h.place >= 0 && h.due <= crawl.Millis(now) {
			ready += h.Pending
		}
	}
	return m.totals.Counts(leased, ready), nil
}

func (o *opened) Hosts(ctx context.Context, f crawl.HostFilter) ([]crawl.HostStatus, error) {
	m, err := o.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	var hosts []*host
	if f.Name != "" {
		for _, name := range crawl.HostsNamed(f.Name) {
			if h := m.find(name); h != nil {
				hosts = append(hosts, h)
			}
		}
	} else {
		hosts = slices.Collect(maps.Values(m.hosts))
	}
	order := func(a, b *host) int {
		return cmp.Or(cmp.Compare(a.name.Name, b.name.Name), cmp.Compare(a.name.Port, b.name.Port))
	}
	if f.Slowest {
		hosts = slices.DeleteFunc(hosts, func(h *host) bool { return h.place < 0 })
		order = func(a, b *host) int { return cmp.Or(cmp.Compare(b.due, a.due), cmp.Compare(b.id, a.id)) }
	}
	slices.SortFunc(hosts, order)
	var all []crawl.HostStatus
	for _, h := range hosts[:min(len(hosts), cmp.Or(f.Limit, 100))] {
		all = append(all, h.hostStatus())
	}
	return all, nil
}

func (o *opened) Seeds(ctx context.Context) (seeds []scraperutils.Host, err error) {
	m, err := o.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	for _, h := range m.hosts {
		if h.seed {
			seeds = append(seeds, h.name)
		}
	}
	slices.SortFunc(seeds, func(a, b scraperutils.Host) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Port, b.Port))
	})
	return seeds, nil
}

func (o *opened) URLs(ctx context.Context, f crawl.URLFilter) ([]crawl.URLStatus, error) {
	m, err := o.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	var all []crawl.URLStatus
	m.each(f, cmp.Or(f.Limit, 1000), func(h *host, u *page) { all = append(all, u.urlStatus(h)) })
	return all, nil
}

func (o *opened) Retry(ctx context.Context, now time.Time, f crawl.URLFilter) (int, error) {
	m, err := o.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer m.mu.Unlock()
	if f.State != "" && f.State != crawl.StateFailed {
		return 0, nil
	}
	f.State = crawl.StateFailed
	n := 0
	m.each(f, f.Limit, func(h *host, u *page) {
		n++
		m.leave(h, u)
		u.state, u.due, u.reason, u.attempts = crawl.StateReady, crawl.Millis(now), "", 0
		m.enter(h, u)
		m.reschedule(h)
	})
	return n, nil
}

// each calls take for the URLs that a filter lets through, in their order, limit of them at most unless that is 0.
func (m *Memory) each(f crawl.URLFilter, limit int, take func(*host, *page)) {
	var hosts []*host
	switch {
	case f.HostID != 0:
		hosts = []*host{m.hosts[f.HostID]}
	case f.URL != "":
		if u, err := url.Parse(f.URL); err == nil {
			hosts = []*host{m.find(scraperutils.HostOf(u))}
		}
	default:
		hosts = slices.SortedFunc(maps.Values(m.hosts), func(a, b *host) int { return cmp.Compare(a.id, b.id) })
	}
	n := 0
	for _, h := range hosts {
		if h == nil || h.id < f.After.HostID {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(h.urls)) {
			u := h.urls[key]
			if (h.id > f.After.HostID || key > f.After.Key) && u.passes(f) {
				take(h, u)
				if n++; n == limit {
					return
				}
			}
		}
	}
}

func (u *page) passes(f crawl.URLFilter) bool {
	return (f.URL == "" || u.url == f.URL) &&
		(f.State == "" || u.state == f.State) &&
		(f.Reason == "" || crawl.ReasonWord(u.reason) == f.Reason) &&
		(f.Since.IsZero() || u.seen && u.at >= crawl.Millis(f.Since) && (u.finished() || u.state == crawl.StateReady && u.visits > 0))
}
