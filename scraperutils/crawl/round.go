package crawl

import (
	"context"
	"errors"
	"sync"
	"time"
)

// round is one run of a worker: its leases.
type round struct {
	worker    *Worker
	flight    context.Context // of requests: outlives the run by its grace
	committer *committer
	hosts     sync.WaitGroup // a goroutine for each lease
	freed     chan struct{}  // has a token when a host has been given back since the last look

	mu   sync.Mutex // guards the rest
	runs map[int64]*hostRun
}

// claim claims hosts as long as ctx lasts. It returns errNothingLeft where no host has anything to do.
func (r *round) claim(ctx context.Context) error {
	w := r.worker
	for ctx.Err() == nil {
		free := w.Hosts - r.count()
		var leases []Lease
		if free > 0 {
			err := w.patiently(ctx, "claim hosts", func() (err error) {
				now := time.Now()
				leases, err = w.Frontier.Claim(ctx, now, Claim{Worker: w.Name, Hosts: free, URLs: w.URLs, Until: now.Add(w.Lease)})
				return err
			})
			if err != nil {
				return err
			}
		}
		r.start(ctx, leases, free)
		if len(leases) > 0 && len(leases) == free {
			free = 0
		}
		if err := r.rest(ctx, free > 0); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// start begins a goroutine for each lease. Where as many came as were asked for, more hosts may wait for a place.
func (r *round) start(ctx context.Context, leases []Lease, asked int) {
	for _, l := range leases {
		h := newHostRun(r, l, len(leases) == asked)
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
	select {
	case r.freed <- struct{}{}:
	default:
	}
}

func (r *round) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.runs)
}

// rest waits until there may be something to claim: a host is due, somebody has added URLs, or, where all places were taken, one is free.
func (r *round) rest(ctx context.Context, room bool) error {
	w := r.worker
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
			case due.IsZero() && idle && filled && !w.Rules.Keep:
				return errNothingLeft
			case !due.IsZero() && !due.After(time.Now()):
				return nil
			case !due.IsZero():
				wait = min(wait, time.Until(due))
			}
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-r.freed:
			if !room {
				timer.Stop()
				return nil
			}
		case <-w.Wake:
		case <-ctx.Done():
		}
		timer.Stop()
	}
	return context.Cause(ctx)
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
