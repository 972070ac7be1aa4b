package frontier

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// ErrJoined is returned by a claim on a frontier that was joined instead of opened for a worker.
var ErrJoined = errors.New("the frontier is opened to add and to look: only the worker that has its lock may claim")

// Claim implements crawl.Frontier.
func (f *Frontier) Claim(ctx context.Context, now time.Time, c crawl.Claim) ([]crawl.Lease, error) {
	if f.unlock == nil {
		return nil, ErrJoined
	}
	var leases []crawl.Lease // the writer's until the job is done
	err := f.write(ctx, "claim from", func(t *tx) error {
		if c.Hosts <= 0 || c.URLs <= 0 {
			return nil
		}
		err := t.followNearer(crawl.Millis(now), f.hash)
		if err != nil {
			return err
		}
		leases, err = t.claim(crawl.Millis(now), c)
		return err
	})
	if err != nil {
		return nil, err
	}
	return leases, nil
}

func (t *tx) claim(now int64, c crawl.Claim) (leases []crawl.Lease, err error) {
	hosts, err := t.load("where due <= ? order by due, id limit ?", now, c.Hosts)
	if err != nil {
		return nil, err
	}
	for _, h := range hosts {
		if h.owner.Valid {
			h.notBefore = max(h.notBefore, h.due.Int64+h.interval)
		}
		items, err := t.next(h, now, c.URLs, nil)
		if err != nil {
			return nil, err
		}
		if len(items) == 0 {
			if err := t.free(h); err != nil {
				return nil, err
			}
			continue
		}
		leases = append(leases, h.lease(c, items))
	}
	return leases, nil
}

// lease gives a host to a worker.
func (h *host) lease(c crawl.Claim, items []crawl.Item) crawl.Lease {
	h.token++
	h.owner = sql.NullString{String: c.Worker, Valid: true}
	h.due = sql.NullInt64{Int64: crawl.Millis(c.Until), Valid: true}
	h.changed, h.relet = true, true
	return crawl.Lease{
		Held: crawl.Held{HostID: h.id, Token: h.token}, Host: h.name, Until: crawl.TimeOf(h.due.Int64),
		NotBefore: crawl.TimeOf(h.notBefore), Interval: time.Duration(h.interval) * time.Millisecond, Downs: h.downs, Waiting: h.Pending, URLs: items,
	}
}

// extend has a lease last longer.
func (h *host) extend(until time.Time) {
	h.due.Int64, h.changed = max(h.due.Int64, crawl.Millis(until)), true
}

