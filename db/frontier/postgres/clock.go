package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// clock converts between the times of a caller and those that are kept, which are the server's. How far the two are apart is asked in
// each transaction, and known but for the time that the question took: times are converted so that none gets earlier by that, for they
// are times before which nothing may happen.
type clock struct {
	now  int64 // as it is kept
	in   int64 // to be added to a caller's time
	out  int64 // to be subtracted from one that is kept
	sent time.Time
}

// queue asks for the time.
func (c *clock) queue(t *tx, whose Clock, now time.Time) {
	if whose == CallersClock {
		c.now = crawl.Millis(now)
		return
	}
	t.query(func(rows pgx.Rows) error {
		back := t.f.now()
		err := rows.Scan(&c.now)
		c.in, c.out = c.now-c.sent.UnixMilli()+1, c.now-back.UnixMilli()-1
		return err
	}, "select (extract(epoch from clock_timestamp()) * 1000)::bigint")
}

// never is a time that is none.
var never = crawl.Millis(time.Time{})

// keep converts a caller's time that is exact, or of what has happened.
func (c *clock) keep(t time.Time) int64 { return c.shifted(crawl.Millis(t), c.in) }

// keepUp converts a caller's time before which nothing may happen.
func (c *clock) keepUp(t time.Time) int64 { return c.shifted(crawl.MillisUp(t), c.in) }

// keepOr converts a caller's time before which nothing may happen; zero is now.
func (c *clock) keepOr(t time.Time) int64 {
	if t.IsZero() {
		return c.now
	}
	return c.keepUp(t)
}

// give converts a time that is kept.
func (c *clock) give(millis int64) time.Time { return crawl.TimeOf(c.shifted(millis, -c.out)) }

func (c *clock) shifted(millis, by int64) int64 {
	if millis == never {
		return never
	}
	return millis + by
}

// begin notes when a question for the time is sent first.
func (c *clock) begin(now func() time.Time) {
	if c.sent.IsZero() {
		c.sent = now()
	}
}
