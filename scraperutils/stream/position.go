package stream

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Kind is a way to say where to start reading. The words are those of Kinesis.
type Kind string

// These are the kinds of positions.
const (
	Horizon Kind = "TRIM_HORIZON"          // the oldest record that the stream keeps
	Latest  Kind = "LATEST"                // records that arrive after the first look at the stream
	AtTime  Kind = "AT_TIMESTAMP"          // records that arrived at a time or later
	After   Kind = "AFTER_SEQUENCE_NUMBER" // records that follow a record
	At      Kind = "AT_SEQUENCE_NUMBER"    // a record, and those that follow
)

// Position says where to start reading.
type Position struct {
	Kind     Kind
	Time     time.Time // of AtTime
	Sequence string    // of After and At
	Sub      int       // of At: skip the records of an aggregated one up to and including this one
}

// End is the checkpoint of a shard that is closed and fully read.
const End = "END"

// Start is the name of the lease whose checkpoint says where shards without one of their own start.
const Start = "start"

// String returns the position in the form that ParsePosition reads.
func (p Position) String() string {
	switch p.Kind {
	case AtTime:
		return string(p.Kind) + " " + p.Time.UTC().Format(time.RFC3339Nano)
	case After, At:
		return string(p.Kind) + " " + p.Sequence
	}
	return string(p.Kind)
}

// ParsePosition reads what String returns.
func ParsePosition(s string) (Position, error) {
	kind, rest, _ := strings.Cut(s, " ")
	p := Position{Kind: Kind(kind)}
	switch p.Kind {
	case Horizon:
		if rest == "" {
			return p, nil
		}
	case AtTime:
		at, err := time.Parse(time.RFC3339Nano, rest)
		if p.Time = at; err == nil {
			return p, nil
		}
	case After:
		if p.Sequence = rest; IsSequence(rest) {
			return p, nil
		}
	}
	return Position{}, fmt.Errorf("start %.60q: expected TRIM_HORIZON, AT_TIMESTAMP and a time, or AFTER_SEQUENCE_NUMBER and a number", s)
}

// ParseTime reads a time as RFC 3339 defines it. A time without a zone is UTC, whatever the machine's zone.
func ParseTime(s string) (time.Time, error) {
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly} {
		if at, err := time.ParseInLocation(form, s, time.UTC); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("time %.60q: expected one like 2026-01-31T12:00:00Z", s)
}

// maxSequence is the digits of the longest sequence number: it has 128 bits at most, and some servers of tests have more.
const maxSequence = 128

// IsSequence reports whether a text is a sequence number.
func IsSequence(s string) bool {
	return s != "" && len(s) <= maxSequence && strings.Trim(s, "0123456789") == ""
}

// checkpointOf is the checkpoint that says that a record is done: its sequence number, with the place in an aggregated record of which
// others are still to be done.
func checkpointOf(r Record) string {
	if r.Sub+1 < r.Subs {
		return r.Sequence + "." + strconv.Itoa(r.Sub)
	}
	return r.Sequence
}

// after is the position behind a checkpoint.
func after(checkpoint string) (Position, error) {
	sequence, sub, aggregated := strings.Cut(checkpoint, ".")
	p := Position{Kind: After, Sequence: sequence}
	if aggregated {
		n, err := strconv.Atoi(sub)
		if p.Kind, p.Sub = At, n; err != nil || n < 0 {
			return Position{}, badCheckpoint(checkpoint)
		}
	}
	if !IsSequence(sequence) {
		return Position{}, badCheckpoint(checkpoint)
	}
	return p, nil
}

func badCheckpoint(checkpoint string) error {
	return fmt.Errorf("checkpoint %.60q: expected a sequence number or %s", checkpoint, End)
}

// wants reports whether a record lies behind a position, where a source gave what lies before it too.
func (p Position) wants(r Record) bool {
	switch p.Kind {
	case At:
		return r.Sequence != p.Sequence || r.Sub > p.Sub
	case AtTime:
		return !r.Arrived.Before(p.Time)
	}
	return true
}
