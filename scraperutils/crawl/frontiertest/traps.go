package frontiertest

import (
	"context"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// trapKey is what traps are counted by.
type trapKey struct {
	host scraperutils.Host
	rule string
}

// trap counts URLs that were left out.
func (m *Memory) trap(t crawl.Trap) {
	key := trapKey{t.Host, t.Rule}
	if known := m.traps[key]; known != nil {
		known.Count += t.Count
		return
	}
	m.traps[key] = &t
}

// keepsOut returns the rule by which a host does not take a new URL, or counts it and returns "".
func (h *host) keepsOut(e crawl.Placed) string {
	switch {
	case e.Limit > 0 && h.All() >= e.Limit:
		return crawl.TrapLimit
	case e.PathHash == 0:
		return ""
	case h.variants[e.PathHash] >= e.Variants:
		return crawl.TrapVariants
	}
	h.variants[e.PathHash]++
	return ""
}

// Traps implements crawl.Frontier.
func (o *opened) Traps(ctx context.Context, limit int) ([]crawl.Trap, error) {
	m, err := o.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	traps := make([]crawl.Trap, 0, len(m.traps))
	for _, t := range m.traps {
		traps = append(traps, *t)
	}
	return crawl.SortTraps(traps, limit), nil
}
