package crawl

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// visit is a try of a URL on its way to where it counts.
type visit struct {
	item   *Item // of the lease
	result Result
	page   *Page // nil: none is wanted
	found  []Entry
	left   []Trap // links that were left out
	sent   bool   // a request, which counts as in flight until this counts
	place  place  // of the page's body
}

// pending is a report on its way to the frontier.
type pending struct {
	run    *hostRun
	report Report       // of the host; merged adds what the visit brought
	visit  *visit       // or nil
	reply  chan Receipt // closed without a receipt where it could not be committed; nil: nobody waits
}

// committer stores pages and completes visits, in groups: one is stored while the one before is completed.
type committer struct {
	worker *Worker
	stop   context.CancelCauseFunc // of the run, where it can't go on
	crew   *crew
	known  *knownLinks   // learns what has been added
	news   chan struct{} // is told that something has been
	inbox  chan *pending // closed when all hosts have been given back
	err    error         // why it could not go on; the completing goroutine's until run has returned
	over   atomic.Bool   // there is such an error
	places chan struct{} // has a token for each body, until it is stored
	size   int           // of the group before: the next is likely to be as large; the gathering goroutine's

	mu      sync.Mutex // guards the rest
	waiting int        // bytes of pages that are not stored yet
	room    sync.Cond  // signaled when there are fewer
}

func newCommitter(w *Worker, stop context.CancelCauseFunc, known *knownLinks, news chan struct{}) *committer {
	c := &committer{worker: w, stop: stop, known: known, news: news, inbox: make(chan *pending, inboxSize), places: make(chan struct{}, w.Pages)}
	c.room.L = &c.mu
	return c
}

// run takes groups until the inbox is closed. After a failure it takes and drops them: what they stand for is still due.
func (c *committer) run(ctx context.Context) {
	stored, completed := make(chan group), make(chan struct{})
	go func() {
		defer close(completed)
		for reports, err := range c.joined(stored) {
			c.complete(ctx, reports, err)
		}
	}()
	for {
		g := c.gather()
		if len(g.reports) == 0 {
			break
		}
		if !c.over.Load() {
			g.err = c.store(ctx, g.reports)
		}
		c.release(g.reports)
		stored <- g
	}
	close(stored)
	<-completed
}

// store has all sinks store the pages of a group, beside each other, until it works, or patience or ctx ends. One that can't go on ends
// the others.
func (c *committer) store(ctx context.Context, reports []*pending) error {
	pages := pagesOf(reports)
	if len(pages) == 0 {
		return nil
	}
	together, ctx := errgroup.WithContext(ctx)
	for _, sink := range c.worker.Sinks {
		together.Go(func() error {
			return c.worker.patiently(ctx, "store pages", func() error { return sink.Store(ctx, pages) })
		})
	}
	return together.Wait()
}

// complete completes visits whose pages are stored, or drops them.
func (c *committer) complete(ctx context.Context, reports []*pending, err error) {
	if c.err == nil {
		c.err = err
	}
	if c.err == nil {
		c.err = c.count(ctx, reports)
	}
	c.worker.Scheduler.Hold(-sentIn(reports))
	if c.err == nil {
		return
	}
	c.over.Store(true)
	c.stop(c.err)
	for _, p := range reports {
		p.answer(nil)
	}
}

// count has the frontier count the visits of a group, until it works, or patience or ctx ends, and says what came of it.
func (c *committer) count(ctx context.Context, group []*pending) error {
	w := c.worker
	reports, at := merged(group)
	var receipts []Receipt
	err := w.patiently(ctx, "complete visits", func() (err error) {
		receipts, err = w.Frontier.Complete(ctx, time.Now(), reports)
		return err
	})
	if err != nil {
		return err
	}
	for i, p := range group {
		receipt := &receipts[at[i]]
		if receipt.Lost {
			p.run.lost.Store(true)
		}
		if v := p.visit; v != nil {
			c.learn(v.found)
			if !receipt.Lost {
				c.crew.visited(v.result.State)
				w.OnVisit(Visit{Item: *v.item, Host: p.run.name, Result: v.result, Page: v.page})
			}
		}
		p.answer(receipt)
	}
	return nil
}

// learn takes in what has been added: hosts that nobody has claimed yet may be among it.
func (c *committer) learn(found []Entry) {
	for _, e := range found {
		c.known.remember(e.URL, e.Depth)
	}
	if len(found) > 0 {
		signal(c.news)
	}
}

// signal leaves a token in a channel that has room for one.
func signal(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default: // there is one
	}
}

func (p *pending) answer(r *Receipt) {
	if p.reply == nil {
		return
	}
	if r != nil {
		p.reply <- *r
	}
	close(p.reply)
}

// sentIn is how many requests reports come of.
func sentIn(group []*pending) (n int) {
	for _, p := range group {
		if p.visit != nil && p.visit.sent {
			n++
		}
	}
	return n
}

func pagesOf(group []*pending) (pages []*Page) {
	for _, p := range group {
		if p.visit != nil && p.visit.page != nil {
			pages = append(pages, p.visit.page)
		}
	}
	return pages
}

// merged joins the reports of each lease into one, in the order in which they came; at is where each report's is.
func merged(group []*pending) (reports []Report, at []int) {
	places := make(map[Held]int, len(group))
	reports, at = make([]Report, 0, len(group)), make([]int, len(group))
	var visits []int // of each lease
	for n, p := range group {
		i, ok := places[p.report.Held]
		if !ok {
			i = len(reports)
			places[p.report.Held] = i
			reports, visits = append(reports, p.report), append(visits, 0)
		} else {
			more, holding := reports[i].More, reports[i].Holding
			reports[i] = p.report
			if p.report.Keep && p.report.More == 0 { // one before may have asked for more
				reports[i].More, reports[i].Holding = more, holding
			}
		}
		if p.visit != nil {
			visits[i]++
		}
		at[n] = i
	}
	once := nearest{}
	for n, p := range group {
		if v, i := p.visit, at[n]; v != nil {
			r := &reports[i]
			if r.Results == nil {
				r.Results = make([]Result, 0, visits[i])
			}
			r.Results = append(r.Results, v.result)
			r.Found = once.add(r.Found, i, v.found)
			r.Trapped = append(r.Trapped, v.left...)
		}
	}
	return reports, at
}

// nearest has the depths of the URLs that each report of a group has found. Pages of a site lead to the same ones.
type nearest map[foundBy]int

// foundBy is a URL and which report found it: another one's may come to nothing, where its lease is lost.
type foundBy struct {
	report int
	url    string
}

// add appends the URLs that are new to a report, or nearer than it knew.
func (n nearest) add(all []Entry, report int, found []Entry) []Entry {
	for _, e := range found {
		by := foundBy{report, e.URL}
		if depth, ok := n[by]; ok && depth <= e.Depth && e.ID == "" { // a visit that goes on there has an ID
			continue
		}
		n[by] = e.Depth
		all = append(all, e)
	}
	return all
}
