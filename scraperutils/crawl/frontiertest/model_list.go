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
