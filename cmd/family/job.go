package family

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/rs/zerolog"

	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/news"
	"github.com/multiscraper/multiscraper/scraperutils/run/quality"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/run/trace"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// job is one run of the command: attempts on authorities until nothing is left that another one may help.
type job struct {
	family   *Family
	settings settings
	clock    site.Clock
	network  *egress.Network
	books    books     // in which it is written down
	screen   screen    // on which it is told
	hearers  hearers   // of its end
	telling  *telling  // of it while it goes on; nil: nobody can follow it
	stops    stops     // of single sites
	began    time.Time // to the nanosecond, unlike clock.Now, by which the run is known

	scheduler *scheduler.Scheduler
	entries   []registry.Entry // all of the run
	attempt   *attempt         // the one that is running
	result    result
}

// books is where a run is written down.
type books struct {
	database *db.DB
	log      *runlog.Log // the loop's goroutine writes while it runs, the job's before and after
	timeline *trace.Timeline
}

// screen is where a run is told to who looks on.
type screen struct {
	log      zerolog.Logger
	format   string // of the log and of the report: text or json
	progress *progress
	short    bool // its end is what is new, in a screenful, instead of the table
}

// result is what a run has come to in the attempts that have ended.
type result struct {
	outcomes map[string]runlog.Outcome // of each site, all attempts together
	efforts  map[string]news.Effort    // of each site, all attempts added up
	totals   []scheduler.Totals        // of each attempt
	cause    error                     // why the run ended early, or nil
}

// prepare makes what a run needs, before anybody is told of it.
func (j *job) prepare(entries []registry.Entry) {
	j.result.outcomes, j.result.efforts = map[string]runlog.Outcome{}, map[string]news.Effort{}
	j.entries, j.scheduler = entries, scheduler.New(j.schedulerConfig())
}

