package stream

import (
	"context"
	"math"
	"math/rand/v2"
	"time"
)

// Backoff says how long to wait between tries.
type Backoff struct {
	First  time.Duration // wait after the first try
	Factor float64       // by which the wait grows; less than 1 is 1
	Most   time.Duration // the longest wait; 0: no limit
	Jitter time.Duration // the most that is added at random
}

// pause returns how long to wait after a number of tries.
func (b Backoff) pause(tries int) time.Duration {
	d := float64(b.First) * math.Pow(max(b.Factor, 1), float64(max(tries-1, 0)))
	if b.Most > 0 {
		d = min(d, float64(b.Most))
	}
	pause := time.Duration(min(d, float64(math.MaxInt64/4)))
	if b.Jitter > 0 {
		pause += rand.N(b.Jitter)
	}
	return pause
}

// Trouble of sources and leases is waited for between these, with as much again at random, so that those who were refused
// together do not come back together.
const (
	leastPause = 200 * time.Millisecond
	mostPause  = 10 * time.Second
)

// trouble counts tries that failed in a row.
type trouble int

// pause returns how long to wait after one more.
func (t *trouble) pause() time.Duration {
	d := min(leastPause<<min(*t, 10), mostPause)
	*t++
	return d/2 + rand.N(d/2)
}

// wait waits, and reports whether nothing ended the wait.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
