package cdp

import (
	"sync"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
)

// Event is something that happened in a session.
type Event struct {
	Session target.SessionID // "" is the browser's own
	Method  string
	Params  jsonv2.Value
}

// Read decodes the content of the event.
func (e Event) Read(into any) error { return jsonv2.Unmarshal(e.Params, into, lenient) }

// maxWaiting is how many bytes of events may wait in an Inbox.
const maxWaiting = 32 << 20

// Inbox holds the events of a browser context until they are taken.
type Inbox struct {
	ready chan struct{} // holds one where there is something to take

	mu       sync.Mutex // guards the rest
	events   []Event
	size     int // bytes
	overflow bool
	closed   bool
}

// Ready returns a channel that receives when there may be events to take.
func (b *Inbox) Ready() <-chan struct{} { return b.ready }

// Take returns the events that have arrived since the last call. It reports false if the browser has gone, or if so many events arrived
// that some were dropped. Then there is nothing more to wait for.
func (b *Inbox) Take() ([]Event, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	events := b.events
	b.events, b.size = nil, 0
	return events, !b.closed && !b.overflow
}

// Overflow reports whether events were dropped.
func (b *Inbox) Overflow() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.overflow
}

func (b *Inbox) put(e Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.size += len(e.Params); b.size > maxWaiting {
		b.overflow = true
	}
	if !b.overflow {
		b.events = append(b.events, e)
	}
	b.wake()
}

func (b *Inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.wake()
}

func (b *Inbox) wake() {
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

// routes knows where the events of each session go.
type routes struct {
	mu       sync.Mutex // guards the rest
	contexts map[protocol.BrowserContextID]*Inbox
	sessions map[target.SessionID]*Inbox
	closed   bool
}

func newRoutes() *routes {
	return &routes{contexts: map[protocol.BrowserContextID]*Inbox{}, sessions: map[target.SessionID]*Inbox{}}
}

// Route sends the events of a browser context's targets to an Inbox, until Forget.
func (c *Conn) Route(context protocol.BrowserContextID) *Inbox {
	b := &Inbox{ready: make(chan struct{}, 1)}
	c.routes.mu.Lock()
	defer c.routes.mu.Unlock()
	if c.routes.closed {
		b.close()
	}
	c.routes.contexts[context] = b
	return b
}

// Forget drops the events of a browser context from now on.
func (c *Conn) Forget(context protocol.BrowserContextID) {
	c.routes.mu.Lock()
	defer c.routes.mu.Unlock()
	gone := c.routes.contexts[context]
	delete(c.routes.contexts, context)
	for id, b := range c.routes.sessions {
		if b == gone {
			delete(c.routes.sessions, id)
		}
	}
}

// deliver puts an event where it belongs: that a target has crashed, with every context. One of no context that is known is dropped.
func (r *routes) deliver(m message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := Event{m.SessionID, m.Method, m.Params}
	b := r.sessions[m.SessionID]
	switch m.Method {
	case target.TargetCrashed.Method: // the browser's own session tells of it, by the target alone
		for _, b := range r.contexts {
			b.put(e)
		}
		return
	case target.AttachedToTarget.Method:
		var attached target.EventAttachedToTarget
		if e.Read(&attached) != nil || attached.TargetInfo == nil {
			return
		}
		if b == nil {
			b = r.contexts[attached.TargetInfo.BrowserContextID]
		}
		if b != nil {
			r.sessions[attached.SessionID] = b
		}
	case target.DetachedFromTarget.Method:
		var detached target.EventDetachedFromTarget
		if e.Read(&detached) != nil {
			return
		}
		if b == nil {
			b = r.sessions[detached.SessionID]
		}
		delete(r.sessions, detached.SessionID)
	}
	if b != nil {
		b.put(e)
	}
}

func (r *routes) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, b := range r.contexts {
		b.close()
	}
}
