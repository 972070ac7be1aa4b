package agent

import "context"

// largePage is the size of a body, in bytes, from which a page is read alone. Hardly any site has such a page.
const largePage = 1 << 20

// Gate lets large pages be read one at a time, because parsing a page takes many times its size in memory. Any number of agents may share
// a Gate.
type Gate struct{ open chan struct{} } // full while somebody is inside

// NewGate returns an empty gate.
func NewGate() *Gate { return &Gate{open: make(chan struct{}, 1)} }

// enter waits until a page of this size may be read. An agent stays inside until its next request or its end, so an agent inside never
// waits for another. The error is the cause of ctx.
func (a *Agent) enter(ctx context.Context, size int) error {
	if a.gate == nil || size < largePage {
		return nil
	}
	select {
	case a.gate.open <- struct{}{}:
		a.inside = true
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leave lets the next one in.
func (a *Agent) leave() {
	if a.inside {
		a.inside = false
		<-a.gate.open
	}
}

// Close ends the reading of the agent's pages, so that the next large page can be read.
func (a *Agent) Close() { a.leave() }
