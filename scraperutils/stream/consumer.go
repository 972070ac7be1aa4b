package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// These are the defaults of a Consumer.
const (
	DefaultBatch = 1_000
	DefaultLease = 30 * time.Second
	DefaultTries = 3
	DefaultGrace = 30 * time.Second
)

// These are the limits of a Consumer.
const (
	MaxBatch = 10_000
	MinLease = 100 * time.Millisecond
)

// How often a stream is asked.
const (
	readEvery     = 200 * time.Millisecond // of one shard, from read to read: five a second are allowed
	discoverEvery = 30 * time.Second
	startTries    = 3 // to reach the stream and the leases, before anything is read
)

// Consumer handles the records of a stream. A field whose comment gives a default may be left zero.
type Consumer struct {
	Source  Source
	Leases  Leases
	Handler Handler
	Name    string // unique among the consumers that share the leases, and new in every run

	Start Position // where shards without a checkpoint start, unless that is already decided; zero: now
	Shard string   // read only this one; "": all
	Batch int      // records per read, at most MaxBatch; 0: DefaultBatch

	Lease    time.Duration // after this time, a silent process is dead; 0: DefaultLease; at least MinLease
	Duration time.Duration // end after this time, counted from the first read, once all read records are handled; 0: never
	Grace    time.Duration // time for handlers to finish at a stop; 0: DefaultGrace

	Tries       int         // per record; 0: DefaultTries
	Retry       Backoff     // waits between tries; zero: a second, doubling up to a minute
	DeadLetters DeadLetters // keeps records whose tries are used up; nil: such a record ends the consumer with a *PoisonError

	// OnLost says where a shard continues whose checkpoint the stream rejects: Horizon or Latest. If it is "", such a checkpoint ends the
	// consumer with a *CheckpointError.
	OnLost Kind

	OnEvent func(Event) // called with what happens, by several goroutines at once; may be nil
}

// Run handles records until ctx ends, Duration is over, the handler stops it, or the one Shard is finished. If ctx ends, Run returns its
// error. Before it returns, it saves all progress and releases all leases. The error is a *StartError if nothing was read.
func (c *Consumer) Run(ctx context.Context) error {
	w, err := c.crew()
	if err != nil {
		return &StartError{err}
	}
	if err := w.begin(ctx); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return &StartError{err}
	}
	return w.run(ctx)
}

// crew returns what runs a consumer, with defaults in place of zeros.
func (c *Consumer) crew() (*crew, error) {
	settings := *c
	settings.Batch = cmp.Or(c.Batch, DefaultBatch)
	settings.Lease = cmp.Or(c.Lease, DefaultLease)
	settings.Tries = cmp.Or(c.Tries, DefaultTries)
	settings.Grace = cmp.Or(c.Grace, DefaultGrace)
	settings.Retry = cmp.Or(c.Retry, Backoff{First: time.Second, Factor: 2, Most: time.Minute})
	switch {
	case c.Source == nil || c.Leases == nil || c.Handler == nil || c.Name == "":
		return nil, errors.New("a consumer needs a source, leases, a handler and a name")
	case settings.Batch < 1 || settings.Batch > MaxBatch:
		return nil, fmt.Errorf("batch %d: expected 1 to %d", c.Batch, MaxBatch)
	case settings.Lease < MinLease:
		return nil, fmt.Errorf("lease %s: expected %s or more", c.Lease, MinLease)
	case settings.Tries < 1:
		return nil, fmt.Errorf("tries %d: expected 1 or more", c.Tries)
	case settings.Start.Kind == After && c.Shard == "":
		return nil, errors.New("a start after a sequence number is that of one shard: name the shard")
	}
	return newCrew(settings), nil
}

// tell tells of an event.
func (c *Consumer) tell(e Event) {
	if c.OnEvent != nil {
		c.OnEvent(e)
	}
}

// begin looks at the stream for the first time, and agrees with all others where its shards start.
func (w *crew) begin(ctx context.Context) error {
	var now time.Time
	err := w.insist(ctx, "list shards", func(ctx context.Context) (err error) {
		now, err = w.discover(ctx)
		return err
	})
	if err != nil {
		return err
	}
	wanted := w.Start
	switch wanted.Kind {
	case "", Latest:
		wanted = Position{Kind: AtTime, Time: now}
	}
	return w.insist(ctx, "read leases", func(ctx context.Context) error {
		if err := w.Leases.Add(ctx, []Lease{{Shard: Start, Checkpoint: wanted.String()}}); err != nil {
			return err
		}
		rows, err := w.Leases.List(ctx)
		if err != nil {
			return err
		}
		for _, l := range rows {
			if l.Shard != Start {
				continue
			}
			if w.start, err = ParsePosition(l.Checkpoint); err != nil {
				return &SourceError{Refused, err}
			}
			w.tell(Event{What: Started, Text: l.Checkpoint})
			return nil
		}
		return errors.New("the start of the stream is not kept")
	})
}

// insist does something that trouble may keep from being done, a few times.
func (w *crew) insist(ctx context.Context, what string, do func(context.Context) error) error {
	var t trouble
	for {
		err := do(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		reason := ReasonOf(err)
		pause := t.pause()
		if t >= startTries || reason == Gone || reason == Refused {
			return fmt.Errorf("%s: %w", what, err)
		}
		w.tell(Event{What: Troubled, Reason: reason, Err: err})
		wait(ctx, pause)
	}
}
