package stream

import (
	"context"
	"errors"
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
