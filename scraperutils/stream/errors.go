package stream

import (
	"errors"
	"fmt"
)

// What a handler may say by an error, which wraps one of these. Any other error is a try that failed.
var (
	// ErrStop has the consumer end: what is done is saved, leases are released, and Run returns the error.
	ErrStop = errors.New("stop")

	// ErrRestart has the record, and those behind it, come again after a pause, as often as it takes. The pause grows.
	ErrRestart = errors.New("restart")

	// ErrReject is that no further try will help.
	ErrReject = errors.New("rejected")
)

// ErrLost is that a lease is not what it was: somebody else has it, or it was asked for.
var ErrLost = errors.New("the lease is somebody else's now")

// Reason is why a source could not do something.
type Reason string

// Reasons.
const (
	Throttled Reason = "throttled" // asked too often
	Expired   Reason = "expired"   // the iterator is too old
	Rejected  Reason = "rejected"  // no such position in this shard
	Gone      Reason = "gone"      // no such stream or shard
	Refused   Reason = "refused"   // this caller may not, or asked for something that can't be
	Trouble   Reason = "trouble"   // anything else, which passes
)

// SourceError is an error of a source that a consumer decides on.
type SourceError struct {
	Reason Reason
	Err    error
}

func (e *SourceError) Error() string { return e.Err.Error() }
func (e *SourceError) Unwrap() error { return e.Err }

// ReasonOf returns why a source could not do something.
func ReasonOf(err error) Reason {
	var e *SourceError
	if errors.As(err, &e) {
		return e.Reason
	}
	return Trouble
}

// CheckpointError is that a stream does not know a checkpoint: it was made anew, or keeps its records for less long.
type CheckpointError struct {
	Shard      string
	Checkpoint string
	Err        error
}

func (e *CheckpointError) Error() string {
	return fmt.Sprintf("the stream rejects the checkpoint %.130s of %s: %v", e.Checkpoint, e.Shard, e.Err)
}

func (e *CheckpointError) Unwrap() error { return e.Err }

// PoisonError is that a record could not be handled, where that is to end the consumer.
type PoisonError struct {
	Shard  string
	Record Record
	Tries  int
	Err    error
}

func (e *PoisonError) Error() string {
	return fmt.Sprintf("record %s of %s failed %d×: %v", e.Record.Sequence, e.Shard, e.Tries, e.Err)
}

func (e *PoisonError) Unwrap() error { return e.Err }

// StartError is why a consumer could not begin.
type StartError struct{ Err error }

func (e *StartError) Error() string { return e.Err.Error() }
func (e *StartError) Unwrap() error { return e.Err }
