package crawl

// maxWaiting is how many bytes of pages may wait to be stored before nothing more is asked for: where sinks are slower than the web,
// pages must not fill the memory. A third of it is being stored, a third completed, and a third gathers. Those in flight at that moment
// come on top.
const maxWaiting = 24 << 20

// await waits until there is room for more pages. What waits is stored or dropped, so there will be.
func (c *committer) await() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.waiting > maxWaiting {
		c.room.Wait()
	}
}

// hold counts the pages of a report that waits.
func (c *committer) hold(p pending) {
	if n := p.size(); n > 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.waiting += n
	}
}

// release counts the pages of reports that no longer wait, which are stored or dropped, and gives their bodies back.
func (c *committer) release(group []pending) {
	bytes := 0
	for _, p := range group {
		n := p.size()
		if n > 0 && c.worker.Free != nil {
			c.worker.Free(p.visit.page.Body)
			p.visit.page.Body = nil
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
func (p pending) size() int {
	if p.visit == nil || p.visit.page == nil {
		return 0
	}
	return cap(p.visit.page.Body)
}