// run goes through the attempts.
func (j *job) run(ctx context.Context, entries []registry.Entry) (err error) {
	defer func() { // verdicts are final then
		for _, e := range entries {
			if o, ok := j.result.outcomes[e.Label]; ok {
				j.network.Settle(targetOf(e), o.Verdict.Bad(), o.Verdict == runlog.OK)
			}
		}
		err = errors.Join(err, j.network.Close())
	}()
	left := entries
	for n := 1; n <= j.settings.attempts && len(left) > 0 && j.result.cause == nil; n++ {
		if n > 1 {
			j.screen.log.Info().Int(j.family.Registry.Sites, len(left)).Msgf("attempt %d on what failed", n)
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
func (j *job) doubt(ctx context.Context, entries []registry.Entry) error {
	if ctx.Err() != nil {
		return nil
	}
	least := map[string]runlog.Least{}
	for _, e := range entries {
		least[e.Label] = runlog.Least{Records: e.LeastRecords, Filled: e.LeastFilled}
	}
	doubted, err := j.books.log.Doubt(ctx, least)
	for _, e := range entries {
		if o, ok := doubted[e.Label]; ok {
			j.result.outcomes[e.Label] = o
			if j.screen.progress.problems {
				j.screen.progress.problem(time.Now(), o)
				continue
			}
			j.screen.log.Error().Str(j.family.Registry.Site, o.Authority).Str("verdict", string(o.Verdict)).Str("class", string(o.Class)).Str("remark", o.Remark()).Msg("doubted")
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
		Pacer:      pace.New(j.settings.network.Pace),
		MaxRunning: runtime.GOMAXPROCS(0),
		MaxWorkers: workers,
		RunTimeout: j.settings.runTimeout,
		OnEvent:    []func(scraperutils.Event){j.books.timeline.Observe, j.logEvent, func(e scraperutils.Event) { j.telling.event(j, e) }},
		Ended:      j.ended,
	}
}

// try is one attempt on some authorities.
func (j *job) try(ctx context.Context, n int, entries []registry.Entry) error {
	at := j.clock.Now // the first attempt begins with the run
	if n > 1 {
		var err error
		if at, err = j.books.log.Begin(ctx, time.Now()); err != nil {
			return err
		}
	}
	j.attempt = newAttempt(n, at)
	j.telling.attempt()
	for _, e := range entries {
		v := &visit{entry: e, sink: j.newSink(e, at)}
		v.sink.again = n > 1
		j.attempt.visits[e.Label] = v
		scrape := func(ctx context.Context) error { return j.visit(ctx, v) }
		if err := j.scheduler.Register(e.Label, scrape, scheduler.SavesTo(v.sink), scheduler.LastTook(j.books.log.History(e.Label).LastTook)); err != nil {
			return err
		}
	}
	began := time.Now()
	stop := j.screen.progress.follow(j.scheduler, n)
	results, err := j.scheduler.Run(ctx)
	stop()
	if err != nil {
		return err
	}
	j.result.cause = cmp.Or(results.Err, context.Cause(ctx)) // the database may have failed with the last commit
	j.result.totals = append(j.result.totals, results.Totals)
	return j.close(results, time.Since(began), entries)
}

func (j *job) newSink(e registry.Entry, at time.Time) *sink {
	return &sink{
		label:    e.Label,
		secrets:  j.network.Secrets(targetOf(e)),
		runAt:    at.Format(time.RFC3339),
		now:      time.Now(),
		table:    j.family.Table,
		check:    j.family.Check,
		debug:    j.family.variable("DEBUG"),
		data:     j.books.database.Ledger(j.family.Table.Name, j.family.Table.keys()...),
		rejected: j.books.database.Ledger(rejectedTable, j.family.Table.rejectedKeys()...),
		monitor:  quality.New(e.Label, j.settings.quality),
		log:      j.screen.log.With().Str(j.family.Registry.Site, e.Label).Logger(),
	}
}

// errCutOff is the failure of a scraper that has not returned: it panics, or ends its goroutine.
var errCutOff = errors.New("its scraper was cut off")

// visit runs the scraper of one site, in the operation's goroutine. Its recording is kept however it ends, also where it
// returns nothing: it panics, or ends its goroutine.
func (j *job) visit(ctx context.Context, v *visit) (err error) {
	session, err := j.network.Open(targetOf(v.entry), func(p *agent.Page) { v.bytes.Add(int64(len(p.Text))) })
	if err != nil {
		return err
	}
	ctx, ended := j.stops.begin(ctx, v.entry.Label)
	defer ended()
	failure := errCutOff
	defer func() {
		folder, problem := session.Close(failure)
		v.evidence.Store(&folder)
		if problem != nil {
			err = errors.Join(err, problem)
		}
	}()
	failure = v.entry.Scraper.Scrape(ctx, &site.Visit{Agent: session.Agent, Clock: j.clock, Search: j.settings.search(), Sink: v.sink})
	if failure != nil && errors.Is(context.Cause(ctx), errByHand) {
		failure = errByHand
	}
	return failure
}

// close ends an attempt.
func (j *job) close(results *scheduler.Results, took time.Duration, entries []registry.Entry) error {
	var outcomes []runlog.Outcome
	for _, r := range results.Operations {
		o := j.attempt.outcomes[r.Label]
		outcomes = append(outcomes, o)
		j.result.outcomes[r.Label] = runlog.Merged(j.result.outcomes[r.Label], o)
		j.result.efforts[r.Label] = j.result.efforts[r.Label].Plus(news.Effort{Requests: o.Requests, Took: o.Took, Bytes: j.attempt.visits[r.Label].bytes.Load()})
	}
	return errors.Join(j.attempt.problem, j.books.log.Summarise(context.Background(), j.attempt.at, j.attempt.n, took, outcomes))
}

// retryable returns the sites that another attempt may help.
func (j *job) retryable(entries []registry.Entry) []registry.Entry {
	var left []registry.Entry
	for _, e := range entries {
		if retryable(j.result.outcomes[e.Label]) && !j.stops.asked(e.Label) {
			left = append(left, e)
		}
	}
	return left
}

// targetOf is an entry as a site to be asked.
func targetOf(e registry.Entry) egress.Site {
	return egress.Site{Label: e.Label, Platform: e.Platform, URL: e.URL, Timeout: e.Timeout, TLSInsecure: e.TLSInsecure, Render: e.Render, ByProxy: e.ByProxy}
}

func targetsOf(entries []registry.Entry) (all []egress.Site) {
	for _, e := range entries {
		all = append(all, targetOf(e))
	}
	return all
}
