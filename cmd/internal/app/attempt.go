package app

import (
	"errors"
	"time"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/runlog"
)

// attempt is what one attempt has come to so far. While the scheduler runs it belongs to the schedule loop, which fills it by
// observe.
type attempt struct {
	n        int
	at       time.Time        // by which it is known in the log
	sinks    map[string]*sink // by authority; written before the run
	started  map[string]time.Time
	requests map[string]int
	overdue  map[string]bool
	outcomes map[string]runlog.Outcome
	problem  error // of writing the log
}

func newAttempt(n int, at time.Time) *attempt {
	return &attempt{
		n: n, at: at,
		sinks: map[string]*sink{}, started: map[string]time.Time{}, requests: map[string]int{},
		overdue: map[string]bool{}, outcomes: map[string]runlog.Outcome{},
	}
}

// observe is told everything that happens, by the schedule loop.
func (j *job) observe(e scraperutils.Event) {
	j.timeline.Observe(e)
	j.logEvent(e)
	a := j.attempt
	switch e.Kind {
	case scraperutils.EventStarted:
		a.started[e.Authority] = e.Time
	case scraperutils.EventSent:
		a.requests[e.Authority]++
	case scraperutils.EventOverdue:
		a.overdue[e.Authority] = true
	case scraperutils.EventEnded, scraperutils.EventLeft:
		j.ended(runlog.Outcome{
			Authority:  e.Authority,
			Started:    a.started[e.Authority],
			Took:       e.Time.Sub(a.started[e.Authority]),
			Err:        e.Err,
			Unfinished: cutShort(e.Err),
		})
	}
}

// cutShort tells whether an authority failed because its run ended.
func cutShort(err error) bool {
	var (
		timeout *scheduler.RunTimeoutError
		signal  *signalError
	)
	return errors.As(err, &timeout) || errors.As(err, &signal) || brokenDatabase(err) != nil
}

// brokenDatabase returns what became of the database, where that is why something failed, or nil.
func brokenDatabase(err error) error {
	var broken *db.BrokenError
	if errors.As(err, &broken) {
		return broken
	}
	return nil
}

// ended judges the outcome of an authority, writes its row and says so.
func (j *job) ended(o runlog.Outcome) {
	a, s := j.attempt, j.attempt.sinks[o.Authority]
	o.Attempt, o.Requests, o.Overdue = a.n, a.requests[o.Authority], a.overdue[o.Authority]
	o.Err, o.File = s.plain(o.Err), s.file
	o.Saved, o.Unprocessable = s.Saved(), int(s.unprocessable.Load())
	if o.Err == nil { // its scraper has returned
		o.Yield = s.yield
	}
	if path := s.evidence.Load(); path != nil {
		o.Evidence = *path
	}
	o, err := j.runlog.Ended(a.at, o)
	a.outcomes[o.Authority] = o
	a.problem = errors.Join(a.problem, err, j.runlog.Keep(j.clock.Now, o.Authority, j.timeline.Line(o.Authority)))
	j.logOutcome(o, s)
}
