package crawl

import (
	"context"
	"slices"
	"sync"
	"time"
)

// fetchQueue fetches what is queued, and what more there is when the queue runs out while requests are in flight. It reports whether the
// host can go on after that.
func (h *hostRun) fetchQueue(ctx context.Context) bool {
	var all sync.WaitGroup
	h.mu.Lock()
	h.asked, h.fetchers = false, 1
	h.launch(ctx, &all)
	h.mu.Unlock()
	h.fetch(ctx, &all)
	all.Wait()
	return h.usable(ctx) && len(h.queue) == 0
}

// launch sets further fetchers to work beside the one that calls it: as many as the queue has URLs for, and as the host may have. The
// mutex is held.
func (h *hostRun) launch(ctx context.Context, all *sync.WaitGroup) {
	for range min(h.round.worker.PerHost-h.fetchers, len(h.queue)-1) {
		h.fetchers++
		all.Go(func() { h.fetch(ctx, all) })
	}
}

// fetch fetches from the queue until there is nothing more.
func (h *hostRun) fetch(ctx context.Context, all *sync.WaitGroup) {
	for h.usable(ctx) && h.round.take() {
		item := h.next()
		if item == nil {
			h.round.pages.Add(-1)
			if h.refill(ctx, all) {
				continue
			}
			break
		}
		h.round.committer.await()
		if !h.visit(ctx, item) {
			h.round.pages.Add(-1) // its place is another's
		}
		h.landed(item)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fetchers--
}

// next takes the next URL from the queue; nil: there is none. It stays where it is: the stacks of those who wait for answers hold none.
func (h *hostRun) next() *Item {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.queue) == 0 {
		return nil
	}
	item := &h.queue[0]
	h.queue = h.queue[1:]
	h.flying = append(h.flying, item.Key)
	return item
}

// landed takes in that a URL has been handed over.
func (h *hostRun) landed(item *Item) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.Index(h.flying, item.Key)
	h.flying = slices.Delete(h.flying, i, i+1)
}

// refill has the queue filled again while others of its URLs are in flight: the host shall not wait for the last of them. It reports
// whether there was something.
func (h *hostRun) refill(ctx context.Context, all *sync.WaitGroup) bool {
	h.mu.Lock()
	if len(h.queue) > 0 { // somebody was quicker
		h.mu.Unlock()
		return true
	}
	holding := slices.Clone(h.flying)
	if h.asked || len(holding) == 0 {
		h.mu.Unlock()
		return false
	}
	h.asked = true
	h.mu.Unlock()
	receipt, ok := h.report(Report{Keep: true, Until: time.UnixMilli(h.until.Load()), More: h.round.worker.URLs, Holding: holding})
	if !ok || receipt.Lost || len(receipt.URLs) == 0 {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queue, h.asked = receipt.URLs, false
	h.launch(ctx, all)
	return true
}
