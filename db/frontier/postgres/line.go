package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// line is the first URLs of hosts that are due.
type line struct {
	hosts  []int64
	prios  []int
	counts []int
	wanted map[int64]int
	holds  map[int64][]int64
	items  map[int64][]crawl.Item
}

// ask asks for the first n URLs of a host that are due and not held.
func (l *line) ask(h *host, n int, holding []int64) {
	if l.wanted == nil {
		l.wanted, l.holds, l.items = map[int64]int{}, map[int64][]int64{}, map[int64][]crawl.Item{}
	}
	l.wanted[h.id], l.holds[h.id] = n, holding
	for prio := range crawl.Priorities {
		if h.levels&(1<<prio) != 0 && n > 0 {
			l.hosts, l.prios, l.counts = append(l.hosts, h.id), append(l.prios, prio), append(l.counts, n+len(holding))
		}
	}
}

// queue queues what was asked for.
func (l *line) queue(t *tx) {
	if len(l.hosts) == 0 {
		return
	}
	t.query(func(rows pgx.Rows) error {
		u, err := t.scanURL(rows)
		if have := l.items[u.HostID]; len(have) < l.wanted[u.HostID] && !slices.Contains(l.holds[u.HostID], u.Cursor.Key) {
			l.items[u.HostID] = append(have, u.Item)
		}
		return err
	}, "select "+urlColumns+` from unnest($1::bigint[], $2::smallint[], $3::bigint[]) with ordinality as k(host, prio, n, place) cross join lateral
		(select * from urls where urls.host = k.host and urls.prio = k.prio and due <= $4 order by due, fp limit k.n) as urls
		order by k.place, urls.due, urls.fp`, l.hosts, l.prios, l.counts, t.now)
}

func (l *line) read(t *tx) error {
	l.queue(t)
	return t.send()
}

// dues is when the next URLs of hosts are due.
type dues struct {
	hosts []int64
	prios []int
	first map[int64]int64 // of a host that has any
}

func (d *dues) ask(h *host) {
	for prio := range crawl.Priorities {
		if h.levels&(1<<prio) != 0 {
			d.hosts, d.prios = append(d.hosts, h.id), append(d.prios, prio)
		}
	}
}

// queue queues what was asked for.
func (d *dues) queue(t *tx) {
	d.first = map[int64]int64{}
	if len(d.hosts) == 0 {
		return
	}
	t.query(func(rows pgx.Rows) error {
		var id, due int64
		err := rows.Scan(&id, &due)
		if before, ok := d.first[id]; !ok || due < before {
			d.first[id] = due
		}
		return err
	}, `select k.host, first.due from unnest($1::bigint[], $2::smallint[]) as k(host, prio) cross join lateral
		(select due from urls where urls.host = k.host and urls.prio = k.prio and due is not null order by due limit 1) as first`, d.hosts, d.prios)
}

// free gives a host back, and has it claimed when its next URL is due.
func (d *dues) free(t *tx, h *host) {
	t.free(h)
	if due, ok := d.first[h.id]; ok {
		t.sooner(h, due)
	}
}

// freeAll gives hosts back that were claimed in vain.
func (t *tx) freeAll(hosts []*host) error {
	var d dues
	for _, h := range hosts {
		d.ask(h)
	}
	d.queue(t)
	if err := t.send(); err != nil {
		return err
	}
	for _, h := range hosts {
		d.free(t, h)
	}
	return nil
}
