package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
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
	ctx, cancel := context.WithCancelCause(ctx)
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
		obey(signals, done, cancel, os.Exit)
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
func obey(signals <-chan os.Signal, done <-chan struct{}, cancel context.CancelCauseFunc, exit func(code int)) {
	var first time.Time
	for {
		select {
		case s := <-signals:
			switch number := s.(syscall.Signal); {
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
