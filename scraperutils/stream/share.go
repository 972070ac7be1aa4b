package stream

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"
)

// share takes leases up to our share, asks for one more where others have too many, and gives up those that we are asked for. It
// reports whether a shard that is gone ends everything.
func (w *crew) share(ctx context.Context) (done bool, err error) {
	w.handOver()
	if err := w.forget(ctx); err != nil {
		return true, err
	}
	open := w.open()
	owners := w.owners(open)
	mine, most := owners[w.Name], (len(open)+len(owners)-1)/len(owners)
	for _, id := range open {
		l := w.leases[id]
		reserved := l.Owner == "" && l.Next == w.Name || l.Owner == w.Name
		if w.held[id] != nil || !reserved && (!w.free(l) || mine >= most) {
			continue
		}
		if w.take(ctx, l) && !reserved {
			mine++
		}
	}
	if mine < most {
		w.ask(ctx, open, owners, mine)
	}
	return false, nil
}

// open lists shards that have records to be handled now: they are not at their end, and all of their parents are.
func (w *crew) open() (ids []string) {
	for id, s := range w.shards {
		ready := w.leases[id].Checkpoint != End
		for _, parent := range s.Parents {
			_, kept := w.shards[parent]
			ready = ready && (!kept || w.leases[parent].Checkpoint == End)
		}
		if ready {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	// Those who start together do not all begin with the same one.
	rand.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids
}

// owners counts the shards of everybody who lives, those that they have asked for among them. We are always one.
func (w *crew) owners(open []string) map[string]int {
	n := map[string]int{w.Name: 0}
	for _, id := range open {
		l := w.leases[id]
		switch {
		case w.dead(l):
		case l.Next != "":
			n[l.Next]++
		case l.Owner != "":
			n[l.Owner]++
		}
		if l.Owner != "" && !w.dead(l) {
			n[l.Owner] += 0
		}
	}
	return n
}

// dead reports whether a lease has stood still for so long that whoever it belongs to is dead.
func (w *crew) dead(l Lease) bool {
	return time.Since(w.since[l.Shard]) >= w.Lease
}

// free reports whether anybody may take a lease.
func (w *crew) free(l Lease) bool {
	return l.Owner == "" && l.Next == "" || w.dead(l)
}

// take takes a lease, where nobody else does, and starts its reader.
func (w *crew) take(ctx context.Context, seen Lease) bool {
	if ctx.Err() != nil {
		return false
	}
	at := w.clock()
	l, err := w.Leases.Take(ctx, seen, w.Name)
	if err != nil {
		if !errors.Is(err, ErrLost) && ctx.Err() == nil {
			w.tell(Event{What: Troubled, Shard: seen.Shard, Reason: Trouble, Err: err})
		}
		return false
	}
	w.leases[l.Shard], w.since[l.Shard] = l, time.Now()
	hard, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	h := &holding{lease: l, cancel: cancel, stop: make(chan struct{}), drain: make(chan struct{})}
	h.beat.Store(at)
	w.held[l.Shard] = h
	w.tell(Event{What: Taken, Shard: l.Shard})
	go func() {
		defer cancel(nil)
		r := newReader(w, h)
		h.err = r.run(hard)
		w.ended <- h
	}()
	return true
}

// ask puts our name down for a shard of the one who has the most of them.
func (w *crew) ask(ctx context.Context, open []string, owners map[string]int, mine int) {
	var richest Lease
	for _, id := range open {
		l := w.leases[id]
		if l.Owner == "" || l.Owner == w.Name || l.Next != "" || w.dead(l) || owners[l.Owner] <= mine+1 {
			continue
		}
		if richest.Owner == "" || owners[l.Owner] > owners[richest.Owner] {
			richest = l
		}
	}
	if richest.Owner == "" {
		return
	}
	if err := w.Leases.Ask(ctx, richest, w.Name); err != nil && !errors.Is(err, ErrLost) && ctx.Err() == nil {
		w.tell(Event{What: Troubled, Shard: richest.Shard, Reason: Trouble, Err: err})
	}
}

// handOver ends the readers of shards that others have asked for: they release their leases, which are then for those to take.
func (w *crew) handOver() {
	for id, h := range w.held {
		if l := w.leases[id]; l.Owner == w.Name && l.Fence == h.lease.Fence && l.Next != "" {
			h.leave(stopped)
		}
	}
}

// forget removes leases of shards that the stream keeps no longer. Where one of them was not done to its end, its records are lost, which
// is an error, unless it was said where to go on.
func (w *crew) forget(ctx context.Context) error {
	for id, l := range w.leases {
		if _, kept := w.shards[id]; kept || w.Shard != "" || w.listed.IsZero() {
			continue
		}
		if w.first[id].After(w.listed) { // others have found it
			w.listed = time.Time{}
			return nil
		}
		switch {
		case l.Checkpoint == End:
			if err := w.Leases.Remove(ctx, id); err != nil && ctx.Err() == nil {
				w.tell(Event{What: Troubled, Shard: id, Reason: Trouble, Err: err})
			}
		case !w.free(l): // its owner will find out
		case w.OnLost == "":
			return &CheckpointError{id, l.Checkpoint, errors.New("the shard is gone")}
		default:
			if taken, err := w.Leases.Take(ctx, l, w.Name); err == nil {
				_ = w.Leases.Save(ctx, taken, End) // tried again at the next look
				w.tell(Event{What: Jumped, Shard: id, Text: "the shard is gone", Err: errors.New("its last records are lost")})
			}
		}
	}
	return nil
}
