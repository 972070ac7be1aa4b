package frontiertest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

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
