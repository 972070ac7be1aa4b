package stream

import (
	"context"
	"errors"
	"time"
)

// Limits of what a source and leases may take.
const (
	answerTime = 30 * time.Second // to answer
	openTime   = 5 * time.Second  // to give an iterator
	saveTime   = 10 * time.Second // to save at the end, when the lease is to be given back
)

// reader reads one shard and has its records handled. It belongs to one goroutine.
type reader struct {
	*crew
	h        *holding
	shard    string
	saved    string   // the checkpoint, as it is kept
	position Position // behind the last record that was read
	iterator string   // "": to be opened
	skips    bool     // what lies before the position is read too, and left out
	trouble  trouble  // in a row
}

func newReader(w *crew, h *holding) *reader {
	return &reader{crew: w, h: h, shard: h.lease.Shard, saved: h.lease.Checkpoint}
}

// run reads until the shard ends, or the reader is told to. It gives the lease back. The error is ErrLost where it was lost.
func (r *reader) run(ctx context.Context) error {
	err := r.follow(ctx)
	if errors.Is(err, ErrLost) || errors.Is(context.Cause(ctx), ErrLost) {
		return ErrLost
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	switch e := r.Leases.Release(ctx, r.h.lease); {
	case e == nil:
		r.tell(Event{What: Released, Shard: r.shard})
	case !errors.Is(e, ErrLost):
		r.tell(Event{What: Troubled, Shard: r.shard, Reason: Trouble, Err: e})
	}
	return err
}

// follow reads from the checkpoint on.
func (r *reader) follow(ctx context.Context) error {
	if err := r.locate(); err != nil {
		return err
	}
	reads, cancel := r.whileReading(ctx) // a read may be given up at any time
	defer cancel()
	if !r.awaitStart(reads) {
		return context.Cause(ctx)
	}
	for reads.Err() == nil {
		began := time.Now()
		page, err := r.next(reads)
		switch {
		case reads.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			if err := r.recover(ctx, reads, err); err != nil {
				return err
			}
			continue
		}
		r.firstRead.Do(func() { close(r.read) })
		r.trouble = 0
		if done, err := r.take(ctx, page); !done || err != nil {
			return err
		}
		if page.Next == "" {
			return r.end(ctx)
		}
		r.iterator = page.Next
		wait(reads, readEvery-time.Since(began))
	}
	return context.Cause(ctx)
}

// locate finds where to read from.
func (r *reader) locate() (err error) {
	r.iterator, r.skips, r.position = "", false, r.start
	if r.saved != "" {
		if r.position, err = after(r.saved); err != nil {
			return &CheckpointError{r.shard, r.saved, err}
		}
	} else if r.start.Kind == After && r.shard != r.Shard {
		r.position = Position{Kind: Horizon}
	}
	r.skips = r.position.Kind == At
	return nil
}

// whileReading returns a context that ends when the reader is to read no more.
func (r *reader) whileReading(ctx context.Context) (context.Context, context.CancelFunc) {
	reads, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-r.h.drain:
			cancel()
		case <-reads.Done():
		}
	}()
	return reads, cancel
}

// awaitStart waits for a start that is in the future, and reports whether it has come.
func (r *reader) awaitStart(ctx context.Context) bool {
	if r.position.Kind != AtTime {
		return true
	}
	ahead := time.Until(r.position.Time)
	if ahead > 0 {
		r.tell(Event{What: Waiting, Shard: r.shard, Text: r.position.Time.Format(time.RFC3339)})
	}
	return wait(ctx, ahead)
}

// next reads the next page.
func (r *reader) next(ctx context.Context) (Page, error) {
	if r.iterator == "" {
		if err := r.openIterator(ctx); err != nil {
			return Page{}, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return r.Source.Read(ctx, r.iterator, r.Batch)
}

// openIterator opens an iterator at the position. A source that does not answer for a time gets no second chance: then all is read, and
// what came before that time is left out.
func (r *reader) openIterator(ctx context.Context) (err error) {
	p := r.position
	if r.skips && p.Kind == AtTime {
		p = Position{Kind: Horizon}
	}
	limited, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	r.iterator, err = r.Source.Open(limited, r.shard, p)
	if err != nil && p.Kind == AtTime && ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
		r.skips = true
	}
	return err
}

// take has the records of a page handled, and reports whether all of them are done.
func (r *reader) take(ctx context.Context, page Page) (done bool, err error) {
	records := page.Records
	if r.skips {
		records = nil
		for _, record := range page.Records {
			if r.position.wants(record) {
				records = append(records, record)
			}
		}
	}
	if len(page.Records) == 0 {
		r.tell(Event{What: Idle, Shard: r.shard, Behind: page.Behind})
		return true, nil
	}
	if len(records) > 0 {
		if done, err := r.handle(ctx, records, page.Behind); !done || err != nil {
			return false, err
		}
	}
	last := page.Records[len(page.Records)-1]
	if !r.skips || r.position.Kind != AtTime || r.position.wants(last) {
		r.position, r.skips = Position{Kind: After, Sequence: last.Sequence}, false
	}
	return true, nil
}

// end notes that the shard is done to its end.
func (r *reader) end(ctx context.Context) error {
	if err := r.save(ctx, End); err != nil {
		return err
	}
	r.tell(Event{What: Ended, Shard: r.shard})
	return nil
}

// save moves the checkpoint, however long the leases are in trouble, unless the lease is lost meanwhile.
func (r *reader) save(ctx context.Context, checkpoint string) error {
	for t := trouble(0); ; {
		at := r.clock()
		limited, cancel := context.WithTimeout(ctx, saveTime)
		err := r.Leases.Save(limited, r.h.lease, checkpoint)
		cancel()
		switch {
		case err == nil:
			r.saved = checkpoint
			r.h.alive(at)
			return nil
		case errors.Is(err, ErrLost):
			return ErrLost
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		r.tell(Event{What: Troubled, Shard: r.shard, Reason: Trouble, Err: err})
		if !wait(ctx, t.pause()) {
			return context.Cause(ctx)
		}
	}
}
