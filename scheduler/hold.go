package scheduler

// Hold makes n more requests count as in flight; a negative n makes fewer count. The result of a call of Execute may take time to become
// durable. If the caller keeps the request counted until then, MaxRequests bounds the work that a crash repeats.
//
// If a Client holds its request before it returns, there is no gap between the two. Hold may be called from any goroutine.
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

// Held returns how many requests are held.
func (s *Scheduler) Held() int { return int(s.held.Load()) }

// MaxRequests returns how many requests may be in flight at once, with those that are held.
func (s *Scheduler) MaxRequests() int { return s.config.MaxRequests }

// room reports whether another request may be sent.
func (l *loop) room() bool { return l.inFlight+int(l.held.Load()) < l.config.MaxRequests }
