package postgres

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// Due implements crawl.Frontier.
func (f *Frontier) Due(ctx context.Context) (at time.Time, err error) {
	err = f.read(ctx, "read", time.Time{}, func(t *tx) error {
		t.query(func(rows pgx.Rows) error {
			var due pgtype.Int8
			err := rows.Scan(&due)
			if at = (time.Time{}); due.Valid {
				at = t.time.give(due.Int64)
			}
			return err
		}, "select least((select min(due) from hosts where due is not null), (select min(nearer) from links where nearer is not null))")
		return nil
	})
	return at, err
}

// Counts implements crawl.Frontier.
func (f *Frontier) Counts(ctx context.Context, now time.Time) (crawl.Counts, error) {
	totals := crawl.Totals{}
	var leased, ready int
	err := f.read(ctx, "read", now, func(t *tx) error {
		if err := t.send(); err != nil { // for the time
			return err
		}
		clear(totals)
		t.query(func(rows pgx.Rows) error {
			var name string
			var n int
			err := rows.Scan(&name, &n)
			totals[given(name)] = n
			return err
		}, "select name, sum(n)::bigint from totals group by name having sum(n) <> 0")
		t.query(func(rows pgx.Rows) error { return rows.Scan(&leased, &ready) },
			`select (select count(*) from hosts where owner is not null), (select coalesce(sum(pending), 0)::bigint from hosts where due <= $1) +
				(select coalesce(sum(pending), 0)::bigint from hosts where owner is not null and due > $1)`, t.now)
		return nil
	})
	if err != nil {
		return crawl.Counts{}, err
	}
	return totals.Counts(leased, ready), nil
}

// Hosts implements crawl.Frontier.
func (f *Frontier) Hosts(ctx context.Context, filter crawl.HostFilter) (all []crawl.HostStatus, err error) {
	err = f.read(ctx, "read", time.Time{}, func(t *tx) error {
		all = nil
		var c conditions
		order := " order by name, port"
		if filter.Slowest {
			c.add("due is not null")
			order = " order by due desc, id desc"
		}
		if filter.Name != "" {
			ids, err := t.named(crawl.HostsNamed(filter.Name))
			if err != nil {
				return err
			}
			c.add("id = any(?)", ids)
		}
		t.query(func(rows pgx.Rows) error {
			h, err := scanHost(rows)
			all = append(all, t.status(h))
			return err
		}, "select "+hostColumns+" from hosts"+c.where()+order+" limit "+fmt.Sprint(cmp.Or(filter.Limit, 100)), c.args...)
		return nil
	})
	return all, err
}

// Seeds implements crawl.Frontier.
func (f *Frontier) Seeds(ctx context.Context) (seeds []scraperutils.Host, err error) {
	err = f.read(ctx, "read", time.Time{}, func(t *tx) error {
		seeds = nil
		t.query(func(rows pgx.Rows) error {
			var h scraperutils.Host
			err := rows.Scan(&h.Name, &h.Port)
			seeds = append(seeds, scraperutils.Host{Name: given(h.Name), Port: given(h.Port)})
			return err
		}, "select name, port from hosts where seed order by name, port")
		return nil
	})
	return seeds, err
}

// named returns the IDs of those of some hosts that are known.
func (t *tx) named(hosts []scraperutils.Host) (ids []int64, err error) {
	ids = []int64{}
	for _, h := range hosts {
		for id := t.f.options.Hash(crawl.HostText(h)); ; id = crawl.NextHash(id) {
			var found *scraperutils.Host
			t.query(func(rows pgx.Rows) error {
				found = &scraperutils.Host{}
				return rows.Scan(&found.Name, &found.Port)
			}, "select name, port from hosts where id = $1", id)
			if err := t.send(); err != nil {
				return nil, err
			}
			if found == nil {
				break
			}
			if *found == h {
				ids = append(ids, id)
				break
			}
		}
	}
	return ids, nil
}

func (t *tx) status(h *host) crawl.HostStatus {
	s := crawl.HostStatus{
		ID: h.id, Host: h.name, NotBefore: t.time.give(h.notBefore), Interval: time.Duration(h.interval) * time.Millisecond,
		Rule: h.rule, Trouble: h.trouble, Downs: h.downs, Pending: h.Pending, Retrying: h.Retrying, Done: h.Done, Failed: h.Failed,
	}
	if h.due.Valid {
		s.Due = t.time.give(h.due.Int64)
	}
	if h.owner.Valid {
		s.Owner, s.Until = h.owner.String, s.Due
	}
	return s
}

// conditions is what a query selects by.
type conditions struct {
	texts []string
	args  []any
}

// add adds a condition; each question mark stands for one of the arguments.
func (c *conditions) add(text string, args ...any) {
	for _, a := range args {
		c.args = append(c.args, a)
		text = strings.Replace(text, "?", fmt.Sprint("$", len(c.args)), 1)
	}
	c.texts = append(c.texts, text)
}

func (c *conditions) where() string {
	if len(c.texts) == 0 {
		return ""
	}
	return " where " + strings.Join(c.texts, " and ")
}
