package scheduler

// Hold has n more requests count as in flight than are, n fewer where it is below zero. What a caller of Execute makes of an answer may
// take time to become durable: with its request counted until then, MaxRequests bounds what a crash has to do again.
//
// A Client that holds its request before it returns leaves no gap between the two. Hold may be called from any goroutine.
func (s *Scheduler) Hold(n int) {
	s.held.Add(int64(n))
	if n >= 0 {
		return
	}
	s.mu.Lock()
	l := s.loop
	s.mu.Unlock()
	if l != nil {
		l.nudge() // there is room
	}
}

// Held returns which part of MaxRequests is held, from 0 to 1.
func (s *Scheduler) Held() float64 { return float64(s.held.Load()) / float64(s.config.MaxRequests) }

// room reports whether another request may be sent.
func (l *loop) room() bool { return l.inFlight+int(l.held.Load()) < l.config.MaxRequests }
