package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// tryTime is how long one try of a call may take: one that takes longer has lost its server without a word.
const tryTime = 2 * time.Minute

// mark is the last commit of a slot.
type mark struct {
	slot int
	n    int64
}

// errMoved is that another transaction has changed what this one builds on. It is done again.
var errMoved = errors.New("others have changed what this builds on")

// write has a transaction do something, and tries again what is in another one's way and what finds no server. do may be called several
// times; what it has set the last time counts. Where the answer to a commit got lost, the mark in the database says whether it was one.
func (f *Frontier) write(ctx context.Context, what string, now time.Time, do func(*tx) error) error {
	if err := f.enter(ctx); err != nil {
		return err
	}
	defer f.calls.Done()
	var m mark
	select {
	case m = <-f.marks:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { f.marks <- m }()
	m.n++
	unsettled := false
	return f.explain(ctx, what, f.patiently(ctx, func(ctx context.Context) error {
		return f.attempt(ctx, "begin", now, func(t *tx) error {
			if unsettled {
				if committed, err := t.settle(m); committed || err != nil {
					return err
				}
			}
			if err := do(t); err != nil {
				return err
			}
			lost, err := t.commit(m)
			unsettled = unsettled || lost
			return err
		})
	}))
}

// read has a transaction that sees one commit read. What do queues is sent when it returns.
func (f *Frontier) read(ctx context.Context, what string, now time.Time, do func(*tx) error) error {
	if err := f.enter(ctx); err != nil {
		return err
	}
	defer f.calls.Done()
	return f.explain(ctx, what, f.patiently(ctx, func(ctx context.Context) error {
		return f.attempt(ctx, "begin isolation level repeatable read read only", now, func(t *tx) error {
			if err := do(t); err != nil {
				return err
			}
			t.exec("commit")
			return t.send()
		})
	}))
}

// patiently tries until it works, the frontier is closed, ctx ends, or the patience does.
func (f *Frontier) patiently(ctx context.Context, try func(context.Context) error) error {
	began := time.Now()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		limited, cancel := context.WithTimeout(ctx, tryTime)
		err := try(limited)
		cancel()
		if err == nil || ctx.Err() != nil || time.Since(began) > f.options.Patience || !isConflict(err) && !isAway(err) {
			return err
		}
		wait := pause
		if isConflict(err) {
			wait = time.Duration(rand.Int64N(int64(20 * time.Millisecond)))
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
		case <-f.closing:
			timer.Stop()
			return err
		}
		timer.Stop()
	}
}

// attempt runs one transaction, which do ends. Where it does not, it is undone.
func (f *Frontier) attempt(ctx context.Context, begin string, now time.Time, do func(*tx) error) error {
	conn, err := f.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release() // one whose transaction is open is closed thereby, which undoes it
	t := &tx{f: f, ctx: ctx, conn: conn.Conn(), batch: &pgx.Batch{}}
	t.forgetAll()
	t.exec(begin)
	t.time.queue(t, f.options.Clock, now)
	return do(t)
}

// commit writes the hosts and totals that have changed, with the mark, and commits. lost says that it may be committed and may be not.
func (t *tx) commit(m mark) (lost bool, err error) {
	if !t.changed && t.batch.Len() == 0 {
		t.exec("rollback")
		return false, t.send()
	}
	t.flush()
	t.exec(`insert into marks (opened, slot, n, at) values ($1, $2, $3, $4) on conflict (opened, slot) do update set n = excluded.n, at = excluded.at`,
		t.f.id, m.slot, m.n, t.now)
	t.exec("commit")
	err = t.send()
	return err != nil && isAway(err), err
}

// flush queues that all is written which has changed. What is known of it is read anew after that.
func (t *tx) flush() {
	t.insertURLs()
	t.writeURLs()
	t.writeNearer()
	t.writeLinks()
	t.writeHosts()
	t.writePaths()
	t.writeTotals()
	t.writeTraps()
	t.forgetAll()
}

// forgetAll has a transaction know nothing.
func (t *tx) forgetAll() {
	t.hosts, t.urls, t.paths, t.bounded = map[int64]*host{}, map[crawl.Cursor]*page{}, map[path]int{}, nil
	t.totals, t.traps = crawl.Totals{}, map[trapKey]*crawl.Trap{}
}

// settle reports whether a commit whose answer got lost has happened. It waits for the transaction, where that is still under way.
func (t *tx) settle(m mark) (committed bool, err error) {
	t.exec("insert into marks (opened, slot, n, at) values ($1, $2, 0, 0) on conflict (opened, slot) do nothing", t.f.id, m.slot)
	t.query(func(rows pgx.Rows) error {
		var n int64
		err := rows.Scan(&n)
		committed = n == m.n
		return err
	}, "select n from marks where opened = $1 and slot = $2 for update", t.f.id, m.slot)
	if err := t.send(); err != nil || !committed {
		return false, err
	}
	t.exec("rollback")
	return true, t.send()
}

// forgetAfter is how long the marks of one who has not closed are kept.
const forgetAfter = 24 * time.Hour

// forget removes the marks of this opening, and those of others who have died.
func (f *Frontier) forget() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = f.pool.Exec(ctx, "delete from marks where opened = $1 or at < $2", f.id, time.Now().Add(-forgetAfter).UnixMilli()) // the next one does it
}
