package family

import (
	"context"
	"errors"
	"sync"
)

// errByHand is why a site failed that somebody has stopped. It gets no second attempt.
var errByHand = errors.New("stopped by hand")

// stops is which sites of a run somebody has stopped. The zero value has none. Its methods may be called from any goroutine.
type stops struct {
	mu      sync.Mutex // guards the rest
	stopped map[string]bool
	going   map[string]context.CancelCauseFunc // what ends those that run
}

// stop ends a site of the run: at once if it runs, else as soon as it begins.
func (s *stops) stop(label string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped == nil {
		s.stopped = map[string]bool{}
	}
	s.stopped[label] = true
	if end := s.going[label]; end != nil {
		end(errByHand)
	}
}

// begin returns the context of a site that begins, which ends once it is stopped. The caller must call ended.
func (s *stops) begin(ctx context.Context, label string) (_ context.Context, ended func()) {
	ctx, end := context.WithCancelCause(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.going == nil {
		s.going = map[string]context.CancelCauseFunc{}
	}
	s.going[label] = end
	if s.stopped[label] {
		end(errByHand)
	}
	return ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.going, label)
		end(nil)
	}
}

// asked reports whether a site was stopped.
func (s *stops) asked(label string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped[label]
}
