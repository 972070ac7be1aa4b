package scheduler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Serve runs the loop for callers of Execute, and for registered operations, until ctx ends. Then it takes no new requests, gives up
// those that wait, and gives those in flight the grace period to end. The error says that nothing was served, or how many requests were
// still in flight.
func (s *Scheduler) Serve(ctx context.Context) error {
	l, err := s.begin(ctx, true)
	if err != nil {
		return err
	}
	l.run()
	s.end()
	if l.callers > 0 {
		return fmt.Errorf("%w: %d requests were still in flight after %s", ErrEnded, l.callers, s.config.Grace)
	}
	return nil
}

// Execute does a request through client when politeness allows it, in the calling goroutine. It returns the client's own response, error,
// or both. Any number of goroutines may call it while the scheduler runs or serves. Before that, it waits for the scheduler to begin.
//
// If the context of a request ends while it waits, Execute gives the request up and returns the cause. ErrEnded means that the scheduler
// has ended. A *CrowdedError means that enough other requests already wait for the host.
func (s *Scheduler) Execute(ctx context.Context, client Client, r *scraperutils.Request) (*scraperutils.Response, error) {
	response, _, err := s.Ask(ctx, client, r)
	return response, err
}

// Ask is like Execute, and also returns when the host may be asked next, as Wait would right after the answer. If the scheduler has
// ended, that is the zero Wait.
func (s *Scheduler) Ask(ctx context.Context, client Client, r *scraperutils.Request) (*scraperutils.Response, scraperutils.Wait, error) {
	if err := executable(client, r); err != nil {
		return nil, scraperutils.Wait{}, err
	}
	l, err := s.serving(ctx)
	if err != nil {
		return nil, scraperutils.Wait{}, notSent(r, err)
	}
	op, ok := s.callers.Get().(*operation)
	if !ok {
		op = newCaller()
	}
	a, answered := op.executeHere(l, ctx, client, r)
	if !answered { // the loop may still hold it
		return a.response, scraperutils.Wait{}, a.err
	}
	next := op.next
	s.callers.Put(op)
	return a.response, next, a.err
}

// serving returns the loop. It waits for one to begin.
func (s *Scheduler) serving(ctx context.Context) (*loop, error) {
	s.mu.Lock()
	l, begun := s.loop, s.begun
	s.mu.Unlock()
	if l != nil {
		return l, nil
	}
	select {
	case <-begun:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loop == nil {
		return nil, ErrEnded
	}
	return s.loop, nil
}

// executeHere is a caller's way through the loop: what an operation's scraper and I/O goroutine do, in one. Not answered: the loop has
// ended first.
func (op *operation) executeHere(l *loop, ctx context.Context, client Client, r *scraperutils.Request) (a answer, answered bool) {
	op.call.ctx, op.call.client, op.call.request = ctx, client, r
	op.to, op.loop, op.ctx = scraperutils.HostOf(r.URL), l, ctx
	l.post(message{kind: messageCall, op: op})
	over := ctx.Done()
	for {
		select {
		case next := <-op.answers:
			if !next.job {
				return next, true
			}
			a = op.requestHere()
		case <-over:
			over = nil // the loop answers once
			l.post(message{kind: messageWithdrawal, op: op})
		case <-l.done:
			if a.response == nil && a.err == nil {
				a.err = notSent(r, ErrEnded)
			}
			return a, false
		}
	}
}

// requestHere does the job and tells the loop what came of it.
func (op *operation) requestHere() answer {
	op.outcome = scraperutils.Outcome{Request: op.job.request, Started: time.Now(), Try: op.job.try}
	returned := false
	defer func() {
		if !returned { // its goroutine ends here: the host must not wait for it
			op.answered(nil, errGoexit)
		}
	}()
	response, err := op.job.do()
	returned = true
	op.answered(response, err)
	return answer{response: response, err: err}
}

// CrowdedError reports a request that was refused because enough others wait for its host.
type CrowdedError struct {
	Host    scraperutils.Host
	Waiting int
	Until   time.Time // when the next of them may go out, if known
}

func (e *CrowdedError) Error() string {
	s := fmt.Sprintf("%d requests wait for %s", e.Waiting, e.Host)
	if !e.Until.IsZero() {
		s += ", the next one until " + e.Until.Format(time.RFC3339)
	}
	return s
}

// crowded is the error for another call to a host, or nil.
func (l *loop) crowded(op *operation) error {
	h := op.call.host
	waiting := h.waiting.len() - h.void
	if !op.caller || l.config.MaxWaiting <= 0 || waiting < l.config.MaxWaiting {
		return nil
	}
	until := h.pace.Earliest().Until
	if until.Before(l.now) {
		until = l.now
	}
	return &CrowdedError{Host: h.name, Waiting: waiting, Until: until}
}

// served gives a caller its answer. It needs no turn.
func (l *loop) served(op *operation, a answer) {
	l.callers--
	l.totals.Calls++
	op.state, op.answer, op.next = StateRunning, answer{}, op.call.host.pace.Earliest()
	op.call.ctx, op.call.client, op.call.request, op.job = nil, nil, nil, call{}
	op.answers <- a // there is room: one call, one answer
}

// giveUpCallers answers callers that wait when the loop ends. Those in flight answer themselves.
func (l *loop) giveUpCallers() {
	for _, h := range l.hosts.byName {
		for range h.waiting.len() {
			if t := h.waiting.pop(); t.op.caller && t.valid() {
				l.makeReady(t.op, l.givenUp(t.op))
			} else {
				h.waiting.push(t)
			}
		}
	}
}

// executable is the error for a request that can't be done.
func executable(client Client, r *scraperutils.Request) error {
	if client == nil || r == nil || r.URL == nil {
		return errors.New("execute request: a client and a request with a URL are needed")
	}
	return nil
}
