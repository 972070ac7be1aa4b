package frontier

import (
	"cmp"
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// Due implements crawl.Frontier.
func (f *Frontier) Due(ctx context.Context) (at time.Time, err error) {
	var due sql.NullInt64
	err = f.read(ctx, "read", func(t *sql.Tx) error {
		return t.QueryRowContext(ctx, `select min(due) from (select min(due) as due from hosts where due is not null
			union all select min(nearer) from links where nearer is not null)`).Scan(&due)
	})
	if err == nil && due.Valid {
		at = crawl.TimeOf(due.Int64)
	}
	return at, err
}

// Counts implements crawl.Frontier.
func (f *Frontier) Counts(ctx context.Context, now time.Time) (crawl.Counts, error) {
	totals := crawl.Totals{}
	var leased, ready int
	err := f.read(ctx, "read", func(t *sql.Tx) error {
		rows, err := t.QueryContext(ctx, "select name, n from totals where n <> 0")
		if err != nil {
			return err
		}
		err = each(rows, func(rows *sql.Rows) error {
			var name string
			var n int
			err := rows.Scan(&name, &n)
			totals[name] = n
			return err
		})
		if err != nil {
			return err
		}
		return t.QueryRowContext(ctx, `select (select count(*) from hosts where owner is not null),
			(select coalesce(sum(pending), 0) from hosts where due <= ?1) +
			(select coalesce(sum(pending), 0) from hosts where owner is not null and due > ?1)`, crawl.Millis(now)).Scan(&leased, &ready)
	})
	if err != nil {
		return crawl.Counts{}, err
	}
	return totals.Counts(leased, ready), nil
}

// Hosts implements crawl.Frontier.
func (f *Frontier) Hosts(ctx context.Context, filter crawl.HostFilter) (all []crawl.HostStatus, err error) {
	var c conditions
	order := " order by name, port"
	if filter.Slowest {
		c.add("due is not null")
		order = " order by due desc, id desc"
	}
	err = f.read(ctx, "read", func(t *sql.Tx) error {
		all = nil
		c := c
		if filter.Name != "" {
			ids, err := f.named(ctx, t, crawl.HostsNamed(filter.Name))
			if err != nil {
				return err
			}
			c.add("id in (?"+strings.Repeat(", ?", len(ids))+")", append(ids, 0)...)
		}
		c.args = append(c.args, cmp.Or(filter.Limit, 100))
		rows, err := t.QueryContext(ctx, "select "+hostColumns+" from hosts"+c.where()+order+" limit ?", c.args...)
		if err != nil {
			return err
		}
		return each(rows, func(rows *sql.Rows) error {
			h, err := scanHost(rows)
			all = append(all, h.status())
			return err
		})
	})
	return all, err
}

// Seeds implements crawl.Frontier.
func (f *Frontier) Seeds(ctx context.Context) (seeds []scraperutils.Host, err error) {
	err = f.read(ctx, "read", func(t *sql.Tx) error {
		seeds = nil
		rows, err := t.QueryContext(ctx, "select name, port from hosts where seed order by name, port")
		if err != nil {
			return err
		}
		return each(rows, func(rows *sql.Rows) error {
			var h scraperutils.Host
			err := rows.Scan(&h.Name, &h.Port)
			seeds = append(seeds, h)
			return err
		})
	})
	return seeds, err
}

// named returns the IDs of those of some hosts that are known.
func (f *Frontier) named(ctx context.Context, t *sql.Tx, hosts []scraperutils.Host) (ids []any, err error) {
	for _, h := range hosts {
		for id := f.hash(crawl.HostText(h)); ; id = crawl.NextHash(id) {
			var found scraperutils.Host
			err := t.QueryRowContext(ctx, "select name, port from hosts where id = ?", id).Scan(&found.Name, &found.Port)
			if err == sql.ErrNoRows {
				break
			}
			if err != nil {
				return nil, err
			}
			if found == h {
				ids = append(ids, id)
				break
			}
		}
	}
	return ids, nil
}

func (h *host) status() crawl.HostStatus {
	s := crawl.HostStatus{
		ID: h.id, Host: h.name, NotBefore: crawl.TimeOf(h.notBefore), Interval: time.Duration(h.interval) * time.Millisecond,
		Rule: h.rule, Trouble: h.trouble, Downs: h.downs, Pending: h.Pending, Retrying: h.Retrying, Done: h.Done, Failed: h.Failed,
	}
	if h.due.Valid {
		s.Due = crawl.TimeOf(h.due.Int64)
	}
	if h.owner.Valid {
		s.Owner, s.Until = h.owner.String, s.Due
	}
	return s
}
