package crawlcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/intake"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
)

// Batches of URLs that are added together. The first are small, for what is fetched waits for them; the more follow, the larger they
// get, for that costs least.
const (
	firstBatch = 4_000
	lastBatch  = 20_000
	batchPause = 100 * time.Millisecond // a batch waits for more, where the input takes its time
)

// added is what became of an input.
type added struct {
	crawl.Added
	Refused int // lines that are no URL
}

func (a added) given() int { return a.New + a.Known + a.Again + a.Refused }

func (a added) String() string {
	s := fmt.Sprintf("%s added, %s known already", scraperutils.Count(a.New, "URL"), scraperutils.Digits(a.Known))
	if a.Again > 0 {
		s += fmt.Sprintf(", %s to be fetched again", scraperutils.Digits(a.Again))
	}
	if a.Refused > 0 {
		s += fmt.Sprintf(", %s refused", scraperutils.Digits(a.Refused))
	}
	return s
}

// adder puts inputs into a frontier. Its fields do not change.
type adder struct {
	frontier crawl.Frontier
	form     urls.Form
	options  intake.Options
	again    bool

	refused func(source string, err error) // told of each line that is no URL
	taken   func(added)                    // told of what is durable, after each batch; nil: nobody
}

// entry is what intake yields.
type entry struct {
	intake.Entry
	err error
}

// read adds what an input holds, and returns what was added before an error too. Where ctx ends, a goroutine may go on waiting for the
// input until it is closed.
func (a adder) read(ctx context.Context, source string, in io.Reader) (sum added, err error) {
	entries, done := make(chan entry, 256), make(chan struct{})
	defer close(done)
	go func() {
		defer close(entries)
		for e, err := range intake.Read(in, a.options) {
			select {
			case entries <- entry{e, err}:
			case <-done:
				return
			}
		}
	}()
	return a.drain(ctx, source, entries)
}

// list adds URLs that were given one by one.
func (a adder) list(ctx context.Context, source string, urls []string) (added, error) {
	entries := make(chan entry, len(urls))
	for _, u := range urls {
		e := entry{}
		e.URL, e.err = a.options.Form.Parse(u)
		e.Priority = a.options.Priority
		if e.err != nil {
			e.err = &intake.LineError{Err: e.err}
		}
		entries <- e
	}
	close(entries)
	return a.drain(ctx, source, entries)
}

// drain adds entries in batches until there are no more.
func (a adder) drain(ctx context.Context, source string, entries <-chan entry) (sum added, err error) {
	for batch, more := range batches(ctx, entries) {
		taken := make([]crawl.Entry, 0, len(batch))
		for _, e := range batch {
			var line *intake.LineError
			switch {
			case errors.As(e.err, &line):
				sum.Refused++
				a.refused(source, lineOrReason(line))
			case e.err != nil:
				err = &inputError{source, e.err}
			default:
				c := e.Crawl()
				c.Again = a.again
				taken = append(taken, c)
			}
		}
		if len(taken) > 0 {
			n, failed := a.frontier.Add(ctx, time.Now(), taken)
			if failed != nil {
				return sum, failed
			}
			sum.New, sum.Known, sum.Again = sum.New+n.New, sum.Known+n.Known, sum.Again+n.Again
		}
		if a.taken != nil {
			a.taken(sum)
		}
		if err != nil || !more {
			return sum, err
		}
	}
	return sum, context.Cause(ctx)
}

// inputError is why an input could not be read to its end.
type inputError struct {
	source string
	err    error
}

func (e *inputError) Error() string { return e.source + ": " + e.err.Error() }
func (e *inputError) Unwrap() error { return e.err }

// lineOrReason is an error that names its line, where there is one.
func lineOrReason(e *intake.LineError) error {
	if e.Line == 0 {
		return e.Err
	}
	return e
}

// batches yields entries in batches, and whether there may be more. It ends with ctx. A batch is good until the next one.
func batches(ctx context.Context, entries <-chan entry) iter.Seq2[[]entry, bool] {
	return func(yield func([]entry, bool) bool) {
		var batch []entry
		for most := firstBatch; ; most = min(2*most, lastBatch) {
			var more bool
			batch, more = gather(ctx, entries, batch[:0], most)
			if ctx.Err() != nil || !yield(batch, more) || !more {
				return
			}
		}
	}
}

// gather waits for an entry and takes those that come soon after it, into the room of a batch.
func gather(ctx context.Context, entries <-chan entry, batch []entry, most int) (_ []entry, more bool) {
	timer := time.NewTimer(batchPause)
	timer.Stop()
	defer timer.Stop()
	for len(batch) < most {
		select {
		case e, ok := <-entries:
			if !ok {
				return batch, false
			}
			if batch = append(batch, e); len(batch) == 1 {
				timer.Reset(batchPause)
			}
		case <-timer.C:
			return batch, true
		case <-ctx.Done():
			return nil, false
		}
	}
	return batch, true
}
