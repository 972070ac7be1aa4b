package crawl

import (
	"fmt"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// fullBudget is how many pages a host may give while others wait for its place. A server error costs as much as several: a host that
// answers with errors loses its place to others, and comes back when it is its turn again.
const (
	fullBudget = 50
	errorCost  = 5
)

// spend takes what a visit costs from the host's budget.
func (h *hostRun) spend(o Outcome) {
	cost := 1
	if o.Response != nil && o.Response.Status >= 500 {
		cost = errorCost
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.budget -= cost
}

// read has an answer handled, and finds what it leads to.
func (h *hostRun) read(o Outcome, f Fate, request *scraperutils.Request, v *visit) {
	w := h.round.worker
	var page *Page
	if o.Response != nil && (f.Store || o.Item.Sitemap && f.Moved == nil && o.Response.Status/100 == 2) {
		page = pageOf(o, f, request)
		page.Digest = v.result.Digest
	}
	if err := h.process(answer{item: o.Item, page: page, fate: f}, h.sitemaps(o), v); err != nil {
		o.Err = err
		v.result = resultOf(o, w.Rules.unhandled(o), w.digest)
		return
	}
	if f.Store {
		v.page = page
	}
	v.found = h.round.follower.addMany(h.round.flight, v.found)
}

// process has an answer handled and followed. The handler and the extractors are anybody's: one that panics has failed, and no more.
func (h *hostRun) process(a answer, sitemaps []string, v *visit) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panicked: %v", r)
		}
	}()
	if handle := h.round.worker.Handle; handle != nil && a.fate.Store && len(a.page.Body) > 0 {
		if err := handle(h.round.flight, a.page); err != nil {
			return err
		}
	}
	to := h.round.follower.follow(a, sitemaps)
	v.found, v.left = to.found, to.left
	v.result.Links = to.links(a.item.Depth, h.round.worker.Scope.Depth)
	return nil
}

// sitemaps returns those that the host names, the first time that it is asked in a lease. Where it matters how far they are, they are
// links of each of its pages.
func (h *hostRun) sitemaps(o Outcome) []string {
	switch {
	case o.Response == nil || len(o.Response.Sitemaps) == 0:
		return nil
	case h.round.follower.bounded():
		return o.Response.Sitemaps
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.mapped {
		return nil
	}
	h.mapped = true
	return o.Response.Sitemaps
}
