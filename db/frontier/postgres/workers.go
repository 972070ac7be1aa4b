package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// Announce implements crawl.Frontier.
func (f *Frontier) Announce(ctx context.Context, now time.Time, w crawl.WorkerStatus) (stop bool, err error) {
	err = f.write(ctx, "announce a worker of", now, func(t *tx) error {
		if err := t.send(); err != nil { // for the time
			return err
		}
		t.changed = true
		t.query(func(rows pgx.Rows) error { return rows.Scan(&stop) }, `insert into workers (name, since, seen, hosts, done, failed)
			values ($1, $2, $3, $4, $5, $6) on conflict (name) do update set since = excluded.since, seen = excluded.seen, hosts = excluded.hosts,
			done = excluded.done, failed = excluded.failed returning stop`, kept(w.Name), t.time.keep(w.Since), t.now, w.Hosts, w.Done, w.Failed)
		t.exec("delete from workers where seen < $1", t.now-crawl.SilentFor.Milliseconds())
		return nil
	})
	return stop, err
}

// Leave implements crawl.Frontier.
func (f *Frontier) Leave(ctx context.Context, name string) error {
	return f.write(ctx, "leave", time.Time{}, func(t *tx) error {
		t.changed = true
		t.exec("delete from workers where name = $1", kept(name))
		return nil
	})
}

// Workers implements crawl.Frontier.
func (f *Frontier) Workers(ctx context.Context, now time.Time) (all []crawl.WorkerStatus, err error) {
	err = f.read(ctx, "read", now, func(t *tx) error {
		if err := t.send(); err != nil { // for the time
			return err
		}
		all = nil
		t.query(func(rows pgx.Rows) error {
			var w crawl.WorkerStatus
			var since, seen int64
			err := rows.Scan(&w.Name, &since, &seen, &w.Hosts, &w.Done, &w.Failed, &w.Stop)
			w.Name, w.Since, w.Seen = given(w.Name), t.time.give(since), t.time.give(seen)
			all = append(all, w)
			return err
		}, `select name, since, seen, hosts, done, failed, stop from workers where seen >= $1 order by name collate "C"`, t.now-crawl.SilentFor.Milliseconds())
		return nil
	})
	return all, err
}

// StopWorkers implements crawl.Frontier.
func (f *Frontier) StopWorkers(ctx context.Context, now time.Time) (n int, err error) {
	err = f.write(ctx, "stop workers of", now, func(t *tx) error {
		if err := t.send(); err != nil { // for the time
			return err
		}
		n, t.changed = 0, true
		t.query(func(rows pgx.Rows) error { n++; return nil }, "update workers set stop = true where seen >= $1 returning name", t.now-crawl.SilentFor.Milliseconds())
		return t.send()
	})
	return n, err
}
