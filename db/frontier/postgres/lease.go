package postgres

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// Claim implements crawl.Frontier.
func (f *Frontier) Claim(ctx context.Context, now time.Time, c crawl.Claim) (leases []crawl.Lease, err error) {
	err = f.write(ctx, "claim from", now, func(t *tx) (err error) {
		leases = nil
		if c.Hosts > 0 && c.URLs > 0 {
			leases, err = t.claim(c)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return leases, nil
}

func (t *tx) claim(c crawl.Claim) (leases []crawl.Lease, err error) {
	if err := t.followNearer(); err != nil {
		return nil, err
	}
	t.query(t.takeHost, "select "+hostColumns+" from hosts where due <= $1 order by due, id limit $2 for update skip locked", t.now, c.Hosts)
	if err := t.send(); err != nil {
		return nil, err
	}
	var due []*host
	for _, h := range t.hosts {
		due = append(due, h)
	}
	slices.SortFunc(due, func(a, b *host) int { return cmp.Or(cmp.Compare(a.due.Int64, b.due.Int64), cmp.Compare(a.id, b.id)) })
	var line line
	for _, h := range due {
		line.ask(h, c.URLs, nil)
	}
	if err := line.read(t); err != nil {
		return nil, err
	}
	var idle []*host
	for _, h := range due {
		if h.owner.Valid {
			h.notBefore = max(h.notBefore, h.due.Int64+h.interval)
		}
		if items := line.items[h.id]; len(items) > 0 {
			leases = append(leases, t.lease(h, c, items))
		} else {
			idle = append(idle, h)
		}
	}
	return leases, t.freeAll(idle)
}

// lease gives a host to a worker.
func (t *tx) lease(h *host, c crawl.Claim, items []crawl.Item) crawl.Lease {
	h.token++
	h.owner = pgtype.Text{String: c.Worker, Valid: true}
	h.due = pgtype.Int8{Int64: t.time.keep(c.Until), Valid: true}
	t.change(h)
	return crawl.Lease{
		Held: crawl.Held{HostID: h.id, Token: h.token}, Host: h.name, Until: crawl.TimeOf(crawl.Millis(c.Until)),
		NotBefore: t.time.give(h.notBefore), Interval: time.Duration(h.interval) * time.Millisecond, Downs: h.downs, Waiting: h.Pending, URLs: items,
	}
}

// Renew implements crawl.Frontier.
func (f *Frontier) Renew(ctx context.Context, now, until time.Time, held []crawl.Held) (lost []int64, err error) {
	err = f.write(ctx, "renew leases of", now, func(t *tx) error {
		if err := t.send(); err != nil { // for the time
			return err
		}
		still := map[crawl.Held]bool{}
		t.query(func(rows pgx.Rows) error {
			var l crawl.Held
			err := rows.Scan(&l.HostID, &l.Token)
			still[l] = true
			return err
		}, `with held as (select hosts.id, hosts.token from hosts join unnest($1::bigint[], $2::bigint[]) as k(id, token) on hosts.id = k.id and hosts.token = k.token
				where owner is not null order by hosts.id for update of hosts)
			update hosts set due = greatest(hosts.due, $3) from held where hosts.id = held.id returning hosts.id, hosts.token`,
			column(held, func(l crawl.Held) int64 { return l.HostID }), column(held, func(l crawl.Held) int64 { return l.Token }), t.time.keep(until))
		if err := t.send(); err != nil {
			return err
		}
		lost, t.changed = nil, len(still) > 0
		for _, l := range held {
			if !still[l] {
				lost = append(lost, l.HostID)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return lost, nil
}
