package postgres

import (
	"context"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// Complete implements crawl.Frontier.
func (f *Frontier) Complete(ctx context.Context, now time.Time, reports []crawl.Report) (receipts []crawl.Receipt, err error) {
	if err := crawl.CheckReports(reports); err != nil {
		return nil, err
	}
	found := crawl.Place(crawl.FoundIn(reports), f.options.Hash)
	err = f.write(ctx, "complete visits of", now, func(t *tx) error {
		receipts = make([]crawl.Receipt, len(reports))
		if _, err := t.add(found, about(reports)); err != nil {
			return err
		}
		for at := range rounds(reports) {
			if err := t.complete(reports, at, receipts); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return receipts, nil
}

// about returns what reports are about.
func about(reports []crawl.Report) (all locks) {
	for _, r := range reports {
		all.hosts = append(all.hosts, r.HostID)
		for _, result := range r.Results {
			all.urls = append(all.urls, crawl.Cursor{HostID: r.HostID, Key: result.Key})
		}
	}
	return all
}

// rounds yields places of reports, in their order, so that each host is in a round once: what a report says counts before the next one
// of the same host.
func rounds(reports []crawl.Report) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		left := make([]int, len(reports))
		for i := range left {
			left[i] = i
		}
		for len(left) > 0 {
			var now, later []int
			taken := map[int64]bool{}
			for _, i := range left {
				if id := reports[i].HostID; !taken[id] {
					taken[id] = true
					now = append(now, i)
				} else {
					later = append(later, i)
				}
			}
			if !yield(now) {
				return
			}
			left = later
		}
	}
}

// complete takes what became of visits, and hosts back, for reports of different hosts.
func (t *tx) complete(reports []crawl.Report, at []int, receipts []crawl.Receipt) error {
	var next line
	var later dues
	for _, i := range at {
		r := reports[i]
		for _, trap := range r.Trapped {
			t.trap(trap)
		}
		h := t.held(r.Held)
		if h == nil {
			receipts[i].Lost = true
			continue
		}
		for _, result := range r.Results {
			t.end(h, result)
		}
		t.report(h, r)
		if r.Keep {
			next.ask(h, r.More, r.Holding)
		}
		if !r.Keep || r.More > 0 && len(r.Holding) == 0 {
			later.ask(h)
		}
	}
	t.insertURLs()
	t.writeURLs()
	t.writeNearer()
	next.queue(t)
	later.queue(t)
	if err := t.send(); err != nil {
		return err
	}
	for _, i := range at {
		if r := reports[i]; !receipts[i].Lost {
			receipts[i] = t.receipt(r, next.items[r.HostID], &later)
		}
	}
	return nil
}

// receipt keeps a lease or gives the host back.
func (t *tx) receipt(r crawl.Report, items []crawl.Item, later *dues) crawl.Receipt {
	h := t.hosts[r.HostID]
	if r.Keep && (len(items) > 0 || len(r.Holding) > 0 || r.More <= 0) {
		h.due.Int64 = max(h.due.Int64, t.time.keep(r.Until))
		return crawl.Receipt{URLs: items}
	}
	later.free(t, h)
	return crawl.Receipt{Released: true}
}

// report takes what a worker says of the host.
func (t *tx) report(h *host, r crawl.Report) {
	if !r.NotBefore.IsZero() {
		h.notBefore = t.time.keepUp(r.NotBefore)
	}
	if r.Interval > 0 {
		h.interval = crawl.IntervalMillis(r.Interval)
	}
	h.rule, h.trouble, h.downs = r.Rule, r.Trouble, small(r.Downs)
	t.change(h)
}
