package frontier

import (
	"context"
	"database/sql"
	"time"

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
	var c conditions
	err = f.read(ctx, "read", func(t *sql.Tx) (err error) {
		c, err = f.matching(ctx, t, filter)
		return err
	})
	for err == nil {
		n := retryBatch
		if filter.Limit > 0 {
			n = min(n, filter.Limit-total)
		}
		var failed []failure // the writer's until the job is done
		err = f.write(ctx, "retry failures of", func(t *tx) (err error) {
			failed, err = t.retry(crawl.Millis(now), c, n)
			return err
		})
		if err != nil {
			break
		}
		if total += len(failed); len(failed) < n || total == filter.Limit {
			break
		}
		last := failed[len(failed)-1]
		c.args[0], c.args[1] = last.host, last.key
	}
	return total, err
}

// failure is a failed URL.
type failure struct {
	host, key int64
	reason    string
}

func (t *tx) retry(now int64, c conditions, n int) (failed []failure, err error) {
	err = t.query(func(rows row) error {
		var u failure
		err := rows.Scan(&u.host, &u.key, &u.reason)
		failed = append(failed, u)
		return err
	}, "select host, fp, reason from urls"+c.where()+" order by host, fp limit ?", append(c.args[:len(c.args):len(c.args)], n)...)
	for i := 0; i < len(failed) && err == nil; i++ {
		err = t.retryURL(now, failed[i])
	}
	return failed, err
}

func (t *tx) retryURL(now int64, u failure) error {
	h, err := t.host(u.host)
	if err != nil {
		return err
	}
	t.count(h, crawl.StateFailed, u.reason, -1)
	t.count(h, crawl.StateReady, "", 1)
	h.sooner(now)
	_, err = t.exec("update urls set state = 0, due = ?, reason = '', attempts = 0 where host = ? and fp = ?", now, u.host, u.key)
	return err
}
