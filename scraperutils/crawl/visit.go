package crawl

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// errLease is that a request came up when its lease was nearly over, or wanted by another worker. It was not sent.
var errLease = errors.New("the lease is nearly over")

// once is a client for one visit: it lets the request outlive the run's context, as requests in flight may, and knows whether it was sent.
type once struct {
	run  *hostRun
	do   func(context.Context, *scraperutils.Request) (*scraperutils.Response, error)
	sent bool
	held bool // the request counts as in flight, by this
	took time.Duration
	place
}

func (h *hostRun) once(do func(context.Context, *scraperutils.Request) (*scraperutils.Response, error)) *once {
	return &once{run: h, do: do, place: place{committer: h.round.committer}}
}

func (o *once) Do(_ context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	if o.run.lost.Load() || !o.run.time() {
		return nil, errLease
	}
	o.sent = true
	began := time.Now()
	defer func() {
		o.took, o.held = time.Since(began), true
		o.run.round.worker.Scheduler.Hold(1) // until what came of it counts
	}()
	return o.do(context.WithValue(o.run.round.flight, placeKey{}, &o.place), r)
}

// letGo has the request count as in flight no longer, and its body take no room, where nobody else does that.
func (o *once) letGo() {
	o.leave()
	if o.held {
		o.run.round.worker.Scheduler.Hold(-1)
	}
}

// visit tries one URL and hands over what came of it. It reports whether the URL is done with, for now. What it needs while it waits for
// the answer is little, for thousands wait at once: with the client's, a stack of 8 KiB holds it.
func (h *hostRun) visit(ctx context.Context, item *Item) (over bool) {
	w := h.round.worker
	if h.passed(item) {
		return true
	}
	request, err := item.request(w.Rules.Follow)
	client := h.once(w.Client.Do)
	defer client.letGo()
	var response *scraperutils.Response
	var next scraperutils.Wait
	if err == nil {
		response, next, err = h.ask(ctx, request, client)
	} else {
		next = w.Scheduler.Wait(h.lease.Host)
	}
	ended := time.Now()
	if cut := h.round.flight.Err() != nil && err != nil; cut || !client.sent && (ctx.Err() != nil || errors.Is(err, errLease) || errors.Is(err, scheduler.ErrEnded)) {
		return false // it stays as it is
	}
	return h.conclude(item, tried{response, err, ended, next}, request, client)
}

// ask sends a request when the host may be asked, after its robots.txt, and returns as well when it may be asked next.
func (h *hostRun) ask(ctx context.Context, r *scraperutils.Request, client *once) (*scraperutils.Response, scraperutils.Wait, error) {
	response, ready, err := h.readRobots(ctx, r)
	if !ready {
		client.sent = response != nil
		return response, h.round.worker.Scheduler.Wait(h.lease.Host), err
	}
	return h.round.worker.Scheduler.Ask(ctx, client, r)
}

// passed has a URL fail where its host is given up, and reports whether it is.
func (h *hostRun) passed(item *Item) bool {
	why := h.givenUp()
	if why == "" {
		return false
	}
	v := visit{item: item, result: Result{Key: item.Key, State: StateFailed, Attempts: item.Attempts, Reason: why, At: time.Now()}}
	h.send(v, h.round.worker.Scheduler.Wait(h.lease.Host))
	return true
}

// tried is what came of a try.
type tried struct {
	response *scraperutils.Response
	err      error
	ended    time.Time
	wait     scraperutils.Wait // of the host, from then on
}

// conclude decides what becomes of a URL that was tried, and hands it over. It reports whether the URL is done with, for now.
func (h *hostRun) conclude(item *Item, t tried, request *scraperutils.Request, client *once) (over bool) {
	w := h.round.worker
	o := Outcome{Item: *item, Host: h.lease.Host, Response: t.response, Err: t.err, Ended: t.ended}
	f := w.Rules.Fate(o)
	h.learn(o, f, t.wait, client.took)
	if !f.Tried {
		w.freed(o.Response)
		return false
	}
	v := visit{item: item, result: resultOf(o, f, w.digest)}
	h.read(o, f, request, &v)
	if v.page == nil || len(w.Sinks) == 0 { // nobody waits for the body
		w.freed(o.Response)
		if v.page != nil {
			v.page.Body = nil
		}
		client.leave()
	}
	h.spend(o)
	v.sent, client.held = client.held, false
	v.place, client.place.taken = client.place, false
	h.send(v, t.wait)
	return v.result.State != StateRetry
}

// freed gives back the body of an answer that nobody reads any more.
func (w *Worker) freed(a *scraperutils.Response) {
	if a != nil && w.Free != nil {
		w.Free(a.Body)
		a.Body = nil
	}
}

// learn takes in what an outcome says of the host: how far apart requests are, and whether it wants a longer rest.
func (h *hostRun) learn(o Outcome, f Fate, wait scraperutils.Wait, took time.Duration) {
	w := h.round.worker
	h.mu.Lock()
	defer h.mu.Unlock()
	if !f.Rest {
		h.slowest = max(h.slowest, took)
		h.interval = h.slowest + max(wait.Until.Sub(o.Ended), 0)
	}
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

func resultOf(o Outcome, f Fate, digest func([]byte) string) Result {
	r := Result{Key: o.Item.Key, State: f.State, Due: f.Due, Reason: f.Reason, Attempts: o.Item.Attempts + 1, At: o.Ended, Level: f.Level}
	if f.Again {
		r.Attempts = 0
	}
	if a := o.Response; a != nil {
		r.Status, r.Took, r.Bytes = a.Status, a.Took, len(a.Body)
		r.ETag, r.Modified = a.Header.Get("ETag"), a.Header.Get("Last-Modified")
		switch {
		case f.Moved != nil:
			r.Digest = digest([]byte(f.Moved.URL))
		case (f.Store || o.Item.Sitemap) && len(a.Body) > 0:
			r.Digest = digest(a.Body)
		}
	}
	if f.Unchanged && r.Digest == "" {
		r.Digest, r.ETag, r.Modified = o.Item.Digest, cmp.Or(r.ETag, o.Item.ETag), cmp.Or(r.Modified, o.Item.Modified)
	}
	return r
}

func pageOf(o Outcome, f Fate, r *scraperutils.Request) *Page {
	a := o.Response
	p := &Page{
		ID: o.Item.ID, URL: o.Item.URL, Final: a.URL.String(), Host: o.Host, Request: r,
		Status: a.Status, Header: a.Header, Body: a.Body, Type: mediaType(a.Header), At: o.Ended.Add(-a.Took), Took: a.Took,
		Attempts: o.Item.Attempts + 1, Depth: o.Item.Depth, Via: o.Item.Via, Unchanged: f.Unchanged,
	}
	if f.Unchanged {
		p.Before = o.Item.Visited
	}
	return p
}
