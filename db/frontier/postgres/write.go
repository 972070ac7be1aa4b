package postgres

import (
	"maps"
	"slices"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// insertURLs queues that URLs are inserted which were added.
func (t *tx) insertURLs() {
	var all []*crawl.Placed
	for _, at := range slices.SortedFunc(maps.Keys(t.urls), byKey) {
		if p := t.urls[at]; p.added != nil {
			e := *p.added
			e.HostHash, e.URLHash = at.HostID, at.Key
			all = append(all, &e)
			p.added = nil
		}
	}
	if len(all) == 0 {
		return
	}
	t.exec(`insert into urls (host, fp, url, prio, due, redirects, depth, series, sitemap, via, id, added)
		select *, $12::bigint from unnest($1::bigint[], $2::bigint[], $3::text[], $4::smallint[], $5::bigint[], $6::int[], $7::int[], $8::int[], $9::boolean[],
			$10::text[], $11::text[])`,
		column(all, func(e *crawl.Placed) int64 { return e.HostHash }), column(all, func(e *crawl.Placed) int64 { return e.URLHash }),
		column(all, func(e *crawl.Placed) string { return kept(e.URL) }), column(all, func(e *crawl.Placed) int { return crawl.PriorityOf(e.Entry) }),
		column(all, func(e *crawl.Placed) int64 { return t.time.keepOr(e.Due) }), column(all, func(e *crawl.Placed) int { return small(e.Redirects) }),
		column(all, func(e *crawl.Placed) int { return small(e.Depth) }), column(all, func(e *crawl.Placed) int { return small(e.Series) }),
		column(all, func(e *crawl.Placed) bool { return e.Sitemap }), column(all, func(e *crawl.Placed) string { return kept(e.Via) }),
		column(all, func(e *crawl.Placed) string { return kept(e.ID) }), t.now)
}

// small is a number that an integer holds.
func small(n int) int { return min(max(n, -1<<31), 1<<31-1) }

// writeURLs queues that URLs which have changed are written. The hosts' lines are then as they will be.
func (t *tx) writeURLs() {
	var all []*page
	for _, at := range slices.SortedFunc(maps.Keys(t.urls), byKey) {
		if p := t.urls[at]; p.changed {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return
	}
	t.changed = true
	t.exec(`update urls set state = n.state, due = n.due, attempts = n.attempts, reason = n.reason,
			prio = coalesce(n.prio, urls.prio), id = coalesce(n.id, urls.id), redirects = coalesce(n.redirects, urls.redirects),
			status = coalesce(n.status, urls.status), at = case when n.status is null then urls.at else n.at end,
			took = coalesce(n.took, urls.took), bytes = coalesce(n.bytes, urls.bytes), visits = urls.visits + n.visits,
			etag = coalesce(n.etag, urls.etag), modified = coalesce(n.modified, urls.modified), digest = coalesce(n.digest, urls.digest),
			level = coalesce(n.level, urls.level), visited = case when n.level is null then urls.visited else n.visited end
		from unnest($1::bigint[], $2::bigint[], $3::smallint[], $4::bigint[], $5::int[], $6::text[], $7::smallint[], $8::text[], $9::int[], $10::int[],
			$11::bigint[], $12::bigint[], $13::bigint[], $14::int[], $15::text[], $16::text[], $17::text[], $18::int[], $19::bigint[])
			as n(host, fp, state, due, attempts, reason, prio, id, redirects, status, at, took, bytes, visits, etag, modified, digest, level, visited)
		where urls.host = n.host and urls.fp = n.fp`,
		column(all, func(p *page) int64 { return p.at.HostID }), column(all, func(p *page) int64 { return p.at.Key }),
		column(all, func(p *page) int { return slices.Index(states, p.state) }), column(all, func(p *page) pgtype.Int8 { return p.due }),
		column(all, func(p *page) int { return p.tries }), column(all, func(p *page) string { return kept(p.reason) }),
		column(all, (*page).priority), column(all, (*page).id), column(all, (*page).redirects),
		column(all, tried(func(r *crawl.Result) int64 { return int64(r.Status) })), column(all, t.answeredAt),
		column(all, tried(func(r *crawl.Result) int64 { return r.Took.Milliseconds() })), column(all, tried(func(r *crawl.Result) int64 { return int64(r.Bytes) })),
		column(all, func(p *page) int { return p.visits }), column(all, over(func(r *crawl.Result) string { return r.ETag })),
		column(all, over(func(r *crawl.Result) string { return r.Modified })), column(all, over(func(r *crawl.Result) string { return r.Digest })),
		column(all, (*page).level), column(all, t.visitedAt))
	for _, p := range all {
		*p = page{at: p.at, url: p.url, state: p.state, reason: p.reason, depth: p.depth, nearer: p.nearer, links: p.links}
	}
}

func (p *page) priority() pgtype.Int8 {
	if p.again == nil {
		return pgtype.Int8{}
	}
	return pgtype.Int8{Int64: int64(crawl.PriorityOf(p.again.Entry)), Valid: true}
}

func (p *page) id() pgtype.Text {
	switch {
	case p.planned:
		return pgtype.Text{Valid: true}
	case p.again != nil:
		return pgtype.Text{String: kept(p.again.ID), Valid: true}
	}
	return pgtype.Text{}
}

func (p *page) redirects() pgtype.Int8 {
	switch {
	case p.planned:
		return pgtype.Int8{Valid: true}
	case p.again != nil:
		return pgtype.Int8{Int64: int64(p.again.Redirects), Valid: true}
	}
	return pgtype.Int8{}
}

func (p *page) level() pgtype.Int8 {
	if p.over == nil {
		return pgtype.Int8{}
	}
	return pgtype.Int8{Int64: int64(p.over.Level), Valid: true}
}

// answeredAt is when the last answer came.
func (t *tx) answeredAt(p *page) pgtype.Int8 {
	if p.result == nil || p.result.At.IsZero() {
		return pgtype.Int8{}
	}
	return pgtype.Int8{Int64: t.time.keep(p.result.At), Valid: true}
}

// visitedAt is when the last visit that was over began.
func (t *tx) visitedAt(p *page) pgtype.Int8 {
	if p.over == nil || p.over.At.IsZero() {
		return pgtype.Int8{}
	}
	return pgtype.Int8{Int64: t.time.keep(crawl.VisitedAt(*p.over)), Valid: true}
}

// tried returns a number of the last result, null where there is none.
func tried(value func(*crawl.Result) int64) func(*page) pgtype.Int8 {
	return func(p *page) pgtype.Int8 {
		if p.result == nil {
			return pgtype.Int8{}
		}
		return pgtype.Int8{Int64: value(p.result), Valid: true}
	}
}

// over returns a text of the last visit that was over, null where there is none.
func over(value func(*crawl.Result) string) func(*page) pgtype.Text {
	return func(p *page) pgtype.Text {
		if p.over == nil {
			return pgtype.Text{}
		}
		return pgtype.Text{String: kept(value(p.over)), Valid: true}
	}
}
