package postgres

import (
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// Whoever changes links of a URL has its host locked.

// foundNearer gives a URL that is known a smaller depth.
func (t *tx) foundNearer(p *page, e *crawl.Placed) {
	p.depth = small(e.Depth)
	if p.added == nil {
		p.nearer, t.changed = e, true
		return
	}
	nearer := *p.added
	nearer.Depth, nearer.Via = e.Depth, e.Via
	p.added = &nearer
}

// writeNearer queues that smaller depths are written, and that the links that are kept of those URLs are followed again.
func (t *tx) writeNearer() {
	all := t.pages(func(p *page) bool { return p.nearer != nil })
	if len(all) == 0 {
		return
	}
	hosts, keys := column(all, func(p *page) int64 { return p.at.HostID }), column(all, func(p *page) int64 { return p.at.Key })
	t.exec(`update urls set depth = n.depth, via = n.via from unnest($1::bigint[], $2::bigint[], $3::int[], $4::text[]) as n(host, fp, depth, via)
		where urls.host = n.host and urls.fp = n.fp`,
		hosts, keys, column(all, func(p *page) int { return p.depth }), column(all, func(p *page) string { return kept(p.nearer.Via) }))
	t.exec(`update links set nearer = $3 from unnest($1::bigint[], $2::bigint[]) as n(host, fp)
		where links.host = n.host and links.fp = n.fp and links.nearer is null`, hosts, keys, t.now)
	for _, p := range all {
		p.nearer = nil
	}
}

// writeLinks queues that what URLs lead to is kept. It is followed again where the URL was found nearer since it was claimed.
func (t *tx) writeLinks() {
	all := t.pages(func(p *page) bool { return p.links != nil })
	if len(all) == 0 {
		return
	}
	t.exec(`insert into links (host, fp, packed, nearer) select * from unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bigint[])
		on conflict (host, fp) do update set packed = excluded.packed, nearer = excluded.nearer`,
		column(all, func(p *page) int64 { return p.at.HostID }), column(all, func(p *page) int64 { return p.at.Key }),
		column(all, func(p *page) []byte { return p.links }),
		column(all, func(p *page) pgtype.Int8 { return pgtype.Int8{Int64: t.now, Valid: p.depth < p.links.Depth()} }))
}

// pages returns the pages that are selected, in the order of their keys.
func (t *tx) pages(selected func(*page) bool) (all []*page) {
	for _, at := range slices.SortedFunc(maps.Keys(t.urls), byKey) {
		if selected(t.urls[at]) {
			all = append(all, t.urls[at])
		}
	}
	return all
}

// followNearer adds again what URLs lead to that were found nearer. Others may do the same at that moment, for nothing is locked before it is
// known what: what is known is known then, and those URLs stay in line that are still nearer meanwhile.
func (t *tx) followNearer() error {
	var pages []crawl.Nearer
	t.query(func(rows pgx.Rows) error {
		var p crawl.Nearer
		err := rows.Scan(&p.HostID, &p.Key, (*[]byte)(&p.Links), &p.URL, &p.Depth)
		p.URL = given(p.URL)
		pages = append(pages, p)
		return err
	}, "select host, fp, packed, url, depth from links join urls using (host, fp) where nearer is not null order by nearer, host, fp limit $1", crawl.NearerPages)
	if err := t.send(); err != nil || len(pages) == 0 {
		return err
	}
	found, n, err := crawl.FollowNearer(pages)
	if err != nil {
		return err
	}
	pages = pages[:n]
	hosts := column(pages, func(p crawl.Nearer) int64 { return p.HostID })
	added, err := t.add(crawl.Place(found, t.f.options.Hash), locks{hosts: slices.Clone(hosts)})
	if err != nil {
		return err
	}
	t.changed = true
	if added.New > 0 {
		t.notify()
	}
	t.exec(`update links set nearer = null from urls, unnest($1::bigint[], $2::bigint[], $3::int[], $4::bytea[]) as n(host, fp, depth, packed)
		where links.host = n.host and links.fp = n.fp and urls.host = n.host and urls.fp = n.fp and urls.depth = n.depth and links.packed = n.packed`,
		hosts, column(pages, func(p crawl.Nearer) int64 { return p.Key }), column(pages, func(p crawl.Nearer) int { return p.Depth }),
		column(pages, func(p crawl.Nearer) []byte { return p.Links }))
	t.flush()
	return nil
}
