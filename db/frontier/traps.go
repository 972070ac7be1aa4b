package frontier

import (
	"cmp"
	"context"
	"database/sql"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// keepsOut returns the rule by which a host does not take a new URL, or counts it and returns "".
func (t *tx) keepsOut(h *host, e crawl.Placed) (rule string, err error) {
	if e.Limit > 0 && h.All() >= e.Limit {
		return crawl.TrapLimit, nil
	}
	if e.PathHash == 0 {
		return "", nil
	}
	n, err := t.exec(`insert into variants (host, path, n) values (?, ?, 1) on conflict do update set n = n + 1 where n < ?`, h.id, e.PathHash, e.Variants)
	if err == nil && n == 0 {
		rule = crawl.TrapVariants
	}
	return rule, err
}

// trapKey is what traps are counted by.
type trapKey struct {
	host scraperutils.Host
	rule string
}

// trap counts URLs that were left out.
func (t *tx) trap(trap crawl.Trap) {
	key := trapKey{trap.Host, trap.Rule}
	if known := t.traps[key]; known != nil {
		known.Count += trap.Count
		return
	}
	t.traps[key] = &trap
}

func (t *tx) writeTrap(trap *crawl.Trap) error {
	_, err := t.exec(`insert into traps (name, port, rule, n, example) values (?, ?, ?, ?, ?) on conflict do update set n = n + excluded.n`,
		trap.Host.Name, trap.Host.Port, trap.Rule, trap.Count, trap.Example)
	return err
}

// Traps implements crawl.Frontier.
func (f *Frontier) Traps(ctx context.Context, limit int) (traps []crawl.Trap, err error) {
	err = f.read(ctx, "read", func(t *sql.Tx) error {
		traps = nil
		rows, err := t.QueryContext(ctx, "select name, port, rule, n, example from traps order by n desc, name, port, rule limit ?", cmp.Or(limit, crawl.DefaultTraps))
		if err != nil {
			return err
		}
		return each(rows, func(rows *sql.Rows) error {
			var trap crawl.Trap
			err := rows.Scan(&trap.Host.Name, &trap.Host.Port, &trap.Rule, &trap.Count, &trap.Example)
			traps = append(traps, trap)
			return err
		})
	})
	return traps, err
}
