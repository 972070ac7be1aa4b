package frontier

import (
	"database/sql"
	"maps"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// tx is what one job knows and has changed of hosts and totals. They are written when it is done.
type tx struct {
	*writer
	hosts  map[int64]*host
	totals crawl.Totals            // what is to be added
	traps  map[trapKey]*crawl.Trap // the same
	unseen bool                    // the latest URL to be added was new
}

// host is a row of hosts.
type host struct {
	id        int64
	name      scraperutils.Host
	due       sql.NullInt64
	notBefore int64
	interval  int64
	owner     sql.NullString
	token     int64
	levels    int
	rule      string
	trouble   string
	downs     int
	seed      bool

	crawl.Tally

	fresh   bool // is no row yet
	changed bool
	relet   bool // the owner has changed
}

const hostColumns = `id, name, port, due, not_before, interval, owner, token, levels, rule, trouble, downs, pending, retrying, done, failed, seed`

func scanHost(rows row) (*host, error) {
	h := &host{}
	return h, rows.Scan(&h.id, &h.name.Name, &h.name.Port, &h.due, &h.notBefore, &h.interval, &h.owner, &h.token, &h.levels, &h.rule, &h.trouble, &h.downs,
		&h.Pending, &h.Retrying, &h.Done, &h.Failed, &h.seed)
}

// load returns the hosts of a query, each of which is one of the transaction's.
func (t *tx) load(where string, args ...any) (hosts []*host, err error) {
	err = t.query(func(rows row) error {
		h, err := scanHost(rows)
		if err != nil {
			return err
		}
		if known := t.has(h.id); known != nil {
			h = known
		}
		t.hosts[h.id] = h
		hosts = append(hosts, h)
		return nil
	}, "select "+hostColumns+" from hosts "+where, args...)
	return hosts, err
}

// has returns the host with an ID where it is known without asking, or nil.
func (t *tx) has(id int64) *host {
	h := t.hosts[id]
	if h == nil && t.leased[id] != nil {
		h = t.leased[id]
		t.hosts[id] = h
	}
	return h
}

// host returns the host with an ID, or nil.
func (t *tx) host(id int64) (*host, error) {
	if h := t.has(id); h != nil {
		return h, nil
	}
	hosts, err := t.load("where id = ?", id)
	if err != nil || len(hosts) == 0 {
		return nil, err
	}
	return hosts[0], nil
}

// hostOf returns the host of an entry, which is made where it is new.
func (t *tx) hostOf(e crawl.Placed) (*host, error) {
	for id := e.HostHash; ; id = crawl.NextHash(id) {
		h, err := t.host(id)
		if err != nil {
			return nil, err
		}
		if h == nil {
			h = &host{id: id, name: e.Host, notBefore: crawl.Millis(time.Time{}), fresh: true, changed: true}
			t.hosts[id] = h
			t.totals[crawl.TotalHosts]++
		}
		if h.name == e.Host {
			return h, nil
		}
	}
}

// held returns the host of a lease, or nil where the lease is lost.
func (t *tx) held(l crawl.Held) (*host, error) {
	h, err := t.host(l.HostID)
	if err != nil || h == nil || !h.owner.Valid || h.token != l.Token {
		return nil, err
	}
	return h, nil
}

// count counts a URL of a host into a state, or out of it where n is -1.
func (t *tx) count(h *host, state crawl.State, reason string, n int) {
	h.changed = true
	t.totals.Count(&h.Tally, state, reason, n)
}

// sooner has a host claimed when a URL is due that was added, unless it is earlier anyway.
func (h *host) sooner(due int64) {
	if due = max(due, h.notBefore); !h.owner.Valid && (!h.due.Valid || due < h.due.Int64) {
		h.due, h.changed = sql.NullInt64{Int64: due, Valid: true}, true
	}
}

// free ends a host's lease and has it claimed when its next URL is due.
func (t *tx) free(h *host) error {
	h.owner, h.due, h.changed, h.relet = sql.NullString{}, sql.NullInt64{}, true, true
	for prio := range crawl.Priorities {
		if h.levels&(1<<prio) == 0 {
			continue
		}
		err := t.query(func(rows row) error {
			var due int64
			err := rows.Scan(&due)
			h.sooner(due)
			return err
		}, "select due from urls where host = ? and prio = ? and due is not null order by due limit 1", h.id, prio)
		if err != nil {
			return err
		}
	}
	return nil
}

// next returns the first URLs of a host that are due and not held.
func (t *tx) next(h *host, now int64, n int, holding []int64) (items []crawl.Item, err error) {
	for prio := range crawl.Priorities {
		if h.levels&(1<<prio) == 0 || len(items) >= n {
			continue
		}
		err := t.query(func(rows row) error {
			u := t.row
			err := u.scan(rows)
			if err == nil && len(items) < n && !slices.Contains(holding, u.Cursor.Key) {
				if items == nil {
					items = make([]crawl.Item, 0, min(n, max(h.Pending, 1)))
				}
				items = append(items, u.Item)
			}
			return err
		}, "select "+itemColumns+" from urls where host = ? and prio = ? and due <= ? order by due, fp limit ?", h.id, prio, now, n-len(items)+len(holding))
		if err != nil {
			return nil, err
		}
	}
	return items, nil
}

// flush writes what has changed since the last time.
func (t *tx) flush() error {
	for _, id := range slices.Sorted(maps.Keys(t.hosts)) {
		if err := t.writeHost(t.hosts[id]); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.totals)) {
		n := t.totals[name]
		if n == 0 {
			continue
		}
		if _, err := t.exec(`insert into totals (name, n) values (?, ?) on conflict (name) do update set n = totals.n + excluded.n`, name, n); err != nil {
			return err
		}
	}
	for _, trap := range t.traps {
		if err := t.writeTrap(trap); err != nil {
			return err
		}
	}
	clear(t.totals)
	clear(t.traps)
	return nil
}

// writeHost writes a host, and keeps it where it is leased: it will be asked for again.
func (t *tx) writeHost(h *host) (err error) {
	switch {
	case h.fresh:
		_, err = t.exec(`insert into hosts (id, bucket, name, port, due, not_before, levels, pending, seed) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			h.id, h.id%64, h.name.Name, h.name.Port, h.due, h.notBefore, h.levels, h.Pending, h.seed)
	case h.relet:
		_, err = t.exec(`update hosts set owner = ?, token = ?, due = ?, not_before = ?, interval = ?, levels = ?, rule = ?, trouble = ?, downs = ?,
			pending = ?, retrying = ?, done = ?, failed = ?, seed = ? where id = ?`,
			h.owner, h.token, h.due, h.notBefore, h.interval, h.levels, h.rule, h.trouble, h.downs, h.Pending, h.Retrying, h.Done, h.Failed, h.seed, h.id)
	case h.changed: // the index on owners is left alone
		_, err = t.exec(`update hosts set due = ?, not_before = ?, interval = ?, levels = ?, rule = ?, trouble = ?, downs = ?,
			pending = ?, retrying = ?, done = ?, failed = ?, seed = ? where id = ?`,
			h.due, h.notBefore, h.interval, h.levels, h.rule, h.trouble, h.downs, h.Pending, h.Retrying, h.Done, h.Failed, h.seed, h.id)
	}
	h.fresh, h.changed, h.relet = false, false, false
	if h.owner.Valid {
		t.leased[h.id] = h
	} else {
		delete(t.leased, h.id)
	}
	return err
}
