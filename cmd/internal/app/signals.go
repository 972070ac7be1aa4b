package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// signalError is the cause of a run's end by a signal.
type signalError struct{ signal syscall.Signal }

func (e *signalError) Error() string { return fmt.Sprintf("stopped by a signal (%s)", e.signal) }

// stopped returns the signal or the run timeout because of which a command failed, or nil.
func stopped(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) { // what libraries make of the end of a context
		err = context.Cause(ctx)
	}
	if !cutShort(err) {
		return nil
	}
	return err
}

// withSignals returns a context that SIGINT and SIGTERM end. The second signal ends the process at once.
func withSignals(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for first := true; ; first = false {
			select {
			case s := <-signals:
				if !first {
					os.Exit(exitSignal + int(s.(syscall.Signal)))
				}
				cancel(&signalError{s.(syscall.Signal)})
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		<-ended
		cancel(nil)
	}
}
