package amqp

import (
	"context"
	"time"
)

// The pauses after a failure double from one to the other.
const (
	firstPause = 200 * time.Millisecond
	lastPause  = 30 * time.Second
)

// pauses is a sequence of them. The zero value begins with the first.
type pauses struct{ next time.Duration }

// wait waits for a while, or until ctx ends.
func (p *pauses) wait(ctx context.Context) {
	p.next = min(max(p.next, firstPause), lastPause)
	timer := time.NewTimer(p.next)
	defer timer.Stop()
	p.next *= 2
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
