package crawl

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// round is one run of a worker: its leases.
type round struct {
	worker    *Worker
	flight    context.Context // of requests: outlives the run by its grace
	committer *committer
	crew      *crew
	hosts     sync.WaitGroup // a goroutine for each lease
	news      chan struct{}  // has a token when a host has been given back, or URLs have been added, since the last look

	follower *follower
	pages    atomic.Int64 // visits that are over or in flight, of all runs of the frontier

	mu   sync.Mutex // guards the rest
	runs map[int64]*hostRun
}

// spent reports whether as many pages have been fetched as may be.
func (r *round) spent() bool {
	return r.worker.MaxPages > 0 && r.pages.Load() >= int64(r.worker.MaxPages)
}

// take takes the place of one page among those that may be fetched, if there is one.
func (r *round) take() bool {
	if n := r.pages.Add(1); r.worker.MaxPages > 0 && n > int64(r.worker.MaxPages) {
		r.pages.Add(-1)
		return false
	}
	return true
}

// claim claims hosts as long as ctx lasts. It returns errNothingLeft where no host has anything to do.
func (r *round) claim(ctx context.Context) error {
	w := r.worker
	appetite := appetite{crew: r.crew}
	for ctx.Err() == nil {
		free := w.Hosts - r.count()
		if r.spent() {
			free = 0
			if r.count() == 0 {
				return errNothingLeft
			}
		}
		asked := appetite.ask(max(free, 0))
		var leases []Lease
		if asked > 0 {
			err := w.patiently(ctx, "claim hosts", func() (err error) {
				now := time.Now()
				leases, err = w.Frontier.Claim(ctx, now, Claim{Worker: w.Name, Hosts: asked, URLs: w.URLs, Until: now.Add(w.Lease)})
				return err
			})
			if err != nil {
				return err
			}
		}
		appetite.fed(asked, len(leases))
		full := len(leases) > 0 && len(leases) == free // more hosts may wait for a place
		r.start(ctx, leases, full)
		if err := r.rest(ctx, free > 0 && !full, &appetite); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// start begins a goroutine for each lease.
func (r *round) start(ctx context.Context, leases []Lease, crowded bool) {
	for _, l := range leases {
		h := newHostRun(r, l, crowded)
		if slices.ContainsFunc(l.URLs, func(i Item) bool { return i.Depth == 0 }) {
			r.follower.seeds.learn(l.Host)
		}
		r.mu.Lock()
		r.runs[l.HostID] = h
		r.mu.Unlock()
		r.worker.active.Add(1)
		r.hosts.Go(func() {
			defer r.finished(h)
			h.run(ctx)
		})
	}
}

func (r *round) finished(h *hostRun) {
	r.mu.Lock()
	if r.runs[h.HostID] == h {
		delete(r.runs, h.HostID)
	}
	r.mu.Unlock()
	r.worker.active.Add(-1)
	signal(r.news)
}

func (r *round) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.runs)
}

// rest waits until there may be something to claim: a host is due, somebody has added URLs, or, where all places were taken, one is free.
func (r *round) rest(ctx context.Context, room bool, a *appetite) error {
	w := r.worker
	if room && a.politely() > 0 && a.extra > firstExtra {
		r.pause(ctx, extraPause, false)
	}
	for ctx.Err() == nil {
		wait := probe
		if room {
			idle, filled := r.count() == 0, w.filled()
			var due time.Time
			err := w.patiently(ctx, "ask for the next due time", func() (err error) {
				due, err = w.Frontier.Due(ctx)
				return err
			})
			switch {
			case err != nil:
				return err
			case idle && r.spent(), due.IsZero() && idle && filled && !w.Rules.Keep:
				return errNothingLeft
			case !due.IsZero() && time.Since(due) >= a.politely():
				return nil
			case !due.IsZero():
				wait = min(wait, time.Until(due)+a.politely())
			}
		}
		if r.pause(ctx, wait, !room) {
			return nil
		}
	}
	return context.Cause(ctx)
}

// pause waits for a time, or until it is woken or a host has been given back, which it reports where that is waited for.
func (r *round) pause(ctx context.Context, wait time.Duration, forPlace bool) (free bool) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.news:
		return forPlace
	case <-r.worker.Wake:
	case <-ctx.Done():
	}
	return false
}

// renew extends the leases while ctx lasts, and marks those that are lost.
func (r *round) renew(ctx context.Context) {
	w := r.worker
	ticker := time.NewTicker(w.Lease / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		held, runs := r.held()
		if len(held) == 0 {
			continue
		}
		now := time.Now()
		until := now.Add(w.Lease)
		lost, err := w.Frontier.Renew(ctx, now, until, held)
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				w.OnTrouble(err)
			}
			continue // those that can't be renewed send nothing more when they are nearly over
		}
		for _, id := range lost {
			runs[id].lost.Store(true)
		}
		for _, h := range runs {
			if !h.lost.Load() {
				h.until.Store(until.UnixMilli())
			}
		}
	}
}

func (r *round) held() ([]Held, map[int64]*hostRun) {
	r.mu.Lock()
	defer r.mu.Unlock()
	held, runs := make([]Held, 0, len(r.runs)), make(map[int64]*hostRun, len(r.runs))
	for id, h := range r.runs {
		held = append(held, h.Held)
		runs[id] = h
	}
	return held, runs
}
