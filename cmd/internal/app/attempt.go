package app

import (
	"context"
	"errors"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils/runlog"
)

// attempt is what one attempt has come to so far. While the scheduler runs it belongs to the schedule loop.
type attempt struct {
	n        int
	at       time.Time        // by which it is known in the log
	sinks    map[string]*sink // by authority; written before the run
	outcomes map[string]runlog.Outcome
	problem  error // of writing the log
}

func newAttempt(n int, at time.Time) *attempt {
	return &attempt{n: n, at: at, sinks: map[string]*sink{}, outcomes: map[string]runlog.Outcome{}}
}

// cutShort reports whether an authority failed because its run ended.
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

// ended judges what became of an authority, writes its row and says so. The schedule loop tells it of each.
func (j *job) ended(r scheduler.Result) {
	a, s := j.attempt, j.attempt.sinks[r.Label]
	o := s.outcome(r)
	o.Attempt = a.n
	if r.Started.IsZero() {
		o.Started = a.at
	}
	o, err := j.runlog.Ended(a.at, o)
	a.outcomes[o.Authority] = o
	a.problem = errors.Join(a.problem, err, j.runlog.Keep(j.clock.Now, o.Authority, j.timeline.Line(o.Authority)))
	j.logOutcome(o, s)
}

// outcome is what became of the authority whose records the sink took.
func (s *sink) outcome(r scheduler.Result) runlog.Outcome {
	o := runlog.Outcome{
		Authority: r.Label, Started: r.Started, Took: r.Ended.Sub(r.Started), Requests: r.Requests,
		Saved: r.Records, Unprocessable: int(s.unprocessable.Load()),
		Err: s.plain(r.Err), File: s.file, Overdue: r.Overdue, Unfinished: r.Started.IsZero() || cutShort(r.Err),
	}
	if o.Err == nil { // its scraper has returned
		o.Yield = s.yield
	}
	if path := s.evidence.Load(); path != nil {
		o.Evidence = *path
	}
	return o
}
