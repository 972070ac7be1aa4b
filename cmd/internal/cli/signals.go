package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// twinTime is how long after the first signal another one is the same: timeout(1) signals a process and then its group, a closing
// terminal and a service manager send SIGHUP beside SIGTERM, and Ctrl-C is held down.
const twinTime = time.Second

// withSignals returns a context that SIGINT, SIGTERM and SIGHUP end; a second signal, later than twinTime, ends the process at
// once. What was ignored when the process began stays ignored: SIGHUP under nohup, SIGINT of what a shell runs in the background.
// A write to a pipe without a reader becomes an error instead of ending the process.
func withSignals(ctx context.Context) (context.Context, func()) {
	hangups := &hangups{to: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, hangupsKey{}, hangups))
	signals, pipes := make(chan os.Signal, 2), make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	signal.Notify(pipes, syscall.SIGPIPE) // nobody listens
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		obey(signals, hangups, done, cancel, os.Exit)
	}()
	return ctx, func() {
		var obeyed *SignalError
		if !errors.As(context.Cause(ctx), &obeyed) { // else its twin may still come, which must not end the process another way
			signal.Stop(signals)
		}
		signal.Stop(pipes)
		close(done)
		<-ended
		cancel(nil)
	}
}

// obey cancels on the first signal and exits on the second, until done is closed.
func obey(signals <-chan os.Signal, hangups *hangups, done <-chan struct{}, cancel context.CancelCauseFunc, exit func(code int)) {
	var first time.Time
	for {
		select {
		case s := <-signals:
			switch number := s.(syscall.Signal); {
			case number == syscall.SIGHUP && hangups.take():
			case first.IsZero():
				first = time.Now()
				cancel(&SignalError{number})
			case time.Since(first) >= twinTime:
				exit(ExitSignal + int(number))
			}
		case <-done:
			return
		}
	}
}

// hangups is where SIGHUP goes while somebody wants it.
type hangups struct {
	wanted atomic.Bool
	to     chan struct{} // has room for one: more are the same
}

type hangupsKey struct{}

// take passes a signal on, if it is wanted.
func (h *hangups) take() bool {
	if !h.wanted.Load() {
		return false
	}
	select {
	case h.to <- struct{}{}:
	default:
	}
	return true
}

// Hangups has SIGHUP come by the channel that it returns, instead of ending the process, until stop is called. Ctx is that of a Command.
func Hangups(ctx context.Context) (to <-chan struct{}, stop func()) {
	h, ok := ctx.Value(hangupsKey{}).(*hangups)
	if !ok {
		return nil, func() {}
	}
	h.wanted.Store(true)
	return h.to, func() { h.wanted.Store(false) }
}
