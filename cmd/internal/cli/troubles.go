package cli

import (
	"slices"
	"sync"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
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

// What is listed of what was told.
const (
	lately     = 10 * time.Minute
	mostLately = 10
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

// Lately returns what was told in the last ten minutes, the last first, ten texts at most and without user information.
func (t *Troubles) Lately(now time.Time) (all []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for text, at := range t.told {
		if now.Sub(at) < lately {
			all = append(all, text)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return t.told[b].Compare(t.told[a]) })
	all = all[:min(len(all), mostLately)]
	for i := range all {
		all[i] = scraperutils.WithoutUser(all[i])
	}
	return all
}
