package browser

import (
	"fmt"
	"time"
)

const (
	memoryPause = 250 * time.Millisecond // between two looks at what renderers take
	overfedTime = 10 * time.Second       // in which the page of a renderer that was killed learns of it
)

// watchMemory kills renderers that take more than limit, in bytes, until the browser has ended. The page is told by the browser that its
// renderer is gone.
func (p *process) watchMemory(limit int64) {
	tick := time.NewTicker(memoryPause)
	defer tick.Stop()
	for {
		select {
		case <-p.conn.Done():
			return
		case <-tick.C:
		}
		for _, r := range renderers(p.program.Process.Pid) {
			if r.resident > limit {
				p.overfeed(r)
			}
		}
	}
}

// renderer is a process that shows pages.
type renderer struct {
	pid      int
	resident int64 // bytes
}

func (p *process) overfeed(r renderer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.killed[r.pid] = time.Now()
	r.kill()
}

// overfed reports whether a renderer of the browser was killed for its memory a moment ago, whose page has not learned of it yet. The
// page that asks is taken for that one: the browser does not say whose renderer a process is.
func (p *process) overfed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for pid, at := range p.killed {
		delete(p.killed, pid)
		if time.Since(at) < overfedTime {
			return true
		}
	}
	return false
}

// errMemory is a page whose renderer took too much.
type errMemory int64 // the limit in bytes

func (e errMemory) Error() string {
	return fmt.Sprintf("its renderer took more than %d MiB", int64(e)>>20)
}
