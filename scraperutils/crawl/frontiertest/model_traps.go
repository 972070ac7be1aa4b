package frontiertest

import (
	"cmp"
	"context"
	"slices"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// keepsOut returns the rule by which a host does not take a URL if it is new, or "".
func (m *model) keepsOut(host int64, e crawl.Placed) string {
	all, variants := 0, 0
	for _, u := range m.urls {
		if u.HostID == host {
			all++
			if m.paths[u] == e.PathHash {
				variants++
			}
		}
	}
	switch {
	case e.Limit > 0 && all >= e.Limit:
		return crawl.TrapLimit
	case e.PathHash != 0 && variants >= e.Variants:
		return crawl.TrapVariants
	}
	return ""
}

func (m *model) Seeds(context.Context) (seeds []scraperutils.Host, err error) {
	for _, h := range m.hosts {
		if h.seed {
			seeds = append(seeds, h.Host)
		}
	}
	slices.SortFunc(seeds, func(a, b scraperutils.Host) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Port, b.Port))
	})
	return seeds, nil
}

func (m *model) Traps(_ context.Context, limit int) ([]crawl.Trap, error) {
	var traps []crawl.Trap
next:
	for _, t := range m.traps {
		for i := range traps {
			if traps[i].Host == t.Host && traps[i].Rule == t.Rule {
				traps[i].Count += t.Count
				continue next
			}
		}
		traps = append(traps, t)
	}
	return crawl.SortTraps(traps, limit), nil
}
