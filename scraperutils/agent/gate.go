package agent

import "context"

// largePage is the size of a body, in bytes, from which on its page is read alone. Hardly any council has one.
const largePage = 1 << 20

// Gate lets large pages be read one at a time: what is built of one while it is parsed is many times its size. It is for any number
// of agents.
type Gate struct{ open chan struct{} } // full while somebody is inside

// NewGate returns a gate with nobody inside.
func NewGate() *Gate { return &Gate{open: make(chan struct{}, 1)} }

// enter waits until a page of this size may be read. An agent is inside until its next request or its end, so nobody who is inside
// waits for anything but its own turn, which it has. The error is ctx's.
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

// Close tells that nothing more is read of the agent's pages.
func (a *Agent) Close() { a.leave() }
