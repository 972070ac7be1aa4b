package stream

import (
	"cmp"
	"context"
)

// recover decides what to do about a read that failed: nil is to read again, after the pause that it takes.
func (r *reader) recover(ctx, reads context.Context, err error) error {
	reason := ReasonOf(err)
	switch reason {
	case Expired:
		if r.trouble == 0 { // at once, the first time
			r.trouble++
			r.iterator = ""
			r.tell(Event{What: Troubled, Shard: r.shard, Reason: reason, Err: err})
			return nil
		}
		r.iterator = ""
	case Rejected:
		if r.iterator != "" { // not the position: read from there with another iterator, a few times
			r.iterator = ""
			if r.trouble < startTries {
				break
			}
		}
		return r.lost(ctx, err)
	case Gone:
		return r.lost(ctx, err)
	case Refused:
		return err
	}
	r.tell(Event{What: Troubled, Shard: r.shard, Reason: reason, Err: err})
	wait(reads, r.trouble.pause())
	return nil
}

// lost goes on where the settings say, when the stream does not know the position.
func (r *reader) lost(ctx context.Context, err error) error {
	if r.position.Kind == AtTime && ReasonOf(err) == Rejected && !r.skips { // our clock is ahead of the stream's
		r.tell(Event{What: Troubled, Shard: r.shard, Reason: Rejected, Err: err})
		r.iterator, r.skips = "", true
		return nil
	}
	wrong := &CheckpointError{r.shard, cmp.Or(r.saved, r.position.String()), err}
	switch {
	case r.OnLost == "" || r.position.Kind == Horizon || r.position.Kind == Latest:
		return wrong
	case ReasonOf(err) == Gone:
		r.tell(Event{What: Jumped, Shard: r.shard, Text: "the shard is gone", Err: wrong})
		if err := r.save(ctx, End); err != nil {
			return err
		}
		return ErrLost // others have no use for it either
	}
	r.tell(Event{What: Jumped, Shard: r.shard, Text: string(r.OnLost), Err: wrong})
	r.position, r.iterator, r.skips = Position{Kind: r.OnLost}, "", false
	return nil
}
