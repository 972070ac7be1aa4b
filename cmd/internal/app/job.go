package app

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/rs/zerolog"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/quality"
	"github.com/multiscraper/multiscraper/scraperutils/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/secret"
)

// job is one run of the command: attempts on authorities until nothing is left that another one may help.
type job struct {
	settings  settings
	clock     register.Clock
	attempts  int
	network   *network
	evidence  *evidence // nil: failures are not kept
	database  *db.DB
	runlog    *runlog.Log // the loop's goroutine writes while it runs, this one before and after
	log       zerolog.Logger
	logFormat string
	progress  *progress

	began     time.Time // to the nanosecond, unlike clock.Now, by which the run is known
	scheduler *scheduler.Scheduler
	attempt   *attempt // the one that is running
	timeline  *runlog.Timeline
	flight    *flight
	final     map[string]runlog.Outcome // of each authority, all attempts together
	totals    []scheduler.Totals        // of each attempt
	cause     error                     // why the run ended early, or nil
}

// run goes through the attempts.
func (j *job) run(ctx context.Context, entries []authorities.Entry) (err error) {
	j.final = map[string]runlog.Outcome{}
	j.timeline = runlog.NewTimeline(j.began)
	j.scheduler = scheduler.New(j.schedulerConfig())
	j.flight = newFlight(j.evidence, j.network, j.log)
	defer func() { // verdicts are final then
		for _, e := range entries {
			if o, ok := j.final[e.Label]; ok {
				j.flight.settle(e, o.Verdict)
			}
		}
		err = errors.Join(err, j.flight.close())
	}()
	left := entries
	for n := 1; n <= j.attempts && len(left) > 0 && j.cause == nil; n++ {
		if n > 1 {
			j.log.Info().Int("authorities", len(left)).Msgf("attempt %d on what failed", n)
			if err := j.scheduler.Reset(); err != nil {
				return err
			}
		}
		if err := j.try(ctx, n, left); err != nil {
			return err
		}
		left = j.retryable(left)
	}
	return j.doubt(ctx, entries)
}

// doubt looks at what came of the whole run, and tells of what is implausible. A run that is told to end leaves that out.
func (j *job) doubt(ctx context.Context, entries []authorities.Entry) error {
	if ctx.Err() != nil {
		return nil
	}
	least := map[string]runlog.Least{}
	for _, e := range entries {
		least[e.Label] = runlog.Least{Records: e.LeastRecords, Filled: e.LeastFilled}
	}
	doubted, err := j.runlog.Doubt(ctx, least)
	for _, e := range entries {
		if o, ok := doubted[e.Label]; ok {
			j.final[e.Label] = o
			j.log.Error().Str("authority", o.Authority).Str("verdict", string(o.Verdict)).Str("class", string(o.Class)).Str("remark", o.Remark()).Msg("doubted")
		}
	}
	return err
}

func (j *job) schedulerConfig() scheduler.Config {
	workers := j.settings.maxWorkers
	if j.settings.disableThreads {
		workers = 1
	}
	return scheduler.Config{
		Pacer:      j.settings.pacer(j.network.replay != ""),
		MaxRunning: runtime.GOMAXPROCS(0),
		MaxWorkers: workers,
		RunTimeout: j.settings.runTimeout,
		OnEvent:    []func(scraperutils.Event){j.timeline.Observe, j.logEvent},
		Ended:      j.ended,
	}
}

// try is one attempt on some authorities.
func (j *job) try(ctx context.Context, n int, entries []authorities.Entry) error {
	at := j.clock.Now // the first attempt begins with the run
	if n > 1 {
		var err error
		if at, err = j.runlog.Begin(ctx, time.Now()); err != nil {
			return err
		}
	}
	j.attempt = newAttempt(n, at)
	for _, e := range entries {
		s := j.newSink(e, at)
		s.again = n > 1
		j.attempt.sinks[e.Label] = s
		scrape := func(ctx context.Context) error { return j.visit(ctx, e, s) }
		if err := j.scheduler.Register(e.Label, scrape, scheduler.SavesTo(s), scheduler.LastTook(j.runlog.History(e.Label).LastTook)); err != nil {
			return err
		}
	}
	began := time.Now()
	stop := j.progress.follow(j.scheduler, len(entries))
	results, err := j.scheduler.Run(ctx)
	stop()
	if err != nil {
		return err
	}
	j.cause = cmp.Or(results.Err, context.Cause(ctx)) // the database may have failed with the last commit
	j.totals = append(j.totals, results.Totals)
	return j.close(results, time.Since(began), entries)
}

func (j *job) newSink(e authorities.Entry, at time.Time) *sink {
	return &sink{
		authority: e.Label,
		file:      e.File,
		secrets:   secret.New(j.network.secrets(e)...),
		runAt:     at.Format(time.RFC3339),
		now:       time.Now(),
		data:      j.database.Ledger(dataTable, dataKeys...),
		rejected:  j.database.Ledger(rejectedTable, rejectedKeys...),
		monitor:   quality.New(e.Label, j.settings.quality),
		log:       j.log.With().Str("authority", e.Label).Logger(),
	}
}

// errCutOff is the failure of a scraper that has not returned: it panics, or ends its goroutine.
var errCutOff = errors.New("its scraper was cut off")

// visit runs the scraper of one authority, in the operation's goroutine. Its recording is kept however it ends.
func (j *job) visit(ctx context.Context, e authorities.Entry, s *sink) (err error) {
	session, err := j.network.open(e, j.flight)
	if err != nil {
		return err
	}
	failure := errCutOff
	defer func() {
		path, problem := session.close(failure)
		s.evidence.Store(&path)
		if problem != nil {
			err = errors.Join(err, problem)
		}
	}()
	failure = e.Scraper.Scrape(ctx, &register.Visit{Agent: session.agent, Clock: j.clock, Search: j.settings.search(), Sink: s})
	return failure
}

// close ends an attempt.
func (j *job) close(results *scheduler.Results, took time.Duration, entries []authorities.Entry) error {
	var outcomes []runlog.Outcome
	for _, r := range results.Operations {
		o := j.attempt.outcomes[r.Label]
		outcomes = append(outcomes, o)
		j.final[r.Label] = runlog.Merged(j.final[r.Label], o)
	}
	return errors.Join(j.attempt.problem, j.runlog.Summarise(context.Background(), j.attempt.at, j.attempt.n, took, outcomes))
}

// retryable returns the authorities that another attempt may help.
func (j *job) retryable(entries []authorities.Entry) []authorities.Entry {
	var left []authorities.Entry
	for _, e := range entries {
		if j.final[e.Label].Retryable() {
			left = append(left, e)
		}
	}
	return left
}
