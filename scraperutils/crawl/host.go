package crawl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// hostRun is a lease while it lasts: one goroutine fetches the host's URLs, or several where the host may have several requests.
type hostRun struct {
	Held
	round   *round
	lease   Lease
	crowded bool         // other hosts wait for a place
	until   atomic.Int64 // end of the lease, in ms; the renewer moves it
	lost    atomic.Bool

	mu       sync.Mutex // guards the rest
	queue    []Item
	interval time.Duration // between its last two requests
	rested   time.Time     // until when the host wants a rest: nothing more is sent; zero: it does not
	trouble  string        // why, where it can't be reached
	downs    int           // times in a row that it could not be
	gone     string        // why it is given up: what waits for it fails unasked; "": it is not
}

func newHostRun(r *round, l Lease, crowded bool) *hostRun {
	h := &hostRun{Held: l.Held, round: r, lease: l, crowded: crowded, queue: l.URLs, downs: l.Downs}
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
		receipt, ok := h.report(Report{Keep: true, Until: time.Now().Add(h.round.worker.Lease), More: h.round.worker.URLs})
		if !ok || receipt.Lost || receipt.Released {
			return
		}
		h.until.Store(time.Now().Add(h.round.worker.Lease).UnixMilli())
		h.queue = receipt.URLs
	}
	h.giveBack()
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
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// fetchQueue fetches what is queued, and reports whether the host can go on after that.
func (h *hostRun) fetchQueue(ctx context.Context) bool {
	var all sync.WaitGroup
	for range min(h.round.worker.PerHost, len(h.queue)) - 1 {
		all.Go(func() { h.fetchNext(ctx) })
	}
	h.fetchNext(ctx)
	all.Wait()
	return h.usable(ctx) && !h.crowded && len(h.queue) == 0
}

func (h *hostRun) fetchNext(ctx context.Context) {
	for h.usable(ctx) {
		h.mu.Lock()
		if len(h.queue) == 0 {
			h.mu.Unlock()
			return
		}
		item := h.queue[0]
		h.queue = h.queue[1:]
		h.mu.Unlock()
		h.round.committer.await()
		h.visit(ctx, item)
	}
}

// usable reports whether another request may be sent.
func (h *hostRun) usable(ctx context.Context) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return ctx.Err() == nil && !h.lost.Load() && (h.rested.IsZero() || h.gone != "") && h.time()
}

// givenUp returns why the host is given up, or "".
func (h *hostRun) givenUp() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.gone
}

// time reports whether enough of the lease is left for a request.
func (h *hostRun) time() bool {
	return time.Until(time.UnixMilli(h.until.Load())) >= h.round.worker.Lease/5
}

// errLease is that a request came up when its lease was nearly over. It was not sent.
var errLease = errors.New("the lease is nearly over")

// once is a client for one visit: it lets the request outlive the run's context, as requests in flight may, and knows whether it was sent.
type once struct {
	run  *hostRun
	sent bool
}

func (o *once) Do(_ context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	if o.run.lost.Load() || !o.run.time() {
		return nil, errLease
	}
	o.sent = true
	return o.run.round.worker.Client.Do(o.run.round.flight, r)
}

// visit tries one URL and hands over what came of it.
func (h *hostRun) visit(ctx context.Context, item Item) {
	w := h.round.worker
	o := Outcome{Item: item, Host: h.lease.Host}
	if why := h.givenUp(); why != "" {
		h.send(visit{item: item, result: Result{Key: item.Key, State: StateFailed, Attempts: item.Attempts, Reason: why, At: time.Now()}})
		return
	}
	request, err := item.request(w.Rules.Follow)
	client := &once{run: h}
	if err == nil {
		o.Response, err = w.Scheduler.Execute(ctx, client, request)
	}
	o.Err, o.Ended = err, time.Now()
	if cut := h.round.flight.Err() != nil && err != nil; cut || !client.sent && (ctx.Err() != nil || errors.Is(err, errLease) || errors.Is(err, scheduler.ErrEnded)) {
		return // it stays as it is
	}
	f := w.Rules.Fate(o)
	h.learn(o, f)
	if !f.Tried {
		return
	}
	v := visit{item: item, result: resultOf(o, f)}
	if f.Store {
		v.page = pageOf(o, f, request)
		v.page.Digest = v.result.Digest
		if len(w.Sinks) == 0 {
			v.page.Body = nil // nobody waits for it
		}
	}
	if f.Moved != nil {
		v.found = append(v.found, *f.Moved)
	}
	h.send(v)
}

// learn takes in what an outcome says of the host: how far apart requests are, and whether it wants a longer rest.
func (h *hostRun) learn(o Outcome, f Fate) {
	w := h.round.worker
	wait := w.Scheduler.Wait(h.lease.Host)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.interval = max(wait.Until.Sub(o.Ended), 0)
	switch {
	case f.Rest:
		if h.rested.IsZero() {
			h.downs++
		}
		h.rested, h.trouble = later(wait.Until, o.Ended.Add(w.Rules.Down)), f.Reason
		if w.Rules.GivesUp(h.downs) {
			h.gone = "down: " + f.Reason
		}
	case wait.Until.Sub(o.Ended) > w.Lease/2:
		h.rested, h.downs = wait.Until, 0
	default:
		h.downs = 0
	}
}

// send hands a visit to the committer.
func (h *hostRun) send(v visit) {
	r := h.state(Report{Keep: true, Until: time.UnixMilli(h.until.Load())})
	r.Results, r.Found = []Result{v.result}, v.found
	p := pending{run: h, report: r, visit: &v}
	h.round.committer.hold(1, p)
	h.round.committer.inbox <- p
}

// report hands a report without visits over and waits for its receipt; not ok: there will be none.
func (h *hostRun) report(r Report) (receipt Receipt, ok bool) {
	reply := make(chan Receipt, 1)
	h.round.committer.inbox <- pending{run: h, report: h.state(r), reply: reply}
	receipt, ok = <-reply
	return receipt, ok
}

// giveBack ends the lease.
func (h *hostRun) giveBack() {
	if !h.lost.Load() {
		h.report(Report{})
	}
}

// state completes a report with when the host may be asked next.
func (h *hostRun) state(r Report) Report {
	wait := h.round.worker.Scheduler.Wait(h.lease.Host)
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

func resultOf(o Outcome, f Fate) Result {
	r := Result{Key: o.Item.Key, State: f.State, Due: f.Due, Reason: f.Reason, Attempts: o.Item.Attempts + 1, At: o.Ended}
	if a := o.Response; a != nil {
		r.Status, r.Took, r.Bytes = a.Status, a.Took, len(a.Body)
		r.ETag, r.Modified = a.Header.Get("ETag"), a.Header.Get("Last-Modified")
		if f.Store && len(a.Body) > 0 {
			r.Digest = digest(a.Body)
		}
	}
	if f.Unchanged && r.Digest == "" {
		r.Digest = o.Item.Digest
	}
	return r
}

func pageOf(o Outcome, f Fate, r *scraperutils.Request) *Page {
	a := o.Response
	return &Page{
		ID: o.Item.ID, URL: o.Item.URL, Final: a.URL.String(), Host: o.Host, Request: r,
		Status: a.Status, Header: a.Header, Body: a.Body, Type: mediaType(a.Header), At: o.Ended.Add(-a.Took), Took: a.Took,
		Attempts: o.Item.Attempts + 1, Depth: o.Item.Depth, Via: o.Item.Via, Unchanged: f.Unchanged,
	}
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
