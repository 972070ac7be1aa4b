package cli

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/multiscraper/multiscraper/scheduler"
)

// Exit codes.
const (
	ExitOK         = 0
	ExitUnexpected = 1   // something went wrong that was not expected
	ExitUsage      = 2   // bad flags or configuration; nothing ran
	ExitTimeout    = 124 // the run timeout
	ExitSignal     = 128 // plus the signal's number
)

// SignalError is the cause of a run's end by a signal.
type SignalError struct{ Signal syscall.Signal }

func (e *SignalError) Error() string { return fmt.Sprintf("stopped by a signal (%s)", e.Signal) }

// CutShort reports whether something failed because its run was told to end: by a signal, or by its timeout.
func CutShort(err error) bool {
	var (
		timeout *scheduler.RunTimeoutError
		signal  *SignalError
	)
	return errors.As(err, &timeout) || errors.As(err, &signal)
}

// CauseOf returns an error, or the cause of the context's end where that is what a library made of it.
func CauseOf(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) {
		return context.Cause(ctx)
	}
	return err
}

// ExitCode is that of a run, and the sentence that says why it ended early, if it did. A nil cause is that it did not.
func ExitCode(cause error, unexpected bool) (code int, sentence string) {
	var (
		timeout *scheduler.RunTimeoutError
		signal  *SignalError
	)
	switch {
	case errors.As(cause, &timeout):
		return ExitTimeout, timeout.Error()
	case errors.As(cause, &signal):
		return ExitSignal + int(signal.Signal), "ERROR: " + signal.Error()
	case cause != nil:
		return ExitUnexpected, "ERROR: " + cause.Error()
	case unexpected:
		return ExitUnexpected, ""
	}
	return ExitOK, ""
}
