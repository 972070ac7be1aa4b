package browser

import (
	"slices"
	"sync"
	"time"
)

// status is what a page is doing. Its methods may be called from any goroutine.
type status struct {
	mu  sync.Mutex
	now PageStatus // owned by mu
}

func (s *status) set(f func(*PageStatus)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.now)
}

func (s *status) phase(p Phase, now time.Time) {
	s.set(func(s *PageStatus) { s.Phase, s.Since = p, now })
}

func (s *status) get() PageStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// Status returns what each page is doing, the oldest page first. It may be called from any goroutine.
func (b *Browser) Status() []PageStatus {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []PageStatus
	for s := range b.watched {
		all = append(all, s.get())
	}
	slices.SortFunc(all, func(a, b PageStatus) int { return a.Began.Compare(b.Began) })
	return all
}

func (b *Browser) watch(s *status) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.watched[s] = true
}

func (b *Browser) unwatch(s *status) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.watched, s)
}
