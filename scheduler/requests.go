package scheduler

import (
	"context"
	"errors"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// called takes the call that a scraper has handed over with its turn.
func (l *loop) called(op *operation) {
	if op.state != StateRunning { // a goroutine that outlived its scraper
		return
	}
	l.turns.end(op)
	if h := op.call.host; h == nil || h.name != op.to || h.forgotten {
		op.call.host = l.hosts.get(op.to, l.now)
	}
	if op.caller {
		l.callers++
	}
	op.call.seq++
	op.call.try = 0
	op.since = l.now
	if l.unwinding {
		l.makeReady(op, l.givenUp(op))
		return
	}
	if err := l.crowded(op); err != nil {
		l.makeReady(op, answer{err: err})
		return
	}
	if op.busy { // its client has not returned from a request that was given up
		op.state = StateWaiting
		return
	}
	l.queue(op)
}

// withdrawn lets an operation go on whose request's context has ended. What is reported of the request later is stale.
func (l *loop) withdrawn(op *operation) {
	if op.caller && op.state != StateWaiting { // it answers itself, or has been answered
		return
	}
	if op.queued {
		op.queued = false
		defer op.call.host.withdraw() // once it waits no more
	}
	switch op.state {
	case StateRequesting:
		l.totals.WaitResponse += l.now.Sub(op.since)
		fallthrough
	case StateWaiting, StateSettling:
		l.makeReady(op, l.givenUp(op))
	}
}

// queue puts an operation's call behind the others for its host.
func (l *loop) queue(op *operation) {
	h := op.call.host
	op.state, op.queued = StateWaiting, true
	h.waiting.push(ticket{op, op.call.seq})
	if l.hosts.full(h) || h.index >= 0 { // others wait too
		l.tellWait(op)
		return
	}
	l.await(h)
}

// tellWait tells what a request waits for. One that goes out at once does not wait.
func (l *loop) tellWait(op *operation) {
	if wait := l.waitOf(op); wait.Until.After(l.now) || wait.Rule == RuleBusyHost || !l.room() {
		l.tell(op, scraperutils.Event{Kind: scraperutils.EventWaiting, Host: op.call.host.name, Request: op.call.request, Wait: wait})
	}
}

// await finds out when the first call that waits for a host may go out. Where the host is down, none may.
func (l *loop) await(h *host) {
	for !l.hosts.full(h) && h.index < 0 {
		first := h.head()
		if first == nil {
			l.hosts.release(h, l.now)
			return
		}
		h.next = h.pace.Earliest()
		if h.next.Err == nil || h.next.Over(l.now) {
			if h.next.Until.Before(l.now) {
				h.next.Until = l.now // who was due first goes first where there is no room for all
			}
			l.hosts.push(h)
			l.tellWait(first)
			return
		}
		h.waiting.pop()
		first.queued = false
		l.makeReady(first, answer{err: h.next.Err})
	}
}

// sendDue sends what is due, the earliest first, while there is room.
func (l *loop) sendDue() {
	for l.room() {
		h := l.hosts.first()
		if h == nil || h.next.Until.After(l.now) {
			return
		}
		l.hosts.remove(h)
		if first := h.head(); first != nil {
			h.waiting.pop()
			l.send(first, h)
		}
		l.await(h) // for the next one, or nobody
	}
}

func (l *loop) send(op *operation, h *host) {
	l.totals.WaitDelay += l.now.Sub(op.since)
	op.state, op.since = StateRequesting, l.now
	op.call.try++
	op.requests++
	op.queued, op.busy = false, true
	h.inFlight++
	l.inFlight++
	h.pace.Sent(l.now)
	l.tell(op, scraperutils.Event{Kind: scraperutils.EventSent, Host: h.name, Request: op.call.request})
	op.job = op.call
	if op.caller {
		op.answers <- answer{job: true} // there is room: the answer comes when the caller has told what came of it
		return
	}
	op.jobs <- struct{}{}
}

// answered takes what came of a request: the host is free, and the operation gets its answer unless it is to try again.
func (l *loop) answered(m *message) {
	op, h, o := m.op, m.op.job.host, m.op.outcome
	op.outcome = scraperutils.Outcome{} // a page may be large: only its scraper keeps it
	l.inFlight--
	h.inFlight--
	op.busy = false
	again := h.pace.Observe(o)
	if h.index >= 0 { // where it may have several requests in flight, the answer may move the next one
		l.hosts.remove(h)
	}
	switch {
	case op.state == StateRequesting && op.call.seq == m.seq:
		e := scraperutils.Event{Kind: scraperutils.EventAnswered, Host: h.name, Request: o.Request, Status: o.Status(), Took: o.Took(), Err: o.Err}
		l.tell(op, e)
		l.totals.WaitResponse += l.now.Sub(op.since)
		if again && op.call.ctx.Err() == nil && !l.unwinding {
			op.state, op.since, op.queued = StateWaiting, l.now, true
			h.waiting.pushFront(ticket{op, op.call.seq})
			e.Kind = scraperutils.EventRetried
			l.tell(op, e)
		} else {
			op.state, op.answer = StateSettling, answer{response: o.Response, err: o.Err}
		}
	case op.state == StateWaiting: // a later call, which waited for this
		l.queue(op)
	}
	l.await(h)
}

// settled lets an operation go on whose answer has come and whose saves are committed, or tells it why they are not.
func (l *loop) settled(m *message) {
	op := m.op
	if op.state != StateSettling || op.call.seq != m.seq {
		if m.err != nil && !errors.Is(m.err, context.Cause(op.ctx)) { // where the wait was cut short, they are settled at the end
			op.unsaved = errors.Join(op.unsaved, m.err)
		}
		return
	}
	a := op.answer
	if m.err != nil {
		a = answer{err: m.err}
	}
	if op.unsaved != nil {
		a, op.unsaved = answer{err: errors.Join(op.unsaved, m.err)}, nil
	}
	l.makeReady(op, a)
}

// waitOf says what an operation's request waits for.
func (l *loop) waitOf(op *operation) scraperutils.Wait {
	h := op.call.host
	switch {
	case l.hosts.full(h) || h.head() != op:
		return scraperutils.Wait{Rule: RuleBusyHost}
	case h.next.Until.After(l.now):
		return h.next
	default:
		return scraperutils.Wait{Rule: RuleRequests}
	}
}

// These are the loop's own reasons to wait. The Pacer has those of politeness.
const (
	RuleBusyHost = "busy host"  // the host answers another request first
	RuleRequests = "I/O limit"  // MaxRequests are in flight
	RuleTurn     = "turn"       // MaxRunning scrapers run
	RuleCommit   = "commit"     // its saves are being written
	RuleServer   = "server"     // the host is answering
	RuleWorkers  = "MaxWorkers" // as many operations as allowed are alive
)
