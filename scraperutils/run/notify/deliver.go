package notify

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Message is what is said.
type Message struct {
	Text string // lines for a person
	JSON []byte // an object for a program; its "text" is what a chat shows
}

// Sender takes a message one time. An error that another try can't help is a *RefusedError.
type Sender interface {
	Send(ctx context.Context, m Message) error
}

// RefusedError says that another try would fail in the same way.
type RefusedError struct{ Why error }

func (e *RefusedError) Error() string { return e.Why.Error() }
func (e *RefusedError) Unwrap() error { return e.Why }

// laterError says when to try again.
type laterError struct {
	why   error
	after time.Duration
}

func (e *laterError) Error() string { return e.why.Error() }
func (e *laterError) Unwrap() error { return e.why }

// Limits of a delivery.
const (
	tries   = 3
	tryTime = 15 * time.Second // of one try
	allTime = 45 * time.Second // of all of them, with the waits between
	first   = time.Second      // wait after the first try; four times as long after each further one
)

// Deliver hands a message over, in up to three tries, for 45 seconds at most. The error is that of the last try.
func Deliver(ctx context.Context, s Sender, m Message) error {
	ctx, cancel := context.WithTimeout(ctx, allTime)
	defer cancel()
	wait := first
	for n := 1; ; n++ {
		err := try(ctx, s, m)
		var refused *RefusedError
		if err == nil || errors.As(err, &refused) {
			return err
		}
		var later *laterError
		pause := wait
		if errors.As(err, &later) {
			pause = max(pause, later.after)
		}
		deadline, _ := ctx.Deadline()
		if n == tries || ctx.Err() != nil || time.Until(deadline) <= pause {
			return fmt.Errorf("%w (tried %s)", err, times(n))
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("%w (tried %s)", err, times(n))
		}
		wait *= 4
	}
}

func try(ctx context.Context, s Sender, m Message) error {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	return s.Send(ctx, m)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
