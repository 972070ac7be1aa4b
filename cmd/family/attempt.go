package family

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// attempt is what one attempt has come to so far. While the scheduler runs it belongs to the schedule loop.
type attempt struct {
	n        int
	at       time.Time         // by which it is known in the log
	visits   map[string]*visit // by site; written before the run
	outcomes map[string]runlog.Outcome
	problem  error // of writing the log
}

func newAttempt(n int, at time.Time) *attempt {
	return &attempt{n: n, at: at, visits: map[string]*visit{}, outcomes: map[string]runlog.Outcome{}}
}

// visit is one site in one attempt.
type visit struct {
	entry    registry.Entry
	sink     *sink
	bytes    atomic.Int64           // of pages; counted by its scraper's goroutine
	evidence atomic.Pointer[string] // folder of its recording, or nil; set by its scraper's goroutine, however that ends
}

// cutShort reports whether a site failed because its run ended.
func cutShort(err error) bool { return cli.CutShort(err) || brokenDatabase(err) != nil }

// stopped returns the signal, the run timeout or the failure of the database because of which a command failed, or nil.
func stopped(ctx context.Context, err error) error {
	if err = cli.CauseOf(ctx, err); cutShort(err) {
		return err
	}
	return nil
}

// brokenDatabase returns what became of the database, where that is why something failed, or nil.
func brokenDatabase(err error) error {
	var broken *db.BrokenError
	if errors.As(err, &broken) {
		return broken
	}
	return nil
}

// ended judges what became of a site, writes its row and says so. The schedule loop tells it of each.
func (j *job) ended(r scheduler.Result) {
	a := j.attempt
	v := a.visits[r.Label]
	o := v.outcome(r)
	o.Attempt = a.n
	if r.Started.IsZero() {
		o.Started = a.at
	}
	o, err := j.books.log.Ended(a.at, o)
	a.outcomes[o.Authority] = o
	j.telling.outcome(o)
	a.problem = errors.Join(a.problem, err, j.books.log.Keep(j.clock.Now, o.Authority, j.books.timeline.Line(o.Authority)))
	j.logOutcome(o, v.sink)
}

// outcome is what became of a visit.
func (v *visit) outcome(r scheduler.Result) runlog.Outcome {
	_, unprocessable := v.sink.monitor.Counts()
	o := runlog.Outcome{
		Authority: r.Label, Started: r.Started, Took: r.Ended.Sub(r.Started), Requests: r.Requests,
		Saved: r.Records, Unprocessable: unprocessable,
		Err: v.sink.plain(r.Err), File: v.entry.File, Overdue: r.Overdue, Unfinished: r.Started.IsZero() || cutShort(r.Err),
	}
	if o.Err == nil { // its scraper has returned
		o.Yield = v.sink.yield
	}
	if folder := v.evidence.Load(); folder != nil {
		o.Evidence = *folder
	}
	return o
}
