package feed

import (
	"encoding/json"
	"io"
	"sync"
	"time"
)

// Every is how often a Writer tells what has changed.
const Every = 500 * time.Millisecond

// most is how many requests a Writer keeps for its next line.
const most = 1000

// Writer tells of a run. Its methods may be called from any goroutine, and wait for nobody.
type Writer struct {
	out      io.WriteCloser
	snapshot func() []Status   // what all operations are doing; called by the writer's own goroutine
	told     map[string]Status // what the reader knows; owned by that goroutine too
	end      chan End          // has room for the one
	stopped  chan struct{}

	mu       sync.Mutex // guards the rest
	requests []Request
	dropped  int
}

// NewWriter begins to tell of a run. A reader that has gone is nobody's loss: the rest is not told. The owner must call End, which closes
// out; closing must end a Write that waits.
func NewWriter(out io.WriteCloser, run Run, snapshot func() []Status) *Writer {
	w := &Writer{out: out, snapshot: snapshot, told: map[string]Status{}, end: make(chan End, 1), stopped: make(chan struct{})}
	go w.tell(run)
	return w
}

// Answered tells of a request that was answered.
func (w *Writer) Answered(r Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.requests) >= most {
		w.dropped++
		return
	}
	w.requests = append(w.requests, r)
}

// End tells the rest and how the run ended. A reader that does not take it in time is left without.
func (w *Writer) End(end End, patience time.Duration) {
	impatience := time.AfterFunc(patience, func() { _ = w.out.Close() })
	defer impatience.Stop()
	w.end <- end
	<-w.stopped
}

// tell writes lines until the run ends or nobody reads them.
func (w *Writer) tell(run Run) {
	defer close(w.stopped)
	defer func() { _ = w.out.Close() }() // nobody is told
	lines := json.NewEncoder(w.out)
	if lines.Encode(Line{Run: &run}) != nil {
		return
	}
	ticker := time.NewTicker(Every)
	defer ticker.Stop()
	for {
		var ended []Line
		select {
		case <-ticker.C:
		case end := <-w.end:
			ended = []Line{{End: &end}}
		}
		for _, line := range append(w.lines(), ended...) {
			if lines.Encode(line) != nil {
				return
			}
		}
		if ended != nil {
			return
		}
	}
}

// lines is what has come since it was called before.
func (w *Writer) lines() (lines []Line) {
	var changed []Status
	for _, s := range w.snapshot() {
		if w.told[s.Label] != s {
			w.told[s.Label] = s
			changed = append(changed, s)
		}
	}
	w.mu.Lock()
	requests, dropped := w.requests, w.dropped
	w.requests, w.dropped = nil, 0
	w.mu.Unlock()
	if len(changed) > 0 {
		lines = append(lines, Line{Statuses: changed})
	}
	if len(requests) > 0 || dropped > 0 {
		lines = append(lines, Line{Requests: requests, Dropped: dropped})
	}
	return lines
}
