package stream

import (
	"errors"
	"fmt"
)

// A handler returns an error that wraps one of these to say more than that a try failed. Any other error is a failed try.
var (
	// ErrStop ends the consumer: it saves its progress and releases its leases, and Run returns the error.
	ErrStop = errors.New("stop")

	// ErrRestart makes the record, and those after it, come again after a pause, as often as it takes. The pause grows.
	ErrRestart = errors.New("restart")

	// ErrReject says that more tries will not help.
	ErrReject = errors.New("rejected")
)

// ErrLost says that a lease has changed: somebody else has it, or has asked for it.
var ErrLost = errors.New("the lease is somebody else's now")

// Reason says why a source failed.
type Reason string

// These are the reasons.
const (
	Throttled Reason = "throttled" // too many requests
	Expired   Reason = "expired"   // the iterator is too old
	Rejected  Reason = "rejected"  // no such position in this shard
	Gone      Reason = "gone"      // no such stream or shard
	Refused   Reason = "refused"   // the caller has no permission, or made an invalid request
	Trouble   Reason = "trouble"   // anything else, which will pass
)

// SourceError is an error of a source that the consumer decides on.
type SourceError struct {
	Reason Reason
	Err    error
}

func (e *SourceError) Error() string { return e.Err.Error() }
func (e *SourceError) Unwrap() error { return e.Err }

// ReasonOf returns why a source failed.
func ReasonOf(err error) Reason {
	var e *SourceError
	if errors.As(err, &e) {
		return e.Reason
	}
	return Trouble
}

// CheckpointError says that a stream does not know a checkpoint, because it was created anew or has dropped the record.
type CheckpointError struct {
	Shard      string
	Checkpoint string
	Err        error
}

func (e *CheckpointError) Error() string {
	return fmt.Sprintf("the stream rejects the checkpoint %.130s of %s: %v", e.Checkpoint, e.Shard, e.Err)
}

func (e *CheckpointError) Unwrap() error { return e.Err }

// PoisonError reports a record that could not be handled and ended the consumer.
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

// StartError says why a consumer could not start.
type StartError struct{ Err error }

func (e *StartError) Error() string { return e.Err.Error() }
func (e *StartError) Unwrap() error { return e.Err }
