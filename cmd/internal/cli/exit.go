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

// CutShort reports whether an error comes from the end of the run: a signal, or its timeout.
func CutShort(err error) bool {
	var (
		timeout *scheduler.RunTimeoutError
		signal  *SignalError
	)
	return errors.As(err, &timeout) || errors.As(err, &signal)
}

// CauseOf returns err, or the cause of ctx if err only says that the context was canceled.
func CauseOf(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) {
		return context.Cause(ctx)
	}
	return err
}

// ExitCode returns the exit code of a run and, if the run ended early, the sentence that says why. A nil cause means that it did not.
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
