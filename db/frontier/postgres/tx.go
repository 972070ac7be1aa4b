package postgres

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// tx is one transaction, and what it knows and has changed of hosts, URLs and totals. Statements are queued and sent together; what
// they return is there after send.
type tx struct {
	f     *Frontier
	ctx   context.Context
	conn  *pgx.Conn
	batch *pgx.Batch // what is queued

	time    clock
	now     int64 // the time's, once anything was sent
	hosts   map[int64]*host
	urls    map[crawl.Cursor]*page
	paths   map[path]int            // URLs with a query of each, of those that are bounded
	bounded []path                  // of which that was counted
	totals  crawl.Totals            // what is to be added
	traps   map[trapKey]*crawl.Trap // the same
	changed bool                    // hosts, URLs or totals are to be written
}

// exec queues a statement.
func (t *tx) exec(text string, args ...any) { t.batch.Queue(text, args...) }

// query queues a statement; take is called for each row.
func (t *tx) query(take func(pgx.Rows) error, text string, args ...any) {
	t.batch.Queue(text, args...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			if err := take(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// send has the server do what is queued.
func (t *tx) send() error {
	if t.batch.Len() == 0 {
		return nil
	}
	batch := t.batch
	t.batch = &pgx.Batch{}
	t.time.begin(t.f.now)
	err := t.conn.SendBatch(t.ctx, batch).Close()
	t.now = t.time.now
	return err
}

// host is a row of hosts.
type host struct {
	id        int64
	name      scraperutils.Host
	due       pgtype.Int8
	notBefore int64
	interval  int64
	owner     pgtype.Text
	token     int64
	levels    int
	rule      string
	trouble   string
	downs     int
	seed      bool

	crawl.Tally

	changed bool
}

const hostColumns = `id, name, port, due, not_before, interval, owner, token, levels, rule, trouble, downs, pending, retrying, done, failed, seed`

func scanHost(rows pgx.Rows) (*host, error) {
	h := &host{}
	err := rows.Scan(&h.id, &h.name.Name, &h.name.Port, &h.due, &h.notBefore, &h.interval, &h.owner, &h.token, &h.levels, &h.rule, &h.trouble, &h.downs,
		&h.Pending, &h.Retrying, &h.Done, &h.Failed, &h.seed)
	h.name.Name, h.name.Port, h.owner.String, h.rule, h.trouble = given(h.name.Name), given(h.name.Port), given(h.owner.String), given(h.rule), given(h.trouble)
	return h, err
}

// lockHosts queues that hosts are locked, in the order of their IDs, and read.
func (t *tx) lockHosts(ids []int64) {
	if len(ids) > 0 {
		t.query(t.takeHost, "select "+hostColumns+" from hosts where id = any($1) order by id for update", ids)
	}
}

func (t *tx) takeHost(rows pgx.Rows) error {
	h, err := scanHost(rows)
	t.hosts[h.id] = h
	return err
}

// held returns the host of a lease, or nil where the lease is lost. The host is locked.
func (t *tx) held(l crawl.Held) *host {
	if h := t.hosts[l.HostID]; h != nil && h.owner.Valid && h.token == l.Token {
		return h
	}
	return nil
}

// count counts a URL of a host into a state, or out of it where n is -1.
func (t *tx) count(h *host, state crawl.State, reason string, n int) {
	t.change(h)
	t.totals.Count(&h.Tally, state, reason, n)
}

// change has a host written when the transaction is committed.
func (t *tx) change(h *host) { h.changed, t.changed = true, true }

// sooner has a host claimed when a URL is due that was added, unless it is earlier anyway.
func (t *tx) sooner(h *host, due int64) {
	if due = max(due, h.notBefore); !h.owner.Valid && (!h.due.Valid || due < h.due.Int64) {
		h.due = pgtype.Int8{Int64: due, Valid: true}
		t.change(h)
	}
}

// free ends a host's lease. When its next URL is due is still to be said.
func (t *tx) free(h *host) {
	h.owner, h.due = pgtype.Text{}, pgtype.Int8{}
	t.change(h)
}

// writeHosts queues that hosts which have changed are written.
func (t *tx) writeHosts() {
	var all []*host
	for _, h := range t.hosts {
		if h.changed {
			all = append(all, h)
		}
	}
	if len(all) == 0 {
		return
	}
	slices.SortFunc(all, func(a, b *host) int { return cmp.Compare(a.id, b.id) })
	t.exec(`update hosts set due = n.due, not_before = n.not_before, interval = n.interval, owner = n.owner, token = n.token, levels = n.levels,
			rule = n.rule, trouble = n.trouble, downs = n.downs, pending = n.pending, retrying = n.retrying, done = n.done, failed = n.failed, seed = n.seed
		from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::int[], $8::text[], $9::text[], $10::int[],
			$11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::boolean[])
			as n(id, due, not_before, interval, owner, token, levels, rule, trouble, downs, pending, retrying, done, failed, seed)
		where hosts.id = n.id`,
		column(all, func(h *host) int64 { return h.id }), column(all, func(h *host) pgtype.Int8 { return h.due }),
		column(all, func(h *host) int64 { return h.notBefore }), column(all, func(h *host) int64 { return h.interval }),
		column(all, func(h *host) pgtype.Text { return pgtype.Text{String: kept(h.owner.String), Valid: h.owner.Valid} }),
		column(all, func(h *host) int64 { return h.token }), column(all, func(h *host) int { return h.levels }),
		column(all, func(h *host) string { return kept(h.rule) }), column(all, func(h *host) string { return kept(h.trouble) }),
		column(all, func(h *host) int { return h.downs }), column(all, func(h *host) int { return h.Pending }),
		column(all, func(h *host) int { return h.Retrying }), column(all, func(h *host) int { return h.Done }), column(all, func(h *host) int { return h.Failed }),
		column(all, func(h *host) bool { return h.seed }))
}

// column returns one value of each row, as unnest takes them.
func column[Row, Value any](rows []Row, value func(Row) Value) []Value {
	values := make([]Value, len(rows))
	for i, r := range rows {
		values[i] = value(r)
	}
	return values
}

// slots is over how many rows each total is spread, so that transactions seldom wait for each other there.
const slots = 64

// writeTotals queues that what was counted is added.
func (t *tx) writeTotals() {
	maps.DeleteFunc(t.totals, func(_ string, n int) bool { return n == 0 })
	if len(t.totals) == 0 {
		return
	}
	names := slices.Sorted(maps.Keys(t.totals))
	t.exec(`insert into totals (slot, name, n) select $1, name, n from unnest($2::text[], $3::bigint[]) as a(name, n)
		on conflict (slot, name) do update set n = totals.n + excluded.n`,
		rand.IntN(slots), column(names, kept), column(names, func(name string) int { return t.totals[name] }))
}
