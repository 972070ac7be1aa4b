package feed

import "slices"

// waiting is how many messages a subscription holds for a reader that takes its time.
const waiting = 32

// Subscription is what one who looks on is told.
type Subscription struct {
	// Lines are what changes. It is closed when the reader is too slow, which then begins again with all that is known.
	Lines <-chan *Message

	label string // "": all statuses and no requests
	whole bool   // all of it, whatever the label
	lines chan *Message
}

// Subscribe returns what is known as a first message, and a subscription to what comes after it: the statuses of all operations for "", or
// those and the requests of one. The caller must Unsubscribe.
func (h *Hub) Subscribe(label string) (*Message, *Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	first := h.first
	switch {
	case label != "":
		first = newMessage(h.known([]string{label}).of(label))
	case first == nil:
		first = newMessage(h.known(nil))
		h.first = first
	}
	return first, h.subscribe(&Subscription{label: label})
}

// subscribeWhole is Subscribe for one who is told everything, in lines that are short enough.
func (h *Hub) subscribeWhole() ([]Line, *Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var labels []string
	for _, s := range h.picture.Statuses {
		labels = append(labels, s.Label)
	}
	return h.known(labels).inParts(), h.subscribe(&Subscription{whole: true})
}

// known is all that is known, with the requests of some. The caller holds the lock.
func (h *Hub) known(labels []string) Line {
	p := h.picture
	line := Line{Run: p.Run, Statuses: slices.Clone(p.Statuses), End: p.End, CutOff: p.CutOff}
	for _, label := range labels {
		line.Requests = append(line.Requests, h.requests[label]...)
	}
	return line
}

func (h *Hub) subscribe(s *Subscription) *Subscription {
	s.lines = make(chan *Message, waiting)
	s.Lines = s.lines
	h.subscribers[s] = true
	return s
}

// Unsubscribe ends a subscription.
func (h *Hub) Unsubscribe(s *Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.subscribers, s)
}

// publish hands a line on to all who look on. The caller holds the lock.
func (h *Hub) publish(line Line) {
	if len(h.subscribers) == 0 {
		return
	}
	whole, all := newMessage(line), newMessage(line.of("")) // most look at all operations
	for s := range h.subscribers {
		message := all
		switch {
		case s.whole:
			message = whole
		case s.label != "":
			message = newMessage(line.of(s.label))
		}
		if !message.says() {
			continue
		}
		select {
		case s.lines <- message:
		default:
			delete(h.subscribers, s)
			close(s.lines)
		}
	}
}
