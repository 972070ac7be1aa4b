package crawl

import (
	"context"
	"sync"
	"time"
)

// Groups of visits that are stored and counted together.
const (
	groupSize  = 512
	groupPause = 10 * time.Millisecond // while it gathers, for a commit costs the same for one as for many
)

// visit is a try of a URL on its way to where it counts.
type visit struct {
	item   Item
	result Result
	page   *Page // nil: none is wanted
	found  []Entry
}

// pending is a report on its way to the frontier.
type pending struct {
	run    *hostRun
	report Report
	visit  *visit       // or nil
	reply  chan Receipt // closed without a receipt where it could not be committed; nil: nobody waits
}

// committer stores pages and completes visits, in groups. Only its goroutine calls sinks.
type committer struct {
	worker *Worker
	stop   context.CancelCauseFunc // of the run, where it can't go on
	inbox  chan pending            // closed when all hosts have been given back
	err    error                   // why it could not go on; its own until it has ended

	mu      sync.Mutex // guards the rest
	waiting int        // bytes of pages that are not stored yet
	room    sync.Cond  // signaled when there are fewer
}

func newCommitter(w *Worker, stop context.CancelCauseFunc) *committer {
	c := &committer{worker: w, stop: stop, inbox: make(chan pending, groupSize)}
	c.room.L = &c.mu
	return c
}

// maxWaiting is how many bytes of pages may wait to be stored before nothing more is asked for: where sinks are slower than the web,
// pages must not fill the memory. Those in flight at that moment come on top.
const maxWaiting = 16 << 20

// await waits until there is room for more pages. What waits is stored or dropped, so there will be.
func (c *committer) await() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.waiting > maxWaiting {
		c.room.Wait()
	}
}

// hold counts the pages of reports that wait, or with a sign of -1 that no longer do.
func (c *committer) hold(sign int, group ...pending) {
	bytes := 0
	for _, page := range pagesOf(group) {
		bytes += len(page.Body)
	}
	if bytes == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting += sign * bytes; sign < 0 && c.waiting <= maxWaiting {
		c.room.Broadcast()
	}
}

// run takes groups until the inbox is closed. After a failure it takes and drops them: what they stand for is still due.
func (c *committer) run(ctx context.Context) {
	for {
		group := c.gather()
		if len(group) == 0 {
			return
		}
		if c.err == nil {
			c.err = c.commit(ctx, group)
		}
		c.hold(-1, group...)
		if c.err != nil {
			c.stop(c.err)
			for _, p := range group {
				p.answer(nil)
			}
		}
	}
}

// gather waits for a report and takes those that come within the pause.
func (c *committer) gather() (group []pending) {
	first, ok := <-c.inbox
	if !ok {
		return nil
	}
	group = append(group, first)
	timer := time.NewTimer(groupPause)
	defer timer.Stop()
	for len(group) < groupSize {
		select {
		case p, ok := <-c.inbox:
			if !ok {
				return group
			}
			group = append(group, p)
		case <-timer.C:
			return group
		}
	}
	return group
}

// commit stores the pages of a group, then completes its visits: each until it works, or patience or ctx ends.
func (c *committer) commit(ctx context.Context, group []pending) error {
	w := c.worker
	if pages := pagesOf(group); len(pages) > 0 {
		for _, sink := range w.Sinks {
			if err := w.patiently(ctx, "store pages", func() error { return sink.Store(ctx, pages) }); err != nil {
				return err
			}
		}
	}
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
		receipt := receipts[at[i]]
		if receipt.Lost {
			p.run.lost.Store(true)
		} else if p.visit != nil {
			w.OnVisit(Visit{Item: p.visit.item, Host: p.run.lease.Host.String(), Result: p.visit.result, Page: p.visit.page})
		}
		p.answer(&receipt)
	}
	return nil
}

func (p pending) answer(r *Receipt) {
	if p.reply == nil {
		return
	}
	if r != nil {
		p.reply <- *r
	}
	close(p.reply)
}

func pagesOf(group []pending) (pages []*Page) {
	for _, p := range group {
		if p.visit != nil && p.visit.page != nil {
			pages = append(pages, p.visit.page)
		}
	}
	return pages
}

// merged joins the reports of each lease into one, in the order in which they came; at is where each report's is.
func merged(group []pending) (reports []Report, at []int) {
	places := map[Held]int{}
	for _, p := range group {
		i, ok := places[p.report.Held]
		if !ok {
			i = len(reports)
			places[p.report.Held] = i
			reports = append(reports, p.report)
		} else {
			results, found := reports[i].Results, reports[i].Found
			reports[i] = p.report
			reports[i].Results = append(results, p.report.Results...)
			reports[i].Found = append(found, p.report.Found...)
		}
		at = append(at, i)
	}
	return reports, at
}
