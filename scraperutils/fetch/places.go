package fetch

import (
	"context"
	"time"
)

// places are for bodies that are being read, a token for each. Where thousands of answers come at once their bodies then wait in the
// network's buffers, and memory holds those that are read. nil: any number may be.
type places chan struct{}

// placePatience is how long a body waits for a place at most: servers that send slowly keep theirs, and must not hold up the others.
const placePatience = 50 * time.Millisecond

func newPlaces(n int) places {
	if n <= 0 {
		return nil
	}
	return make(places, n)
}

// take waits for a place, for as long as a body has patience and ctx lasts, and reports whether it got one.
func (p places) take(ctx context.Context) bool {
	if p == nil {
		return false
	}
	select {
	case p <- struct{}{}:
		return true
	default:
		return p.await(ctx)
	}
}

func (p places) await(ctx context.Context) bool {
	timer := time.NewTimer(placePatience)
	defer timer.Stop()
	select {
	case p <- struct{}{}:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// leave gives a place back, if one was taken.
func (p places) leave(taken bool) {
	if taken {
		<-p
	}
}
