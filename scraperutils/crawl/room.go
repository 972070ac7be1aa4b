package crawl

import (
	"context"
	"time"
)

// maxWaiting is how many bytes of pages may wait to be stored before nothing more is asked for: where sinks are slower than the web,
// pages must not fill the memory. A third of it is being stored, a third completed, and a third gathers. Of those in flight at that moment
// as many come on top as there is Room for.
const maxWaiting = 24 << 20

// roomPatience is how long an answer waits for room at most, in the network's buffers: later its server might lose patience.
const roomPatience = time.Second

// placeKey is where the context of a visit's request carries its place.
type placeKey struct{}

// place is room for the body of one visit, from when that is read until it is stored, or nobody needs it. It belongs to the visit.
type place struct {
	committer *committer
	taken     bool
}

// Room waits until there is room for another body. A worker's client calls it before it reads a body, with the context of the request. So
// even when thousands of answers arrive at once, memory does not hold more than Pages of them for long.
func (w *Worker) Room(ctx context.Context) {
	p, ok := ctx.Value(placeKey{}).(*place)
	if !ok || p.taken {
		return
	}
	select {
	case p.committer.places <- struct{}{}:
		p.taken = true
		return
	default: // no timer where there is room
	}
	timer := time.NewTimer(roomPatience)
	defer timer.Stop()
	select {
	case p.committer.places <- struct{}{}:
		p.taken = true
	case <-timer.C:
	case <-ctx.Done():
	}
}

// leave gives the room back, if it was taken.
func (p *place) leave() {
	if p.taken {
		p.taken = false
		<-p.committer.places
	}
}

// await waits until there is room for more pages. What waits is stored or dropped, so there will be.
func (c *committer) await() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.waiting > maxWaiting {
		c.room.Wait()
	}
}

// hold counts the pages of a report that waits.
func (c *committer) hold(p *pending) {
	if n := p.size(); n > 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.waiting += n
	}
}

// release counts the pages of reports that no longer wait, which are stored or dropped, and gives their bodies back.
func (c *committer) release(group []*pending) {
	bytes := 0
	for _, p := range group {
		n := p.size()
		if n > 0 && c.worker.Free != nil {
			c.worker.Free(p.visit.page.Body)
			p.visit.page.Body = nil
		}
		if p.visit != nil {
			p.visit.place.leave()
		}
		bytes += n
	}
	if bytes == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting -= bytes; c.waiting <= maxWaiting {
		c.room.Broadcast()
	}
}

// size is how many bytes a report's page takes.
func (p *pending) size() int {
	if p.visit == nil || p.visit.page == nil {
		return 0
	}
	return cap(p.visit.page.Body)
}
