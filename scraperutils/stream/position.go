package stream

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Kind is a way to say where to read from. The words are those of Kinesis.
type Kind string

// Kinds of positions.
const (
	Horizon Kind = "TRIM_HORIZON"          // the oldest record that is kept
	Latest  Kind = "LATEST"                // what comes after the stream was first looked at
	AtTime  Kind = "AT_TIMESTAMP"          // what arrived at a time, and after it
	After   Kind = "AFTER_SEQUENCE_NUMBER" // what follows a record
	At      Kind = "AT_SEQUENCE_NUMBER"    // a record, and what follows
)

// Position is where to read from.
type Position struct {
	Kind     Kind
	Time     time.Time // of AtTime
	Sequence string    // of After and At
	Sub      int       // of At: the last record in an aggregated one that is not wanted
}

// End is the checkpoint of a shard that is closed and read to its end.
const End = "END"

// Start is the name of the lease whose checkpoint is where the shards of a stream start that have none of their own.
const Start = "start"

// String is what ParsePosition reads.
func (p Position) String() string {
	switch p.Kind {
	case AtTime:
		return string(p.Kind) + " " + p.Time.UTC().Format(time.RFC3339Nano)
	case After, At:
		return string(p.Kind) + " " + p.Sequence
	}
	return string(p.Kind)
}

// ParsePosition reads what String wrote.
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

// ParseTime reads a time as RFC 3339 has it, or without a zone, which is then UTC whatever zone the machine is in.
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
