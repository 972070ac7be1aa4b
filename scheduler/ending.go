package scheduler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// unwindTurn is the turn limit after the end of a run: enough for a scraper to return without another beside it, and short
// enough that one that does not return can't keep the others from it.
const unwindTurn = 10 * time.Millisecond

// givenUp is the answer to a call whose context, or whose run's, has ended.
func (l *loop) givenUp(op *operation) answer {
	cause := context.Cause(op.call.ctx)
	if cause == nil { // the end has not reached the derived context yet
		cause = context.Cause(l.ctx)
	}
	if op.caller && op.call.ctx.Err() == nil {
		cause = fmt.Errorf("%w: %w", ErrEnded, cause)
	}
	return answer{err: notSent(op.call.request, cause)}
}

// unwind begins the end of the run: no operation starts any more, and those that wait get their turn with the cause.
func (l *loop) unwind() {
	l.unwinding = true
	l.graceEnds = l.now.Add(l.config.Grace)
	l.turns.shorten(unwindTurn, l.now)
	for _, op := range l.queued {
		l.neverStarted(op)
	}
	l.queued = nil
	l.giveUpCallers()
	for _, op := range l.operations {
		switch {
		case op.state == StateReady && op.result.Started.IsZero():
			l.alive--
			l.neverStarted(op)
		default:
			l.withdrawn(op)
		}
	}
}

// finish begins the end of an operation whose scraper has returned: its last saves are settled by its I/O goroutine, which
// then ends.
func (l *loop) finish(op *operation, err error) {
	op.state, op.result.Err = StateFinishing, err
	op.answer = answer{}
	close(op.answers) // to goroutines that the scraper has left behind
	close(op.jobs)
}

// end is the end of an operation.
func (l *loop) end(op *operation, unsaved error) {
	op.state = StateEnded
	if op.unsaved != nil {
		unsaved = errors.Join(op.unsaved, unsaved)
	}
	switch {
	case op.result.Err == nil:
		op.result.Err = unsaved
	case unsaved != nil && !errors.Is(op.result.Err, unsaved):
		op.result.Err = errors.Join(op.result.Err, unsaved)
	}
	op.result.Ended = l.now
	l.alive--
	l.tell(op, scraperutils.Event{Kind: scraperutils.EventEnded, Err: op.result.Err})
	l.conclude(op)
}

// neverStarted is the end of an operation whose run ended first.
func (l *loop) neverStarted(op *operation) {
	op.state, op.result.Err = StateEnded, context.Cause(l.ctx)
	l.conclude(op)
}

// conclude completes the result of an operation and reports it.
func (l *loop) conclude(op *operation) {
	op.result.Requests = op.requests
	if op.ledger != nil {
		op.result.Records = op.ledger.Saved()
	}
	l.config.Ended(op.result)
}

// leaveBehind ends a run whose grace is over. The goroutines that are left can no longer reach the loop.
func (l *loop) leaveBehind() {
	profile := goroutines() // before anybody is woken
	for _, op := range l.operations {
		if op.state == StateEnded {
			continue
		}
		if op.state != StateFinishing {
			close(op.answers)
			close(op.jobs)
		}
		stack := profile.of(op.label)
		op.state, op.answer = StateLeft, answer{}
		op.result.Left, op.result.Ended = true, l.now
		op.result.Err = &StuckError{Cause: context.Cause(l.ctx), Stack: stack}
		l.tell(op, scraperutils.Event{Kind: scraperutils.EventLeft, Stack: stack, Err: op.result.Err})
		l.conclude(op)
	}
}

// summary returns what became of the run; the loop has ended.
func (l *loop) summary() *Results {
	r := &Results{Totals: l.totals}
	if l.unwinding {
		r.Err = context.Cause(l.ctx)
	}
	for _, op := range l.operations {
		r.Operations = append(r.Operations, op.result)
	}
	return r
}
