package cli

import (
	"bytes"
	"io"
	"sync"
)

// MaxBacklog is how many bytes wait for a reader: more than the whole log of an ordinary run.
const MaxBacklog = 512 << 10

// Backlog passes on what is written to it, in a goroutine of its own: a writer never waits for a reader, such as a stopped terminal
// (Ctrl-S) or a busy program. A write that finds no room is dropped as a whole, and its lines are counted. Any goroutine may write;
// the goroutine that made the Backlog closes it.
type Backlog struct {
	out   io.Writer
	wake  chan struct{} // something waits; closed by Close
	ended chan struct{}

	mu      sync.Mutex // guards the rest
	waiting []byte
	missing int  // lines
	closed  bool // nothing more is queued
}

func NewBacklog(out io.Writer) *Backlog {
	b := &Backlog{out: out, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	go func() {
		defer close(b.ended)
		for range b.wake {
			b.hand()
		}
		b.hand()
	}()
	return b
}

// Write queues text. After Close it writes at once.
func (b *Backlog) Write(text []byte) (int, error) {
	if b.queue(text) {
		return len(text), nil
	}
	<-b.ended
	return b.out.Write(text)
}

// queue reports whether the goroutine will write a text.
func (b *Backlog) queue(text []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return false
	case len(b.waiting) > 0 && len(b.waiting)+len(text) > MaxBacklog: // one long line is better than none
		b.missing += bytes.Count(text, []byte("\n"))
		return true
	}
	b.waiting = append(b.waiting, text...)
	select {
	case b.wake <- struct{}{}:
	default: // it is awake
	}
	return true
}

// hand writes the queued text.
func (b *Backlog) hand() {
	b.mu.Lock()
	text := b.waiting
	b.waiting = nil
	b.mu.Unlock()
	if len(text) > 0 {
		_, _ = b.out.Write(text) // an outlet remembers what goes wrong
	}
}

// Close waits until all is handed on and returns how many lines were left out. What is written from then on is written at once.
// It may be called again.
func (b *Backlog) Close() (missing int) {
	b.mu.Lock()
	if !b.closed {
		b.closed = true
		close(b.wake)
	}
	b.mu.Unlock()
	<-b.ended
	return b.missing
}
