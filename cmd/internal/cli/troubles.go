package cli

import (
	"sync"
	"time"
)

// Troubles knows what was told lately: what fails for hours is tried again every few seconds.
type Troubles struct {
	mu   sync.Mutex // guards the rest
	told map[string]time.Time
}

// How often the same is told, and of how much that is known.
const (
	tellAgain = time.Minute
	mostKnown = 100
)

// News reports whether a text is to be told.
func (t *Troubles) News(text string, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at, ok := t.told[text]; ok && now.Sub(at) < tellAgain {
		return false
	}
	if t.told == nil || len(t.told) == mostKnown {
		t.told = map[string]time.Time{}
	}
	t.told[text] = now
	return true
}
