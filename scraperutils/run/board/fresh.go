package board

import (
	"context"
	"time"
)

// fresh is how old what is shown may be.
const fresh = time.Second

// Fresh returns a function that reads as read does, but at most once a second, however many call it: one of them reads, and the others wait for
// it. It may be called from any goroutine.
func Fresh[T any](read func(context.Context) (T, error)) func(context.Context) (T, error) {
	r := &reader[T]{source: read, turn: make(chan struct{}, 1)}
	return r.read
}

// reader reads for many.
type reader[T any] struct {
	source func(context.Context) (T, error)
	turn   chan struct{} // holds one for the caller that owns the rest

	value T
	err   error     // of the last reading
	at    time.Time // when it was read
}

func (r *reader[T]) read(ctx context.Context) (T, error) {
	var none T
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
	if time.Since(r.at) < fresh {
		return r.value, r.err
	}
	value, err := r.source(ctx)
	if ctx.Err() != nil { // a caller that left says nothing about the source
		return none, context.Cause(ctx)
	}
	r.value, r.err, r.at = value, err, time.Now()
	return value, err
}
