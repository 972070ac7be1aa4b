package postgres

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// URLs implements crawl.Frontier.
func (f *Frontier) URLs(ctx context.Context, filter crawl.URLFilter) (all []crawl.URLStatus, err error) {
	err = f.read(ctx, "read", time.Time{}, func(t *tx) error {
		all = nil
		c, err := t.matching(filter)
		if err != nil {
			return err
		}
		t.query(func(rows pgx.Rows) error {
			var h scraperutils.Host
			u, err := t.scanURL(rows, &h.Name, &h.Port)
			u.Host = scraperutils.Host{Name: given(h.Name), Port: given(h.Port)}
			all = append(all, u)
			return err
		}, "select "+urlColumns+", name, port from urls join hosts on hosts.id = urls.host"+c.where()+
			" order by urls.host, urls.fp limit "+fmt.Sprint(cmp.Or(filter.Limit, 1000)), c.args...)
		return nil
	})
	return all, err
}

// hostNamed returns the ID of the host that a URL names, or one that no host has.
func (t *tx) hostNamed(text string) (int64, error) {
	u, err := url.Parse(text)
	if err != nil {
		return 0, nil // no URL of the frontier
	}
	ids, err := t.named([]scraperutils.Host{scraperutils.HostOf(u)})
	if len(ids) == 0 {
		return 0, err
	}
	return ids[0], err
}

// matching returns the conditions of a filter. The first two arguments are the cursor. What it asks the server is sent at once.
func (t *tx) matching(filter crawl.URLFilter) (c conditions, err error) {
	if err := t.send(); err != nil { // for the time
		return c, err
	}
	c.add("(urls.host, urls.fp) > (?, ?)", filter.After.HostID, filter.After.Key)
	switch {
	case filter.HostID != 0:
		c.add("urls.host = ?", filter.HostID)
	case filter.URL != "":
		id, err := t.hostNamed(filter.URL)
		if err != nil {
			return c, err
		}
		c.add("urls.host = ?", id)
	}
	if filter.URL != "" {
		c.add("urls.url = ?", kept(filter.URL))
	}
	if filter.State != "" {
		c.add("urls.state = " + fmt.Sprint(slices.Index(states, filter.State)))
	}
	if filter.Reason != "" {
		word := kept(filter.Reason)
		c.add("(urls.reason = ? or starts_with(urls.reason, ?) or starts_with(urls.reason, ?))", word, word+":", word+" ")
	}
	if !filter.Since.IsZero() {
		c.add("urls.at >= ? and (urls.state in (2, 3) or urls.state = 0 and urls.visits > 0)", t.time.keep(filter.Since))
	}
	return c, nil
}

const urlColumns = `urls.host, urls.fp, urls.url, urls.prio, urls.due, urls.state, urls.attempts, urls.visits, urls.redirects, urls.depth, urls.level,
	urls.status, urls.via, urls.id, urls.etag, urls.modified, urls.digest, urls.reason, urls.at, urls.took, urls.bytes, urls.added, urls.series, urls.sitemap, urls.visited`

// scanURL reads urlColumns, and more into what else is given.
func (t *tx) scanURL(rows pgx.Rows, more ...any) (u crawl.URLStatus, err error) {
	var state int
	var due, at, visited pgtype.Int8
	var took, added int64
	err = rows.Scan(append([]any{&u.HostID, &u.Cursor.Key, &u.URL, &u.Priority, &due, &state, &u.Attempts, &u.Visits, &u.Redirects, &u.Depth, &u.Level,
		&u.Status, &u.Via, &u.ID, &u.ETag, &u.Modified, &u.Digest, &u.Reason, &at, &took, &u.Bytes, &added, &u.Series, &u.Sitemap, &visited}, more...)...)
	if err != nil {
		return u, err
	}
	for _, text := range []*string{&u.URL, &u.Via, &u.ID, &u.ETag, &u.Modified, &u.Digest, &u.Reason} {
		*text = given(*text)
	}
	u.Item.Key, u.State, u.Took, u.Added = u.Cursor.Key, states[state], time.Duration(took)*time.Millisecond, t.time.give(added)
	if due.Valid {
		u.Due = t.time.give(due.Int64)
	}
	if at.Valid {
		u.At = t.time.give(at.Int64)
	}
	if visited.Valid {
		u.Visited = t.time.give(visited.Int64)
	}
	if u.ID == "" {
		number := u.Visits + 1
		if u.State == crawl.StateDone {
			number--
		}
		u.ID = crawl.VisitID(u.URL, number)
	}
	return u, nil
}
