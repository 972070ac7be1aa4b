package feed

// waiting is how many messages a subscription holds for a reader that takes its time.
const waiting = 32

// Subscription is what one who looks on is told.
type Subscription struct {
	// Lines are the lines of the feed. It is closed when the reader is too slow, which then begins again with the Picture.
	Lines <-chan Line

	label string // "": all statuses and no requests
	lines chan Line
}

// Subscribe returns what is known, and a subscription to what comes after it: the statuses of all operations, or those and the requests
// of one. The caller must Unsubscribe.
func (h *Hub) Subscribe(label string) (Picture, *Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &Subscription{label: label, lines: make(chan Line, waiting)}
	s.Lines = s.lines
	h.subscribers[s] = true
	p := h.picture
	p.Statuses = append([]Status(nil), p.Statuses...)
	return p, s
}

// Unsubscribe ends a subscription.
func (h *Hub) Unsubscribe(s *Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.subscribers, s)
}

// publish hands a line on to all who look on. A zero line says that the run was cut off. The caller holds the lock.
func (h *Hub) publish(line Line) {
	for s := range h.subscribers {
		part, wanted := s.of(line)
		if !wanted {
			continue
		}
		select {
		case s.lines <- part:
		default:
			delete(h.subscribers, s)
			close(s.lines)
		}
	}
}

// of returns what a subscription tells of a line, and whether that is anything.
func (s *Subscription) of(line Line) (Line, bool) {
	ends := line.Run != nil || line.End != nil || line.Statuses == nil && line.Requests == nil && line.Dropped == 0
	if s.label == "" {
		line.Requests, line.Dropped = nil, 0
		return line, ends || line.Statuses != nil
	}
	part := Line{Run: line.Run, End: line.End}
	for _, status := range line.Statuses {
		if status.Label == s.label {
			part.Statuses = append(part.Statuses, status)
		}
	}
	for _, r := range line.Requests {
		if r.Label == s.label {
			part.Requests = append(part.Requests, r)
		}
	}
	return part, ends || part.Statuses != nil || part.Requests != nil
}
