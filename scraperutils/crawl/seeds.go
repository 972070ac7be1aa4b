package crawl

import (
	"context"
	"sync"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/scope"
)

// seedHosts knows which hosts were added: all that were when the worker began, those of the URLs that it fetches, and every few seconds
// those that others have added since. Its methods may be called from any goroutine.
type seedHosts struct {
	kind scope.Kind

	mu    sync.RWMutex // guards names
	names map[string]bool
}

func newSeedHosts(kind scope.Kind) *seedHosts {
	return &seedHosts{kind: kind, names: map[string]bool{}}
}

// needed reports whether it matters which hosts were added.
func (s *seedHosts) needed() bool { return s.kind == scope.Host || s.kind == scope.Domain }

func (s *seedHosts) has(name string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.names[name]
}

func (s *seedHosts) learn(hosts ...scraperutils.Host) {
	if !s.needed() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range hosts {
		s.names[s.kind.NameOf(h)] = true
	}
}

// load asks the frontier, and returns how long that took.
func (s *seedHosts) load(ctx context.Context, f Frontier) (time.Duration, error) {
	began := time.Now()
	hosts, err := f.Seeds(ctx)
	s.learn(hosts...)
	return time.Since(began), err
}

// seedPause is how long the frontier is not asked again for what was added; where the answer takes long, a hundred times that.
const seedPause = 5 * time.Second

// follow asks the frontier again and again while ctx lasts.
func (s *seedHosts) follow(ctx context.Context, f Frontier) {
	for pause := seedPause; ; {
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		took, _ := s.load(ctx, f) // it is asked again; where it is gone for good, others say so
		pause = max(seedPause, 100*took)
	}
}
