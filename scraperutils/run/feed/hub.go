package feed

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// What a Hub reads and keeps at most.
const (
	longestLine  = 8 << 20 // bytes
	keptRequests = 20      // of each operation, the latest
)

// ErrCutOff says that a feed ended without the end of its run.
var ErrCutOff = errors.New("the feed has ended without the end of its run")

// Picture is what a Hub knows.
type Picture struct {
	Run      *Run     // nil: there was no run yet
	Statuses []Status // in the order in which they were first told
	End      *End     // nil: the run goes on, or was cut off
	CutOff   bool
}

// Going reports whether there is a run that goes on.
func (p Picture) Going() bool { return p.Run != nil && p.End == nil && !p.CutOff }

// Hub knows what a run is doing, and tells all who subscribe. Its methods may be called from any goroutine.
type Hub struct {
	mu          sync.Mutex // guards the rest
	picture     Picture
	index       map[string]int       // of statuses, by label
	requests    map[string][]Request // by label, oldest first
	subscribers map[*Subscription]bool
	first       *Message // what one who looks at all of it is told first; nil: it has changed
}

// NewHub returns a Hub that knows nothing yet.
func NewHub() *Hub {
	return &Hub{index: map[string]int{}, requests: map[string][]Request{}, subscribers: map[*Subscription]bool{}}
}

// Read reads the feed of a run to its end. One feed is read at a time. What is known stays when the feed ends without the end of its run;
// the caller knows whether that is the run's end.
func (h *Hub) Read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		var line Line
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return fmt.Errorf("read the feed of a run: %w", err)
		}
		h.take(line)
		if line.End != nil {
			return nil
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the feed of a run: %w", err)
	}
	return ErrCutOff
}

// CutOff says that the run's process has ended without a word.
func (h *Hub) CutOff() {
	if h.Picture().Going() {
		h.take(Line{CutOff: true})
	}
}

// LookAgain tells all who look on that there is news beside the feed.
func (h *Hub) LookAgain() { h.take(Line{Again: true}) }

func (h *Hub) take(line Line) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if line.Run != nil {
		h.picture = Picture{Run: line.Run}
		clear(h.index)
		clear(h.requests)
	}
	for _, s := range line.Statuses {
		i, known := h.index[s.Label]
		if !known {
			i = len(h.picture.Statuses)
			h.index[s.Label] = i
			h.picture.Statuses = append(h.picture.Statuses, s)
		}
		h.picture.Statuses[i] = s
	}
	for _, r := range line.Requests {
		if _, known := h.index[r.Label]; known {
			h.requests[r.Label] = kept(h.requests[r.Label], r)
		}
	}
	if line.End != nil {
		h.picture.End = line.End
	}
	h.picture.CutOff = h.picture.CutOff || line.CutOff
	h.first = nil
	h.publish(line)
}

// kept adds a request to the latest.
func kept(all []Request, r Request) []Request {
	if len(all) == keptRequests {
		copy(all, all[1:])
		all = all[:keptRequests-1]
	}
	return append(all, r)
}

// Picture returns what is known.
func (h *Hub) Picture() Picture {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.picture
	p.Statuses = slices.Clone(p.Statuses)
	return p
}

// Knows reports whether an operation is one of the run.
func (h *Hub) Knows(label string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, known := h.index[label]
	return known
}

// Requests returns the latest requests of an operation, oldest first.
func (h *Hub) Requests(label string) []Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.requests[label])
}
