package timetable

import (
	"context"
	"math/rand/v2"
	"time"
)

// Keeper begins runs when they are due.
type Keeper struct {
	Table  Timetable
	Jitter time.Duration // a run begins up to that much later than it is due, at random; 0: at once
	Last   time.Time     // when the last run before now began; zero: there was none, and none is made up
	// Run runs, until it is done. The next run waits for it.
	Run func(ctx context.Context, due time.Time)
	// Next, where not nil, is told of each time that is waited for.
	Next func(due time.Time)
}

// look is how often the clock of the wall is looked at: it may be set, or the machine may have slept.
const look = time.Minute

// Keep begins runs until its context ends.
func (k Keeper) Keep(ctx context.Context) {
	due := k.Table.Next(time.Now())
	if missed := k.Table.Next(k.Last); !k.Last.IsZero() && missed.Before(due) {
		due = missed
	}
	for !due.IsZero() {
		at := due
		if k.Jitter > 0 {
			at = at.Add(rand.N(k.Jitter))
		}
		if k.Next != nil {
			k.Next(at)
		}
		if !until(ctx, at) {
			return
		}
		k.Run(ctx, due)
		due = k.Table.Next(time.Now())
	}
}

// until waits for a time by the clock of the wall, and reports whether that came before the end of the context.
func until(ctx context.Context, at time.Time) bool {
	for ctx.Err() == nil {
		left := time.Until(at.Round(0)) // without the monotonic reading, which stands still while a machine sleeps
		if left <= 0 {
			return true
		}
		timer := time.NewTimer(min(left, look))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
	return false
}
