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
	keptRequests = 50      // of each operation, the latest
)

// ErrCutOff says that a feed ended without the end of its run: its process was killed.
var ErrCutOff = errors.New("the run's process has ended without a word")

// Picture is what a Hub knows.
type Picture struct {
	Run      *Run     // nil: there was no run yet
	Statuses []Status // in the order in which they were first told
	End      *End     // nil: the run goes on, or was cut off
	CutOff   bool
}

// Hub knows what a run is doing, and tells all who subscribe. Its methods may be called from any goroutine.
type Hub struct {
	mu          sync.Mutex // guards the rest
	picture     Picture
	index       map[string]int       // of statuses, by label
	requests    map[string][]Request // by label, oldest first
	subscribers map[*Subscription]bool
}

// NewHub returns a Hub that knows nothing yet.
func NewHub() *Hub {
	return &Hub{index: map[string]int{}, requests: map[string][]Request{}, subscribers: map[*Subscription]bool{}}
}

// Read reads the feed of a run to its end. It forgets the run before. One run's feed is read at a time.
func (h *Hub) Read(r io.Reader) error {
	h.forget()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		var line Line
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			h.cutOff()
			return fmt.Errorf("read the feed of a run: %w", err)
		}
		h.take(line)
		if line.End != nil {
			return nil
		}
	}
	h.cutOff()
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the feed of a run: %w", err)
	}
	return ErrCutOff
}

func (h *Hub) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.picture = Picture{}
	clear(h.index)
	clear(h.requests)
}

func (h *Hub) cutOff() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.picture.CutOff = true
	h.publish(Line{})
}

func (h *Hub) take(line Line) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if line.Run != nil {
		h.picture.Run = line.Run
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
			kept := append(h.requests[r.Label], r)
			h.requests[r.Label] = slices.Clone(kept[max(0, len(kept)-keptRequests):])
		}
	}
	h.picture.End = line.End
	h.publish(line)
}

// Picture returns what is known.
func (h *Hub) Picture() Picture {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.picture
	p.Statuses = slices.Clone(p.Statuses)
	return p
}

// Requests returns the latest requests of an operation, oldest first.
func (h *Hub) Requests(label string) []Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.requests[label])
}
