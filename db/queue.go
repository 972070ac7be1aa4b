package db

import (
	"context"
	"errors"
	"sync"
	"time"
)

// queue is what waits for the writer.
type queue struct {
	within     time.Duration   // how long a row waits at most for others
	wake       chan struct{}   // holds a token while the writer has something to look at
	statements chan *statement // handed over when the writer is ready to run them

	mu        sync.Mutex // guards the rest, and what Ledger says
	gathering *group     // what rows are added to; nil while none waits
	spare     []row      // empty, with the room of a group that is settled
	urgent    bool       // somebody waits for what is gathering
	free      time.Time  // when the next commit may come at the earliest that somebody waits for
	closed    bool
}

// group is the rows of one commit.
type group struct {
	rows  []row
	since time.Time     // when the first came
	done  chan struct{} // closed when it is committed or lost; its failures are at their ledgers by then
}

// statement is one Exec.
type statement struct {
	ctx      context.Context
	text     string
	args     []any
	affected int64
	err      error
	done     chan struct{} // closed when affected and err are set
}

// work is what the writer does next: commit the group, run the statement, end. Any of them may be absent.
type work struct {
	group     *group
	statement *statement
	last      bool
}

func newQueue(within time.Duration) *queue {
	return &queue{within: within, wake: make(chan struct{}, 1), statements: make(chan *statement)}
}

func (q *queue) add(r row) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	if q.gathering == nil {
		q.gathering = &group{rows: q.spare, since: time.Now(), done: make(chan struct{})}
		q.spare = nil
		q.notify()
	}
	q.gathering.rows = append(q.gathering.rows, r)
	r.ledger.last = q.gathering
	r.ledger.saved.Add(1)
	return nil
}

// hurry asks for a commit of the ledger's rows now. It returns a channel that is closed after the commit, or nil if no row waits.
func (q *queue) hurry(l *Ledger) <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l.last == nil {
		return nil
	}
	if l.last == q.gathering {
		q.urgent = true
		q.notify()
	}
	return l.last.done
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.notify()
}

func (q *queue) notify() {
	select {
	case q.wake <- struct{}{}:
	default: // the writer will look anyway
	}
}

// next waits until there is work.
func (q *queue) next() work {
	for {
		w, due, ready := q.look()
		if ready {
			return w
		}
		select {
		case <-q.wake:
		case <-due:
		case s := <-q.statements:
			q.mu.Lock()
			defer q.mu.Unlock()
			return work{group: q.take(), statement: s}
		}
	}
}

// look returns the work that is ready, or a channel that fires when the gathering group is due.
func (q *queue) look() (w work, due <-chan time.Time, ready bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return work{group: q.take(), last: true}, nil, true
	}
	if q.gathering == nil {
		return work{}, nil, false
	}
	at := q.gathering.since.Add(q.within)
	if q.urgent {
		at = earlier(at, q.free)
	}
	left := time.Until(at)
	if left > 0 {
		return work{}, time.After(left), false
	}
	return work{group: q.take()}, nil, true
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// take ends the gathering. The caller holds mu.
func (q *queue) take() *group {
	g := q.gathering
	q.gathering, q.urgent = nil, false
	return g
}

// settled ends a group whose commit took the given time: it hands failures to their ledgers and then wakes those who wait. The disk
// rests for as long as it worked, so that callers who wait one after the other share commits.
func (q *queue) settled(g *group, failures []failure, took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, f := range failures {
		f.ledger.failures = append(f.ledger.failures, f.err)
		f.ledger.saved.Add(-int64(f.rows))
	}
	clear(g.rows)
	q.spare, g.rows = g.rows[:0], nil
	q.free = time.Now().Add(took)
	close(g.done)
}

// settledAll reports whether all rows of a ledger are committed and no failure is left to report.
func (q *queue) settledAll(l *Ledger) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(l.failures) > 0 {
		return false
	}
	if l.last == nil {
		return true
	}
	select {
	case <-l.last.done:
		return true
	default:
		return false
	}
}

func (q *queue) takeFailures(l *Ledger) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	err := errors.Join(l.failures...)
	l.failures = nil
	return err
}
