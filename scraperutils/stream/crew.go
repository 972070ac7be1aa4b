package stream

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// crew is what a process does of a stream: which shards it has, and a reader for each. Its fields are those of the goroutine that calls
// run, but where it is said otherwise.
type crew struct {
	Consumer // does not change

	start     Position // of shards that have no checkpoint; does not change after begin
	began     time.Time
	shards    map[string]Shard     // as they were listed last
	listed    time.Time            // when; zero: they are to be listed
	leases    map[string]Lease     // as they were seen last
	since     map[string]time.Time // they stand still
	first     map[string]time.Time // they were seen
	held      map[string]*holding
	ended     chan *holding // readers that have returned
	firstRead sync.Once
	read      chan struct{} // closed at the first read of any reader
}

// holding is a lease that is ours, and its reader.
type holding struct {
	lease  Lease // as it was taken; the reader's
	beat   atomic.Int64
	cancel context.CancelCauseFunc // ends the reader at once
	stop   chan struct{}           // closed: finish the record at hand; by leave
	drain  chan struct{}           // closed: read no more; by leave
	left   leaving                 // how it was told to end
	err    error                   // why it ended; set before it is sent to ended
}

// leaving is how a reader is told to end.
type leaving int

const (
	stays   leaving = iota
	drains          // it handles what it has read
	stopped         // it finishes the record at hand
)

func newCrew(c Consumer) *crew {
	return &crew{
		Consumer: c, began: time.Now(), shards: map[string]Shard{}, leases: map[string]Lease{}, since: map[string]time.Time{}, first: map[string]time.Time{},
		held: map[string]*holding{}, ended: make(chan *holding), read: make(chan struct{}),
	}
}

// tick is how often leases are looked at: five looks that fail leave a lease in time to be renewed.
func (w *crew) tick() time.Duration { return min(w.Lease/6, 5*time.Second) }

// run takes leases and runs their readers until something ends that.
func (w *crew) run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var over <-chan time.Time
	first := w.read
	if w.Duration <= 0 {
		first = nil
	}
	for {
		select {
		case <-ctx.Done():
			return w.leave(ctx, stopped, context.Cause(ctx))
		case <-over:
			return w.leave(ctx, drains, nil)
		case <-first:
			first, over = nil, time.After(w.Duration)
			continue
		case h := <-w.ended:
			if done, err := w.finished(h); done {
				return w.leave(ctx, stopped, err)
			}
		case <-timer.C:
		}
		done, err := w.look(ctx)
		if done {
			return w.leave(ctx, stopped, err)
		}
		timer.Reset(w.tick())
	}
}

// finished takes back a shard whose reader has ended. It reports whether that ends everything.
func (w *crew) finished(h *holding) (done bool, err error) {
	delete(w.held, h.lease.Shard)
	switch {
	case errors.Is(h.err, ErrLost):
		w.tell(Event{What: Lost, Shard: h.lease.Shard, Err: h.err})
	case h.err != nil:
		return true, h.err
	default:
		w.listed = time.Time{} // it may have children by now
	}
	return false, nil
}

// leave ends all readers, keeps their leases alive meanwhile, and returns why it did, or what went wrong then.
func (w *crew) leave(ctx context.Context, how leaving, why error) error {
	for _, h := range w.held {
		h.leave(how)
	}
	grace := time.NewTimer(w.Grace)
	defer grace.Stop()
	if how == drains {
		grace.Stop()
	}
	renew := time.NewTicker(w.tick())
	defer renew.Stop()
	asked := ctx.Done()
	if ctx.Err() != nil {
		asked = nil
	}
	for len(w.held) > 0 {
		select {
		case h := <-w.ended:
			delete(w.held, h.lease.Shard)
			if why == nil && h.err != nil && !errors.Is(h.err, ErrLost) {
				why = h.err
			}
		case <-renew.C:
			w.renew(context.WithoutCancel(ctx))
		case <-asked: // while it drains
			asked = nil
			if why == nil {
				why = context.Cause(ctx)
			}
			for _, h := range w.held {
				h.leave(stopped)
			}
			grace.Reset(w.Grace)
		case <-grace.C:
			for _, h := range w.held {
				h.cancel(errors.New("it took too long to stop"))
			}
		}
	}
	return why
}

// leave tells a reader to end.
func (h *holding) leave(how leaving) {
	if h.left < drains {
		close(h.drain)
	}
	if h.left < stopped && how == stopped {
		close(h.stop)
	}
	h.left = max(h.left, how)
}

// look looks at shards and leases, keeps ours alive, and takes what is our share. It reports whether there is nothing more to do.
func (w *crew) look(ctx context.Context) (done bool, err error) {
	if w.listed.IsZero() || time.Since(w.listed) >= discoverEvery {
		if _, err := w.discover(ctx); err != nil && ctx.Err() == nil {
			if reason := ReasonOf(err); reason == Gone || reason == Refused {
				return true, err
			}
			w.tell(Event{What: Troubled, Reason: ReasonOf(err), Err: err})
		}
	}
	if err := w.see(ctx); err != nil {
		w.age(err)
		if ctx.Err() == nil {
			w.tell(Event{What: Troubled, Reason: Trouble, Err: err})
		}
		return false, nil
	}
	w.renew(ctx)
	if w.Shard != "" && w.leases[w.Shard].Checkpoint == End {
		return true, nil
	}
	return w.share(ctx)
}

// discover lists shards. Each gets a lease, with nothing in it.
func (w *crew) discover(ctx context.Context) (now time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	asked := time.Now()
	shards, now, err := w.Source.Shards(ctx)
	if err != nil {
		return now, err
	}
	clear(w.shards)
	for _, s := range shards {
		if w.Shard == "" || w.Shard == s.ID {
			w.shards[s.ID] = s
		}
	}
	if len(w.shards) == 0 && w.Shard != "" {
		return now, &SourceError{Gone, errors.New("the stream has no shard " + w.Shard)}
	}
	w.listed = asked
	return now, nil
}

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
