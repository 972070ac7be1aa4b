package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// retryBatch is how many failed URLs one commit makes due, so that others need not wait for all of them.
const retryBatch = 1000

// Retry implements crawl.Frontier. If it fails, some URLs may already be due; it counts these.
func (f *Frontier) Retry(ctx context.Context, now time.Time, filter crawl.URLFilter) (total int, err error) {
	if filter.State != "" && filter.State != crawl.StateFailed {
		return 0, nil
	}
	filter.State = crawl.StateFailed
	for {
		n := retryBatch
		if filter.Limit > 0 {
			n = min(n, filter.Limit-total)
		}
		var failed []crawl.Cursor
		err := f.write(ctx, "retry failures of", now, func(t *tx) (err error) {
			failed, err = t.retry(filter, n)
			if err == nil && len(failed) > 0 {
				t.notify()
			}
			return err
		})
		if err != nil {
			return total, err
		}
		if total += len(failed); len(failed) < n || total == filter.Limit {
			return total, nil
		}
		filter.After = failed[len(failed)-1]
	}
}

func (t *tx) retry(filter crawl.URLFilter, n int) (failed []crawl.Cursor, err error) {
	c, err := t.matching(filter)
	if err != nil {
		return nil, err
	}
	hosts := map[int64]bool{}
	t.query(func(rows pgx.Rows) error {
		var at crawl.Cursor
		err := rows.Scan(&at.HostID, &at.Key)
		hosts[at.HostID] = true
		failed = append(failed, at)
		return err
	}, "select urls.host, urls.fp from urls"+c.where()+" order by urls.host, urls.fp limit "+fmt.Sprint(n), c.args...)
	if err := t.send(); err != nil {
		return nil, err
	}
	t.lockHosts(slices.Collect(maps.Keys(hosts)))
	t.readURLs(failed)
	if err := t.send(); err != nil {
		return nil, err
	}
	for _, at := range failed {
		p := t.urls[at]
		if p.state != crawl.StateFailed {
			return nil, errMoved
		}
		t.tryAgain(t.hosts[at.HostID], p)
	}
	return failed, nil
}
