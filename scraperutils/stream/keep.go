package stream

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// see reads all leases, notes which have changed since the last time, and adds those that are missing.
func (w *crew) see(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, max(w.Lease/3, time.Second))
	defer cancel()
	rows, err := w.Leases.List(ctx)
	if err != nil {
		return err
	}
	now, seen := time.Now(), map[string]Lease{}
	for _, l := range rows {
		if l.Shard == Start {
			continue
		}
		seen[l.Shard] = l
		before, known := w.leases[l.Shard]
		if !known {
			w.first[l.Shard] = now
		}
		if !known || before.Owner != l.Owner || before.Beat != l.Beat || before.Fence != l.Fence {
			w.since[l.Shard] = now
		}
	}
	var missing []Lease
	for id := range w.shards {
		if _, ok := seen[id]; !ok {
			missing = append(missing, Lease{Shard: id})
			seen[id] = Lease{Shard: id}
			w.since[id], w.first[id] = now, now
		}
	}
	for id := range w.leases {
		if _, ok := seen[id]; !ok {
			delete(w.since, id)
			delete(w.first, id)
		}
	}
	w.leases = seen
	if len(missing) == 0 {
		return nil
	}
	slices.SortFunc(missing, func(a, b Lease) int { return strings.Compare(a.Shard, b.Shard) })
	return w.Leases.Add(ctx, missing)
}

// renew says of each lease that is ours that it still is, unless a checkpoint has just said so. A reader whose lease is lost ends.
func (w *crew) renew(ctx context.Context) {
	var quiet []Lease
	at := w.clock()
	for id, h := range w.held {
		l, ok := w.leases[id]
		switch {
		case ok && (l.Fence > h.lease.Fence || l.Fence == h.lease.Fence && l.Owner != w.Name):
			h.cancel(ErrLost)
		case time.Duration(at-h.beat.Load()) >= w.tick():
			quiet = append(quiet, h.lease)
		}
	}
	if len(quiet) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, max(w.Lease/3, time.Second))
	defer cancel()
	lost, err := w.Leases.Renew(ctx, quiet)
	if err != nil {
		w.age(err)
		return
	}
	for _, l := range quiet {
		if slices.Contains(lost, l.Shard) {
			w.held[l.Shard].cancel(ErrLost)
		} else {
			w.held[l.Shard].alive(at)
		}
	}
}

// age ends readers whose leases nobody could renew for so long that they are others' by now.
func (w *crew) age(err error) {
	for _, h := range w.held {
		if time.Duration(w.clock()-h.beat.Load()) >= w.Lease {
			h.cancel(errors.Join(ErrLost, err))
		}
	}
}

// clock is the time since the crew began, which nobody sets.
func (w *crew) clock() int64 { return int64(time.Since(w.began)) }

// alive notes that a lease was kept at a time of the crew's clock.
func (h *holding) alive(at int64) {
	for {
		before := h.beat.Load()
		if at <= before || h.beat.CompareAndSwap(before, at) {
			return
		}
	}
}
