package postgres

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// Add implements crawl.Frontier.
func (f *Frontier) Add(ctx context.Context, now time.Time, entries []crawl.Entry) (added crawl.Added, err error) {
	placed := crawl.Place(entries, f.options.Hash)
	err = f.write(ctx, "add to", now, func(t *tx) (err error) {
		added, err = t.add(placed, locks{})
		if err == nil && added.New+added.Again > 0 {
			t.notify()
		}
		return err
	})
	if err != nil {
		return crawl.Added{}, err
	}
	return added, nil
}

// add puts URLs in. First all are looked for at once; what is known needs nothing more. Then the hosts of the others are locked, with
// what else the transaction is about, in the order of their IDs, and all that is to be known of them is read at once.
func (t *tx) add(entries []crawl.Placed, with locks) (added crawl.Added, err error) {
	p, err := t.peek(entries)
	if err != nil {
		return added, err
	}
	if err := t.lock(p, with); err != nil {
		return added, err
	}
	added.Known = len(entries) - len(p.open)
	for i := range p.open {
		if err := t.addURL(&p.open[i], &added); err != nil {
			return added, err
		}
	}
	return added, nil
}

// peek is what is found without a lock.
type peek struct {
	open     []crawl.Placed // that may change something
	hosts    map[int64]scraperutils.Host
	missing  []int64 // hosts that are not there, in the order of their IDs
	collides bool    // hashes of different hosts are the same: they get their places one by one
}

// peek looks for entries at the places of their hashes.
func (t *tx) peek(entries []crawl.Placed) (p peek, err error) {
	if len(entries) == 0 {
		return p, nil
	}
	p.hosts = map[int64]scraperutils.Host{}
	at := make([]crawl.Cursor, 0, len(entries))
	for _, e := range entries {
		if h, ok := p.hosts[e.HostHash]; ok && h != e.Host {
			p.collides = true
		}
		p.hosts[e.HostHash] = e.Host
		at = append(at, crawl.Cursor{HostID: e.HostHash, Key: e.URLHash})
	}
	seeds := map[int64]bool{} // of the hosts that are there, whether they are
	t.query(func(rows pgx.Rows) error {
		var id int64
		var h scraperutils.Host
		var seed bool
		err := rows.Scan(&id, &h.Name, &h.Port, &seed)
		p.collides = p.collides || given(h.Name) != p.hosts[id].Name || given(h.Port) != p.hosts[id].Port
		seeds[id] = seed
		return err
	}, "select id, name, port, seed from hosts where id = any($1)", slices.Sorted(maps.Keys(p.hosts)))
	t.readURLs(slices.Compact(slices.Clone(at)))
	if err := t.send(); err != nil {
		return p, err
	}
	known := t.urls
	t.urls = map[crawl.Cursor]*page{}
	for i, e := range entries {
		u, seed := known[at[i]], seeds[e.HostHash]
		if p.collides || u.url != e.URL || u.state == "" || e.Again && u.finished() || e.Depth < u.depth || e.Depth == 0 && !seed {
			p.open = append(p.open, e)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(p.hosts)) {
		if _, ok := seeds[id]; !ok {
			p.missing = append(p.missing, id)
		}
	}
	return p, nil
}

// locks is what a transaction is about besides what it adds: hosts that it locks, and URLs of them that it reads.
type locks struct {
	hosts []int64
	urls  []crawl.Cursor
}

// lock locks hosts and reads their URLs.
func (t *tx) lock(p peek, all locks) error {
	if !p.collides {
		t.insertHosts(p.missing, p.hosts)
		for _, e := range p.open {
			all.hosts = append(all.hosts, e.HostHash)
			all.urls = append(all.urls, crawl.Cursor{HostID: e.HostHash, Key: e.URLHash})
		}
	}
	slices.Sort(all.hosts)
	slices.SortFunc(all.urls, byKey)
	t.lockHosts(slices.Compact(all.hosts))
	t.readURLs(slices.Compact(all.urls))
	if !p.collides {
		t.readPaths(p.open)
	}
	return t.send()
}

// insertHosts queues that hosts are added, unless somebody else does so meanwhile.
func (t *tx) insertHosts(ids []int64, hosts map[int64]scraperutils.Host) {
	if len(ids) == 0 {
		return
	}
	t.changed = true
	t.query(func(pgx.Rows) error {
		t.totals[crawl.TotalHosts]++
		return nil
	}, `insert into hosts (id, bucket, name, port, not_before) select id, id % 64, name, port, $4 from unnest($1::bigint[], $2::text[], $3::text[]) as n(id, name, port)
		on conflict (id) do nothing returning id`,
		ids, column(ids, func(id int64) string { return kept(hosts[id].Name) }), column(ids, func(id int64) string { return kept(hosts[id].Port) }), never)
}

// hostOf returns the host of an entry, locked. One that is new is made.
func (t *tx) hostOf(e *crawl.Placed) (*host, error) {
	for id := e.HostHash; ; id = crawl.NextHash(id) {
		if t.hosts[id] == nil {
			t.insertHosts([]int64{id}, map[int64]scraperutils.Host{id: e.Host})
			t.lockHosts([]int64{id})
			if err := t.send(); err != nil {
				return nil, err
			}
		}
		if h := t.hosts[id]; h.name == e.Host {
			return h, nil
		}
	}
}

// addURL adds one URL, or has one again that is known.
func (t *tx) addURL(e *crawl.Placed, added *crawl.Added) error {
	h, err := t.hostOf(e)
	if err != nil {
		return err
	}
	if e.Depth == 0 && !h.seed {
		h.seed = true
		t.change(h)
	}
	at := crawl.Cursor{HostID: h.id, Key: e.URLHash}
	p, err := t.page(at)
	for ; err == nil && p.state != "" && p.url != e.URL; p, err = t.page(at) {
		at.Key = crawl.NextHash(at.Key)
	}
	if err != nil {
		return err
	}
	if p.state != "" && e.Depth < p.depth {
		t.foundNearer(p, e)
	}
	switch {
	case p.state == "":
		return t.enter(h, p, e, added)
	case e.Again && p.finished():
		added.Again++
		t.begin(h, p, e)
	default:
		added.Known++
	}
	return nil
}

// enter adds a URL that is new, unless a rule keeps it out.
func (t *tx) enter(h *host, p *page, e *crawl.Placed, added *crawl.Added) error {
	rule, err := t.keepsOut(h, e)
	if err != nil {
		return err
	}
	if rule != "" {
		added.Over++
		t.trap(crawl.Trap{Host: e.Host, Rule: rule, Count: 1, Example: e.URL})
		return nil
	}
	added.New++
	p.url, p.state, p.added, p.depth = e.URL, crawl.StateReady, e, small(e.Depth)
	t.begun(h, crawl.PriorityOf(e.Entry), t.time.keepOr(e.Due))
	return nil
}
