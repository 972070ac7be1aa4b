package frontier

import (
	"database/sql"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// foundNearer gives a URL a smaller depth, and has the links followed again that are kept of it.
func (t *tx) foundNearer(host, key int64, e crawl.Placed, now int64) error {
	if _, err := t.exec("update urls set depth = ?, via = ? where host = ? and fp = ?", e.Depth, e.Via, host, key); err != nil {
		return err
	}
	_, err := t.exec("update links set nearer = ? where host = ? and fp = ? and nearer is null", now, host, key)
	return err
}

// keepLinks keeps what a URL leads to, which is followed again where the URL was found nearer since it was claimed.
func (t *tx) keepLinks(host, now int64, r crawl.Result) error {
	if len(r.Links) == 0 {
		return nil
	}
	k, err := t.known(host, r.Key)
	if err != nil {
		return err
	}
	nearer := sql.NullInt64{Int64: now, Valid: k.depth < r.Links.Depth()}
	_, err = t.exec(`insert into links (host, fp, packed, nearer) values (?, ?, ?, ?)
		on conflict (host, fp) do update set packed = excluded.packed, nearer = excluded.nearer`, host, r.Key, []byte(r.Links), nearer)
	return err
}

// followNearer adds again what URLs lead to that were found nearer, and writes what that changes of hosts.
func (t *tx) followNearer(now int64, hash func(string) int64) error {
	var pages []crawl.Nearer
	err := t.query(func(rows row) error {
		var p crawl.Nearer
		err := rows.Scan(&p.HostID, &p.Key, (*[]byte)(&p.Links), &p.URL, &p.Depth)
		pages = append(pages, p)
		return err
	}, `select host, fp, packed, url, depth from links join urls using (host, fp) where nearer is not null order by nearer, host, fp limit ?`, crawl.NearerPages)
	if err != nil || len(pages) == 0 {
		return err
	}
	found, n, err := crawl.FollowNearer(pages)
	if err != nil {
		return err
	}
	for _, p := range pages[:n] {
		if _, err := t.exec("update links set nearer = null where host = ? and fp = ?", p.HostID, p.Key); err != nil {
			return err
		}
	}
	if _, err := t.add(now, crawl.Place(found, hash)); err != nil {
		return err
	}
	return t.flush()
}
