package browser

import "time"

// overfed reports whether a renderer of the browser was killed for its memory a moment ago.
func (p *process) overfed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.killed.IsZero() && time.Since(p.killed) < 10*time.Second
}
