package scheduler

import (
	"slices"
	"time"
)

// turns is who runs. A turn begins when an operation is started or gets its answer and ends with its next request, its end,
// or the limit: then others go on, while the scraper itself can't be stopped.
type turns struct {
	limit   time.Duration
	running []*operation // those whose turn counts
	check   time.Time    // when to look for turns over the limit; zero: when one begins
}

// turn is an operation's part of it.
type turn struct {
	held  bool
	began time.Time
	index int // in running
}

func (t *turns) count() int { return len(t.running) }

func (t *turns) begin(op *operation, now time.Time) {
	op.turn = turn{held: true, began: now, index: len(t.running)}
	t.running = append(t.running, op)
	if t.check.IsZero() {
		t.check = now.Add(t.limit)
	}
}

// end does nothing where the turn was lost already.
func (t *turns) end(op *operation) {
	if !op.turn.held {
		return
	}
	op.turn.held = false
	last := len(t.running) - 1
	t.running[op.turn.index] = t.running[last]
	t.running[op.turn.index].turn.index = op.turn.index
	t.running[last] = nil
	t.running = t.running[:last]
}

// overdue ends the turns that are over the limit and returns their operations. It looks at all that run, but only once a
// limit.
func (t *turns) overdue(now time.Time) []*operation {
	if t.check.IsZero() || now.Before(t.check) {
		return nil
	}
	t.check = time.Time{}
	var over []*operation
	for _, op := range slices.Clone(t.running) {
		ends := op.turn.began.Add(t.limit)
		switch {
		case !ends.After(now):
			over = append(over, op)
			t.end(op)
		case t.check.IsZero() || ends.Before(t.check):
			t.check = ends
		}
	}
	return over
}

// shorten lowers the limit, also for the turns that have begun.
func (t *turns) shorten(limit time.Duration, now time.Time) {
	t.limit, t.check = limit, time.Time{} // the check of turns under the old limit would come too late
	if len(t.running) > 0 {
		t.check = now.Add(limit)
	}
}
