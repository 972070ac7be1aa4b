package scheduler

// Steps is how many steps the loop of a running scheduler has taken. To ask is one more.
func (s *Scheduler) Steps() int {
	s.mu.Lock()
	l := s.loop
	s.mu.Unlock()
	steps := make(chan int, 1)
	l.post(message{kind: messageCommand, command: func() { steps <- l.steps }})
	return <-steps
}

// Hosts is how many hosts a scheduler remembers that does not run.
func (s *Scheduler) Hosts() int { return len(s.hosts.byName) }
