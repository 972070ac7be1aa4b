package frontier

import (
	"context"
	"database/sql"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// oldest is the time since which those have been seen that are listed.
func oldest(now time.Time) int64 { return crawl.Millis(now.Add(-crawl.SilentFor)) }

// Announce implements crawl.Frontier.
func (f *Frontier) Announce(ctx context.Context, now time.Time, w crawl.WorkerStatus) (stop bool, err error) {
	var told bool // the writer's until the job is done
	err = f.write(ctx, "announce a worker of", func(t *tx) error {
		if _, err := t.exec("delete from workers where seen < ?", oldest(now)); err != nil {
			return err
		}
		_, err := t.exec(`insert into workers (name, since, seen, hosts, done, failed) values (?, ?, ?, ?, ?, ?) on conflict (name) do update
			set since = excluded.since, seen = excluded.seen, hosts = excluded.hosts, done = excluded.done, failed = excluded.failed`,
			w.Name, crawl.Millis(w.Since), crawl.Millis(now), w.Hosts, w.Done, w.Failed)
		if err != nil {
			return err
		}
		return t.query(func(r row) error { return r.Scan(&told) }, "select stop from workers where name = ?", w.Name)
	})
	if err != nil {
		return false, err
	}
	return told, nil
}

// Leave implements crawl.Frontier.
func (f *Frontier) Leave(ctx context.Context, name string) error {
	return f.write(ctx, "leave", func(t *tx) error {
		_, err := t.exec("delete from workers where name = ?", name)
		return err
	})
}

// Workers implements crawl.Frontier.
func (f *Frontier) Workers(ctx context.Context, now time.Time) (all []crawl.WorkerStatus, err error) {
	err = f.read(ctx, "read", func(t *sql.Tx) error {
		all = nil
		rows, err := t.QueryContext(ctx, "select name, since, seen, hosts, done, failed, stop from workers where seen >= ? order by name", oldest(now))
		if err != nil {
			return err
		}
		return each(rows, func(rows *sql.Rows) error {
			var w crawl.WorkerStatus
			var since, seen int64
			err := rows.Scan(&w.Name, &since, &seen, &w.Hosts, &w.Done, &w.Failed, &w.Stop)
			w.Since, w.Seen = crawl.TimeOf(since), crawl.TimeOf(seen)
			all = append(all, w)
			return err
		})
	})
	return all, err
}

// StopWorkers implements crawl.Frontier.
func (f *Frontier) StopWorkers(ctx context.Context, now time.Time) (int, error) {
	var n int64 // the writer's until the job is done
	err := f.write(ctx, "stop workers of", func(t *tx) (err error) {
		n, err = t.exec("update workers set stop = 1 where seen >= ?", oldest(now))
		return err
	})
	if err != nil {
		return 0, err
	}
	return int(n), nil
}
