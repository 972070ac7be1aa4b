package frontiertest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// Announce implements crawl.Frontier.
func (o *opened) Announce(ctx context.Context, now time.Time, w crawl.WorkerStatus) (stop bool, err error) {
	m, err := o.enter(ctx)
	if err != nil {
		return false, err
	}
	defer m.mu.Unlock()
	m.forgetSilent(now)
	w.Since, w.Seen, w.Stop = crawl.TimeOf(crawl.Millis(w.Since)), crawl.TimeOf(crawl.Millis(now)), m.workers[w.Name].Stop
	m.workers[w.Name] = w
	return w.Stop, nil
}

// forgetSilent forgets those that have died.
func (m *Memory) forgetSilent(now time.Time) {
	for name, w := range m.workers {
		if w.Seen.Before(crawl.TimeOf(crawl.Millis(now)).Add(-crawl.SilentFor)) {
			delete(m.workers, name)
		}
	}
}

// Leave implements crawl.Frontier.
func (o *opened) Leave(ctx context.Context, name string) error {
	m, err := o.enter(ctx)
	if err != nil {
		return err
	}
	defer m.mu.Unlock()
	delete(m.workers, name)
	return nil
}

// Workers implements crawl.Frontier.
func (o *opened) Workers(ctx context.Context, now time.Time) (all []crawl.WorkerStatus, err error) {
	m, err := o.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	m.forgetSilent(now)
	for _, w := range m.workers {
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b crawl.WorkerStatus) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

// StopWorkers implements crawl.Frontier.
func (o *opened) StopWorkers(ctx context.Context, now time.Time) (int, error) {
	m, err := o.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer m.mu.Unlock()
	m.forgetSilent(now)
	for name, w := range m.workers {
		w.Stop = true
		m.workers[name] = w
	}
	return len(m.workers), nil
}
