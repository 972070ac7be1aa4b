package frontier

import (
	"cmp"
	"context"
	"database/sql"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// URLs implements crawl.Frontier.
func (f *Frontier) URLs(ctx context.Context, filter crawl.URLFilter) (all []crawl.URLStatus, err error) {
	err = f.read(ctx, "read", func(t *sql.Tx) error {
		all = nil
		c, err := f.matching(ctx, t, filter)
		if err != nil {
			return err
		}
		c.args = append(c.args, cmp.Or(filter.Limit, 1000))
		rows, err := t.QueryContext(ctx, "select "+urlColumns+", name, port from urls join hosts on hosts.id = urls.host"+c.where()+
			" order by urls.host, fp limit ?", c.args...)
		if err != nil {
			return err
		}
		var host scraperutils.Host
		u := newURLRow(&host.Name, &host.Port)
		return each(rows, func(rows *sql.Rows) error {
			err := u.scan(rows)
			u.Host = host
			all = append(all, u.URLStatus)
			return err
		})
	})
	return all, err
}

// conditions is what a query selects by.
type conditions struct {
	texts []string
	args  []any
}

func (c *conditions) add(text string, args ...any) {
	c.texts, c.args = append(c.texts, text), append(c.args, args...)
}

func (c *conditions) where() string {
	if len(c.texts) == 0 {
		return ""
	}
	return " where " + strings.Join(c.texts, " and ")
}

// hostOf returns the ID of the host that a URL names, or one that no host has.
func (f *Frontier) hostOf(ctx context.Context, t *sql.Tx, text string) (id any, err error) {
	u, err := url.Parse(text)
	if err != nil {
		return 0, nil // no URL of the frontier
	}
	ids, err := f.named(ctx, t, []scraperutils.Host{scraperutils.HostOf(u)})
	if len(ids) == 0 {
		return 0, err
	}
	return ids[0], err
}

// matching returns the conditions of a filter. The first two arguments are the cursor.
func (f *Frontier) matching(ctx context.Context, t *sql.Tx, filter crawl.URLFilter) (c conditions, err error) {
	c.add("(urls.host, fp) > (?, ?)", filter.After.HostID, filter.After.Key)
	switch {
	case filter.HostID != 0:
		c.add("urls.host = ?", filter.HostID)
	case filter.URL != "":
		id, err := f.hostOf(ctx, t, filter.URL)
		if err != nil {
			return c, err
		}
		c.add("urls.host = ?", id)
	}
	if filter.URL != "" {
		c.add("url = ?", filter.URL)
	}
	if filter.State != "" {
		c.add("state = ?", slices.Index(states, filter.State))
	}
	if filter.Reason != "" {
		c.add("(reason = ? or substr(reason, 1, length(?) + 1) in (? || ':', ? || ' '))", filter.Reason, filter.Reason, filter.Reason, filter.Reason)
	}
	if !filter.Since.IsZero() {
		c.add("at >= ? and (state in (2, 3) or state = 0 and visits > 0)", crawl.Millis(filter.Since))
	}
	return c, nil
}

// Columns of a URL: what a visit needs, and all there is.
const (
	itemColumns = `fp, url, prio, attempts, visits, redirects, depth, level, via, urls.id, etag, modified, digest, added, series, sitemap, visited`
	urlColumns  = itemColumns + `, host, urls.due, state, status, reason, at, took, bytes`
)

// urlRow is where rows are read into, one after the other.
type urlRow struct {
	crawl.URLStatus
	state            int
	due, at, visited sql.NullInt64
	took, added      int64
	dest             []any
}

// newItemRow returns a row of itemColumns.
func newItemRow() *urlRow {
	u := &urlRow{}
	u.dest = []any{&u.Cursor.Key, &u.URL, &u.Priority, &u.Attempts, &u.Visits, &u.Redirects, &u.Depth, &u.Level, &u.Via, &u.ID, &u.ETag, &u.Modified, &u.Digest,
		&u.added, &u.Series, &u.Sitemap, &u.visited}
	return u
}

// newURLRow returns a row of urlColumns, with more columns where they go.
func newURLRow(more ...any) *urlRow {
	u := newItemRow()
	u.dest = append(append(u.dest, &u.HostID, &u.due, &u.state, &u.Status, &u.Reason, &u.at, &u.took, &u.Bytes), more...)
	return u
}

// scan reads a row.
func (u *urlRow) scan(rows row) error {
	if err := rows.Scan(u.dest...); err != nil {
		return err
	}
	u.Item.Key, u.State, u.Took, u.Added = u.Cursor.Key, states[u.state], time.Duration(u.took)*time.Millisecond, crawl.TimeOf(u.added)
	u.Due, u.Visited, u.At = timeOf(u.due), timeOf(u.visited), timeOf(u.at)
	if u.ID == "" {
		number := u.Visits + 1
		if u.State == crawl.StateDone {
			number--
		}
		u.ID = crawl.VisitID(u.URL, number)
	}
	return nil
}

// timeOf is zero for null.
func timeOf(millis sql.NullInt64) time.Time {
	if !millis.Valid {
		return time.Time{}
	}
	return crawl.TimeOf(millis.Int64)
}
