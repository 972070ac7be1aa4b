package stream

import (
	"context"
	"errors"
	"time"
)

// handle has records handled, in order, each as often as it takes, and saves what is done. It reports whether all of them are.
func (r *reader) handle(ctx context.Context, records []Record, behind time.Duration) (all bool, err error) {
	tries, restarts := 0, 0
	for len(records) > 0 {
		began := time.Now()
		done, failed := r.Handler.Handle(ctx, Batch{Shard: r.shard, Records: records, Behind: behind, Stop: r.h.stop})
		done = min(max(done, 0), len(records))
		if done > 0 {
			tries, restarts = 0, 0
			if err := r.done(ctx, records[done-1]); err != nil {
				return false, err
			}
			r.tell(Event{What: Handled, Shard: r.shard, Sequence: r.saved, Records: done, Behind: behind, Took: time.Since(began)})
			records = records[done:]
		}
		switch {
		case ctx.Err() != nil:
			return false, context.Cause(ctx)
		case len(records) == 0 && !errors.Is(failed, ErrStop):
			return true, nil
		case errors.Is(failed, ErrStop):
			return false, failed
		case failed == nil && r.isStopped():
			return false, nil
		case failed == nil && done > 0:
			continue
		case errors.Is(failed, ErrRestart):
			if r.isDrained() {
				return false, nil
			}
			restarts++
			r.failed(records[0], failed)
			r.rest(ctx, r.Retry.pause(restarts))
		default:
			tries++
			if failed == nil {
				failed = errors.New("the handler did nothing, and did not say why")
			}
			r.failed(records[0], failed)
			if tries < r.Tries && !errors.Is(failed, ErrReject) {
				r.rest(ctx, r.Retry.pause(tries))
				break
			}
			if err := r.bury(ctx, records[0], tries, failed); err != nil {
				return false, err
			}
			records, tries = records[1:], 0
		}
		if r.isStopped() {
			return len(records) == 0, nil
		}
	}
	return true, nil
}

// done saves that a record, and those before it, are done.
func (r *reader) done(ctx context.Context, last Record) error { return r.save(ctx, checkpointOf(last)) }

func (r *reader) failed(record Record, err error) {
	r.tell(Event{What: Failed, Shard: r.shard, Sequence: record.Sequence, Err: err})
}

// bury keeps a record that could not be handled, and saves that it is done with. Without a place for it, it is the end.
func (r *reader) bury(ctx context.Context, record Record, tries int, why error) error {
	if r.DeadLetters == nil {
		return &PoisonError{r.shard, record, tries, why}
	}
	letter := DeadLetter{Shard: r.shard, Record: record, Error: why.Error(), Tries: tries, At: time.Now()}
	for t := trouble(0); ; {
		err := r.DeadLetters.Bury(ctx, letter)
		if err == nil {
			break
		}
		r.tell(Event{What: Troubled, Shard: r.shard, Reason: Trouble, Err: err})
		if !wait(ctx, t.pause()) {
			return context.Cause(ctx)
		}
	}
	r.tell(Event{What: Buried, Shard: r.shard, Sequence: record.Sequence, Err: why})
	return r.done(ctx, record)
}

func (r *reader) isStopped() bool { return isClosed(r.h.stop) }
func (r *reader) isDrained() bool { return isClosed(r.h.drain) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// rest waits between tries, unless the reader is to stop.
func (r *reader) rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.h.stop:
	case <-ctx.Done():
	}
}
