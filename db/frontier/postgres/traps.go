package postgres

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// path is one path of a host. Its hash is not compared.
type path struct{ host, hash int64 }

// keepsOut returns the rule by which a host, which is locked, does not take a new URL, or counts it and returns "".
func (t *tx) keepsOut(h *host, e *crawl.Placed) (rule string, err error) {
	if e.Limit > 0 && h.All() >= e.Limit {
		return crawl.TrapLimit, nil
	}
	if e.PathHash == 0 {
		return "", nil
	}
	at := path{h.id, e.PathHash}
	if _, ok := t.paths[at]; !ok {
		t.readPath(at)
		if err := t.send(); err != nil {
			return "", err
		}
	}
	if t.paths[at] >= e.Variants {
		return crawl.TrapVariants, nil
	}
	t.paths[at]++
	t.bounded = append(t.bounded, at)
	return "", nil
}

// readPaths queues that the variants of entries are read.
func (t *tx) readPaths(entries []crawl.Placed) {
	var all []path
	for _, e := range entries {
		if e.PathHash != 0 {
			all = append(all, path{e.HostHash, e.PathHash})
		}
	}
	if len(all) > 0 {
		t.readPath(all...)
	}
}

func (t *tx) readPath(all ...path) {
	for _, p := range all {
		t.paths[p] = 0
	}
	t.query(func(rows pgx.Rows) error {
		var p path
		var n int
		err := rows.Scan(&p.host, &p.hash, &n)
		t.paths[p] = n
		return err
	}, `select variants.host, variants.path, variants.n from variants join unnest($1::bigint[], $2::bigint[]) as k(host, path)
		on variants.host = k.host and variants.path = k.path`, hostsOf(all), hashesOf(all))
}

// writePaths queues that variants which were counted are written.
func (t *tx) writePaths() {
	slices.SortFunc(t.bounded, func(a, b path) int { return cmp.Or(cmp.Compare(a.host, b.host), cmp.Compare(a.hash, b.hash)) })
	all := slices.Compact(t.bounded)
	if len(all) == 0 {
		return
	}
	t.exec(`insert into variants (host, path, n) select * from unnest($1::bigint[], $2::bigint[], $3::bigint[])
		on conflict (host, path) do update set n = excluded.n`, hostsOf(all), hashesOf(all), column(all, func(p path) int { return t.paths[p] }))
}

func hostsOf(all []path) []int64  { return column(all, func(p path) int64 { return p.host }) }
func hashesOf(all []path) []int64 { return column(all, func(p path) int64 { return p.hash }) }

// trapKey is what traps are counted by.
type trapKey struct {
	host scraperutils.Host
	rule string
}

// trap counts URLs that were left out.
func (t *tx) trap(trap crawl.Trap) {
	t.changed = true
	key := trapKey{trap.Host, trap.Rule}
	if known := t.traps[key]; known != nil {
		known.Count += trap.Count
		return
	}
	t.traps[key] = &trap
}

// writeTraps queues that what was left out is counted, in the order of what it is counted by.
func (t *tx) writeTraps() {
	if len(t.traps) == 0 {
		return
	}
	all := slices.SortedFunc(maps.Values(t.traps), func(a, b *crawl.Trap) int {
		return cmp.Or(strings.Compare(a.Host.Name, b.Host.Name), strings.Compare(a.Host.Port, b.Host.Port), strings.Compare(a.Rule, b.Rule))
	})
	t.exec(`insert into traps (name, port, rule, n, example) select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[])
		on conflict (name, port, rule) do update set n = traps.n + excluded.n`,
		column(all, func(t *crawl.Trap) string { return kept(t.Host.Name) }), column(all, func(t *crawl.Trap) string { return kept(t.Host.Port) }),
		column(all, func(t *crawl.Trap) string { return kept(t.Rule) }), column(all, func(t *crawl.Trap) int { return t.Count }),
		column(all, func(t *crawl.Trap) string { return kept(t.Example) }))
}

// Traps implements crawl.Frontier.
func (f *Frontier) Traps(ctx context.Context, limit int) (traps []crawl.Trap, err error) {
	err = f.read(ctx, "read", time.Time{}, func(t *tx) error {
		traps = nil
		t.query(func(rows pgx.Rows) error {
			var trap crawl.Trap
			err := rows.Scan(&trap.Host.Name, &trap.Host.Port, &trap.Rule, &trap.Count, &trap.Example)
			trap.Host = scraperutils.Host{Name: given(trap.Host.Name), Port: given(trap.Host.Port)}
			trap.Rule, trap.Example = given(trap.Rule), given(trap.Example)
			traps = append(traps, trap)
			return err
		}, "select name, port, rule, n, example from traps order by n desc, name, port, rule limit "+fmt.Sprint(cmp.Or(limit, crawl.DefaultTraps)))
		return nil
	})
	return traps, err
}
