package crawl

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// hostRun is a lease while it lasts: one goroutine fetches the host's URLs, or several where the host may have several requests.
type hostRun struct {
	Held
	round   *round
	lease   Lease
	name    string       // of the host, for display
	crowded bool         // other hosts wait for a place
	until   atomic.Int64 // end of the lease, in ms; the renewer moves it
	lost    atomic.Bool
	left    chan struct{} // closed when it is to be left to another worker

	mu       sync.Mutex // guards the rest
	queue    []Item
	fetchers int           // goroutines that take from it
	flying   []int64       // keys of what was taken and is not handed over yet
	asked    bool          // one of the fetchers asks for more, or there was nothing more
	interval time.Duration // from a request to the next one
	slowest  time.Duration // of its answers
	rested   time.Time     // until when the host wants a rest: nothing more is sent; zero: it does not
	trouble  string        // why, where it can't be reached
	downs    int           // times in a row that it could not be
	gone     string        // why it is given up: what waits for it fails unasked; "": it is not
	budget   int           // of pages; one that others wait for is given back when it is used up
	mapped   bool          // its sitemaps have been followed
}

func newHostRun(r *round, l Lease, crowded bool) *hostRun {
	h := &hostRun{Held: l.Held, round: r, lease: l, name: l.Host.String(), crowded: crowded, queue: l.URLs, downs: l.Downs, left: make(chan struct{}), budget: fullBudget}
	h.until.Store(l.Until.UnixMilli())
	return h
}

// run fetches until the host has nothing more, wants a rest, or ctx ends. Then it gives the host back.
func (h *hostRun) run(ctx context.Context) {
	if !h.await(ctx, h.lease.NotBefore) {
		h.giveBack()
		return
	}
	for h.fetchQueue(ctx) {
		if !h.goOn() {
			return
		}
	}
	h.giveBack()
}

// goOn asks for further URLs, and reports whether the lease goes on: until the time that the frontier was told, however long its answer
// takes, for then others may claim the host.
func (h *hostRun) goOn() bool {
	until := time.Now().Add(h.round.worker.Lease)
	receipt, ok := h.report(Report{Keep: true, Until: until, More: h.round.worker.URLs})
	if !ok || receipt.Lost || receipt.Released {
		return false
	}
	h.until.Store(max(h.until.Load(), until.UnixMilli())) // the renewer may have been later
	h.queue = receipt.URLs
	return true
}

// await waits for a time, and reports whether the host may be asked then by this lease.
func (h *hostRun) await(ctx context.Context, t time.Time) bool {
	wait := time.Until(t)
	if wait > h.round.worker.Lease/2 {
		return false
	}
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-h.left:
			return false
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// usable reports whether another request may be sent.
func (h *hostRun) usable(ctx context.Context) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	spent := h.crowded && h.budget <= 0 || h.round.spent()
	return ctx.Err() == nil && !h.lost.Load() && !spent && (h.rested.IsZero() || h.gone != "") && h.time()
}

// givenUp returns why the host is given up, or "".
func (h *hostRun) givenUp() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.gone
}

// time reports whether enough of the lease is left for a request, and the host is not to be left to another worker.
func (h *hostRun) time() bool {
	return !h.yielded() && time.Until(time.UnixMilli(h.until.Load())) >= h.round.worker.Lease/5
}

// send hands a visit to the committer.
func (h *hostRun) send(v visit, wait scraperutils.Wait) {
	r := h.state(Report{Keep: true, Until: time.UnixMilli(h.until.Load())}, wait)
	p := &pending{run: h, report: r, visit: &v}
	h.round.committer.hold(p)
	h.round.committer.inbox <- p
}

// report hands a report without visits over and waits for its receipt; not ok: there will be none.
func (h *hostRun) report(r Report) (receipt Receipt, ok bool) {
	reply := make(chan Receipt, 1)
	h.round.committer.inbox <- &pending{run: h, report: h.state(r, h.round.worker.Scheduler.Wait(h.lease.Host)), reply: reply}
	receipt, ok = <-reply
	return receipt, ok
}

// giveBack ends the lease.
func (h *hostRun) giveBack() {
	if !h.lost.Load() {
		h.report(Report{})
	}
}

// state completes a report with when the host may be asked next, as its pace has it.
func (h *hostRun) state(r Report, wait scraperutils.Wait) Report {
	h.mu.Lock()
	defer h.mu.Unlock()
	r.Held, r.Rule, r.Interval, r.Trouble, r.Downs = h.Held, wait.Rule, h.interval, h.trouble, h.downs
	r.NotBefore = later(later(wait.Until, h.lease.NotBefore), h.rested)
	return r
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