// Renew implements crawl.Frontier.
func (f *Frontier) Renew(ctx context.Context, _, until time.Time, held []crawl.Held) ([]int64, error) {
	var lost []int64 // the writer's until the job is done
	err := f.write(ctx, "renew leases of", func(t *tx) error {
		lost = nil
		for _, l := range held {
			h, err := t.held(l)
			if err != nil {
				return err
			}
			if h == nil {
				lost = append(lost, l.HostID)
			} else {
				h.extend(until)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return lost, nil
}

// freeLeases forgets a worker that has died, and gives its hosts back. Each may have been sent a request at the last moment, so it is left
// alone for its interval, which has the time of an answer in it, or for rest where none is known.
func (f *Frontier) freeLeases(ctx context.Context, now time.Time, rest time.Duration) error {
	return f.write(ctx, "free leases of", func(t *tx) error {
		if _, err := t.exec("delete from workers"); err != nil {
			return err
		}
		hosts, err := t.load("where owner is not null")
		if err != nil {
			return err
		}
		for _, h := range hosts {
			h.notBefore = max(h.notBefore, crawl.Millis(now)+cmp.Or(h.interval, crawl.IntervalMillis(rest)))
			if err := t.free(h); err != nil {
				return err
			}
		}
		return nil
	})
}

// Complete implements crawl.Frontier.
func (f *Frontier) Complete(ctx context.Context, now time.Time, reports []crawl.Report) ([]crawl.Receipt, error) {
	if err := crawl.CheckReports(reports); err != nil {
		return nil, err
	}
	found := crawl.Place(crawl.FoundIn(reports), f.hash)
	var receipts []crawl.Receipt // the writer's until the job is done
	err := f.write(ctx, "complete visits of", func(t *tx) error {
		if _, err := t.add(crawl.Millis(now), found); err != nil {
			return err
		}
		receipts = make([]crawl.Receipt, len(reports))
		for i, r := range reports {
			var err error
			if receipts[i], err = t.complete(crawl.Millis(now), r); err != nil {
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

func (t *tx) complete(now int64, r crawl.Report) (crawl.Receipt, error) {
	for _, trap := range r.Trapped {
		t.trap(trap)
	}
	h, err := t.held(r.Held)
	if err != nil || h == nil {
		return crawl.Receipt{Lost: true}, err
	}
	for _, result := range r.Results {
		if err := t.end(h, now, result); err != nil {
			return crawl.Receipt{}, err
		}
	}
	h.report(r)
	if r.Keep {
		items, err := t.next(h, now, r.More, r.Holding)
		if err != nil {
			return crawl.Receipt{}, err
		}
		if len(items) > 0 || len(r.Holding) > 0 || r.More <= 0 {
			h.extend(r.Until)
			return crawl.Receipt{URLs: items}, nil
		}
	}
	return crawl.Receipt{Released: true}, t.free(h)
}

// report takes what a worker says of the host.
func (h *host) report(r crawl.Report) {
	if !r.NotBefore.IsZero() {
		h.notBefore = crawl.MillisUp(r.NotBefore)
	}
	if r.Interval > 0 {
		h.interval = crawl.IntervalMillis(r.Interval)
	}
	h.rule, h.trouble, h.downs, h.changed = r.Rule, r.Trouble, r.Downs, true
}

const (
	tried   = `update urls set state = ?, due = ?, attempts = ?, status = ?, reason = ?, at = ?, took = ?, bytes = ?`
	visited = `, visits = visits + 1, etag = ?, modified = ?, digest = ?, level = ?, visited = ?`
)

// end takes what became of a visit. Most visits are the first of a URL that was ready, so that is tried before looking.
func (t *tx) end(h *host, now int64, r crawl.Result) error {
	n, err := t.change(h, crawl.StateReady, now, r)
	if err != nil {
		return err
	}
	k := known{state: crawl.StateReady}
	if n == 0 {
		if k, err = t.known(h.id, r.Key); err != nil || k.state == "" {
			return err
		}
		if _, err = t.change(h, k.state, now, r); err != nil {
			return err
		}
	}
	t.moved(h, k, r)
	return t.keepLinks(h.id, now, r)
}

// moved counts a URL from what it was to what a result makes of it.
func (t *tx) moved(h *host, from known, r crawl.Result) {
	t.count(h, from.state, from.reason, -1)
	t.count(h, r.State, r.Reason, 1)
}

// change writes a result, if its URL is in a state, and returns how many URLs that were.
func (t *tx) change(h *host, from crawl.State, now int64, r crawl.Result) (n int64, err error) {
	due := sql.NullInt64{Int64: now, Valid: r.State == crawl.StateReady || r.State == crawl.StateRetry}
	if !r.Due.IsZero() {
		due.Int64 = crawl.MillisUp(r.Due)
	}
	asked := sql.NullInt64{Int64: crawl.Millis(crawl.VisitedAt(r)), Valid: !r.At.IsZero()}
	at := sql.NullInt64{Int64: crawl.Millis(r.At), Valid: !r.At.IsZero()}
	args := append(make([]any, 0, 16), slices.Index(states, r.State), due, r.Attempts, r.Status, r.Reason, at, r.Took.Milliseconds(), r.Bytes)
	const which = ` where host = ? and fp = ? and state = ?`
	url := []any{h.id, r.Key, slices.Index(states, from)}
	switch r.State {
	case crawl.StateRetry, crawl.StateFailed:
		n, err = t.exec(tried+which, append(args, url...)...)
	case crawl.StateDone:
		args = append(args, r.ETag, r.Modified, r.Digest, r.Level, asked)
		n, err = t.exec(tried+visited+which, append(args, url...)...)
	case crawl.StateReady: // the next visit
		args[2] = 0
		args = append(args, r.ETag, r.Modified, r.Digest, r.Level, asked)
		n, err = t.exec(tried+visited+`, id = '', redirects = 0`+which, append(args, url...)...)
	}
	return n, err
}
