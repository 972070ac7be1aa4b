package scheduler

import (
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// OperationStatus says what one operation is doing.
type OperationStatus struct {
	Label   string
	State   State
	Since   time.Time         // when its request was handed over or sent; zero before the first
	Host    scraperutils.Host // of its latest request
	Wait    scraperutils.Wait // what it waits for, by which rule, and until when, if known
	Pages   int               // requests sent
	Records int               // saved
	Err     error             // the error of an operation that has ended
}

// Wait returns when a host may be asked next, and by which rule. For a host that the scheduler does not remember, it returns the zero
// Wait. It may be called at any time, from any goroutine but the loop's own.
func (s *Scheduler) Wait(host scraperutils.Host) scraperutils.Wait {
	return look(s, func() scraperutils.Wait {
		if h := s.hosts.byName[host]; h != nil {
			return h.pace.Earliest()
		}
		return scraperutils.Wait{}
	})
}

// Snapshot returns what each operation is doing, in order of registration. It may be called at any time, from any goroutine
// but the loop's own.
func (s *Scheduler) Snapshot() []OperationStatus {
	return look(s, func() []OperationStatus {
		if s.loop != nil {
			return s.loop.snapshot()
		}
		return statuses(s.operations)
	})
}

// look looks at what belongs to the loop: in its goroutine, or in this one where there is no loop.
func look[T any](s *Scheduler, at func() T) T {
	for {
		s.mu.Lock()
		l := s.loop
		if l == nil {
			defer s.mu.Unlock()
			return at()
		}
		s.mu.Unlock()
		answer := make(chan T, 1)
		l.post(message{kind: messageCommand, command: func() { answer <- at() }})
		select {
		case v := <-answer:
			return v
		case <-l.done: // it has just ended
		}
	}
}

func statuses(operations []*operation) []OperationStatus {
	all := make([]OperationStatus, len(operations))
	for i, op := range operations {
		all[i] = op.status()
	}
	return all
}

func (l *loop) snapshot() []OperationStatus {
	all := statuses(l.operations)
	for i, op := range l.operations {
		switch op.state {
		case StateRegistered:
			all[i].Wait.Rule = RuleWorkers
		case StateReady:
			all[i].Wait.Rule = RuleTurn
		case StateWaiting:
			all[i].Wait = l.waitOf(op)
		case StateRequesting:
			all[i].Wait.Rule = RuleServer
		case StateSettling, StateFinishing:
			all[i].Wait.Rule = RuleCommit
		}
	}
	return all
}

func (op *operation) status() OperationStatus {
	s := OperationStatus{
		Label: op.label,
		State: op.state,
		Since: op.since,
		Pages: op.requests,
		Err:   op.result.Err,
	}
	if op.call.host != nil {
		s.Host = op.call.host.name
	}
	if op.ledger != nil {
		s.Records = op.ledger.Saved()
	}
	return s
}
