package postgres

import (
	"cmp"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// page is what a transaction knows of a URL, and what it changes of it. Whoever changes it has its host locked.
type page struct {
	at     crawl.Cursor
	url    string
	state  crawl.State // "": there is no such URL
	reason string
	depth  int

	added   *crawl.Placed // that has added it; nil: it was there
	changed bool
	due     pgtype.Int8
	tries   int
	again   *crawl.Placed // that has made it due again; nil: none has
	result  *crawl.Result // the last of its visit; nil: there is none
	over    *crawl.Result // the last with which a visit was over
	visits  int           // that were over
	planned bool          // the last of which has planned the next
	nearer  *crawl.Placed // that has found it nearer; nil: none has
	links   crawl.Links   // to be kept of it; nil: as before
}

// readURLs queues that URLs are read, and those noted that are not there.
func (t *tx) readURLs(at []crawl.Cursor) {
	if len(at) == 0 {
		return
	}
	for _, c := range at {
		t.urls[c] = &page{at: c}
	}
	t.query(func(rows pgx.Rows) error {
		var at crawl.Cursor
		var url, reason string
		var state, depth int
		err := rows.Scan(&at.HostID, &at.Key, &url, &state, &reason, &depth)
		t.urls[at] = &page{at: at, url: given(url), state: states[state], reason: given(reason), depth: depth}
		return err
	}, `select urls.host, urls.fp, urls.url, urls.state, urls.reason, urls.depth from urls join unnest($1::bigint[], $2::bigint[]) as k(host, fp)
		on urls.host = k.host and urls.fp = k.fp`,
		column(at, func(c crawl.Cursor) int64 { return c.HostID }), column(at, func(c crawl.Cursor) int64 { return c.Key }))
}

func byKey(a, b crawl.Cursor) int {
	return cmp.Or(cmp.Compare(a.HostID, b.HostID), cmp.Compare(a.Key, b.Key))
}

// page returns what is known of a URL.
func (t *tx) page(at crawl.Cursor) (*page, error) {
	if t.urls[at] == nil {
		t.readURLs([]crawl.Cursor{at})
		if err := t.send(); err != nil {
			return nil, err
		}
	}
	return t.urls[at], nil
}

func (p *page) finished() bool { return p.state == crawl.StateDone || p.state == crawl.StateFailed }

// begin has a visit of a known URL begin.
func (t *tx) begin(h *host, p *page, e *crawl.Placed) {
	due := t.time.keepOr(e.Due)
	t.count(h, p.state, p.reason, -1)
	p.state, p.reason, p.tries, p.again, p.planned = crawl.StateReady, "", 0, e, false
	p.due, p.changed = pgtype.Int8{Int64: due, Valid: true}, true
	t.begun(h, crawl.PriorityOf(e.Entry), due)
}

// begun takes in that a visit of one of a host's URLs begins.
func (t *tx) begun(h *host, prio int, due int64) {
	t.count(h, crawl.StateReady, "", 1)
	h.levels |= 1 << prio
	t.sooner(h, due)
}

// end takes what became of a visit.
func (t *tx) end(h *host, r crawl.Result) {
	p := t.urls[crawl.Cursor{HostID: h.id, Key: r.Key}]
	if p == nil || p.state == "" {
		return
	}
	t.count(h, p.state, p.reason, -1)
	t.count(h, r.State, r.Reason, 1)
	p.state, p.reason, p.tries, p.result, p.changed = r.State, r.Reason, r.Attempts, &r, true
	p.due = pgtype.Int8{}
	if r.State == crawl.StateReady || r.State == crawl.StateRetry {
		p.due = pgtype.Int8{Int64: t.time.keepOr(r.Due), Valid: true}
	}
	if r.State == crawl.StateReady || r.State == crawl.StateDone {
		p.visits, p.over = p.visits+1, &r
	}
	if r.State == crawl.StateReady {
		p.tries, p.planned = 0, true
	}
	if len(r.Links) > 0 {
		p.links = r.Links
	}
}

// tryAgain makes a URL that failed due at once, as a visit that goes on.
func (t *tx) tryAgain(h *host, p *page) {
	t.count(h, p.state, p.reason, -1)
	t.count(h, crawl.StateReady, "", 1)
	p.state, p.reason, p.tries, p.changed = crawl.StateReady, "", 0, true
	p.due = pgtype.Int8{Int64: t.now, Valid: true}
	t.sooner(h, t.now)
}
