package runlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/trace"
)

// Database is what a Log needs of one.
type Database interface {
	Querier
	// Trim deletes the rows of a table that a column says are of days before one (as YYYY-MM-DD), where there are such.
	// It returns how many, and what the column of the oldest said.
	Trim(ctx context.Context, table, column, before string) (rows int64, oldest string, err error)
}

// Saver takes rows of one table; they are on the disk after Settle.
type Saver interface {
	Save(r scraperutils.Record) error
	Settle(ctx context.Context) error
}

// ledger saves the values of one table.
type ledger[T any] struct {
	table[T]
	Saver
}

func (l ledger[T]) save(v T) error { return l.Save(l.record(v)) }

// Log writes what becomes of authorities. It belongs to one goroutine.
type Log struct {
	today    time.Time // at midnight UTC
	database Database
	rows     ledger[logged]
	results  ledger[logged]
	sums     ledger[summary]
	runs     ledger[Run]
	history  ledger[History]
	yields   ledger[pastYield]
	timeline ledger[timeline]
	known    map[string]History
	run      Run // that was saved last
	ended    map[string]entry
	usual    map[string]int // records by authority; set by Doubt
}

// entry is what the log has of an authority in the run that goes on.
type entry struct {
	at      time.Time // of the last attempt
	merged  Outcome   // of all attempts
	outcome Outcome   // of the last attempt
	before  History   // the run

	attempts int
	requests int           // of all attempts
	took     time.Duration // by all attempts
}

// NewLog reads the history and drops rows that have been kept for long enough now. savers makes the ledger of a table with its
// keys. today is the day that the run is for, by which an authority's quiet is judged.
func NewLog(ctx context.Context, database Database, savers func(table string, keys ...string) Saver, now, today time.Time) (*Log, error) {
	known, err := ReadHistory(ctx, database)
	if err != nil {
		return nil, err
	}
	saver := func(k kind) Saver { return savers(k.name, k.keys...) }
	l := &Log{
		today:    parseDate(today.Format(time.DateOnly)),
		database: database,
		rows:     ledger[logged]{logTable, saver(logTable.kind)},
		results:  ledger[logged]{resultTable, saver(resultTable.kind)},
		sums:     ledger[summary]{summaryTable, saver(summaryTable.kind)},
		runs:     ledger[Run]{runTable, saver(runTable.kind)},
		history:  ledger[History]{historyTable, saver(historyTable.kind)},
		yields:   ledger[pastYield]{yieldTable, saver(yieldTable.kind)},
		timeline: ledger[timeline]{timelineTable, saver(timelineTable.kind)},
		known:    known,
		ended:    map[string]entry{},
	}
	for _, k := range kinds() {
		if k.days == 0 {
			continue
		}
		if _, _, err := database.Trim(ctx, k.name, k.dated, now.AddDate(0, 0, -k.days).Format(time.DateOnly)); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// History returns the history of an authority.
func (l *Log) History(authority string) History { return l.known[authority] }

// Begin returns the time that identifies an attempt: now in seconds, or the second after the latest one in the log.
func (l *Log) Begin(ctx context.Context, now time.Time) (time.Time, error) {
	at := now.Truncate(time.Second)
	for _, k := range []kind{logTable.kind, summaryTable.kind, runTable.kind} {
		for r, err := range query(ctx, l.database, k.name, "SELECT "+k.dated+" AS at FROM "+k.name+" ORDER BY strftime('%s', "+k.dated+") DESC LIMIT 1") {
			if err != nil {
				return at, fmt.Errorf("read the last run: %w", err)
			}
			if last := parseTime(r.Text("at")); !last.Before(at) && last.Sub(at) < time.Hour {
				at = last.Add(time.Second).In(now.Location())
			}
		}
	}
	return at, nil
}

// Save writes the row of a run, as it is now, the first time before its first outcome. What comes of a replay stays out of the
// history.
func (l *Log) Save(r Run) error {
	l.run = r
	return l.runs.save(r)
}

// Ended judges an outcome of the attempt that began at runAt and writes its row, what it gave, and the history. A run counts
// once in the history, whatever the number of its attempts.
func (l *Log) Ended(runAt time.Time, o Outcome) (Outcome, error) {
	label := o.Authority
	e := l.ended[label]
	if o.Attempt <= 1 {
		e = entry{before: l.known[label]}
	}
	o = judge(o, l.known[label], l.today)
	e.at, e.outcome, e.merged = runAt, o, Merged(e.merged, o)
	e.attempts, e.requests, e.took = e.attempts+1, e.requests+o.Requests, e.took+o.Took
	l.ended[label] = e
	problem := errors.Join(l.saveOutcome(e), l.remember(e))
	if o.Verdict == OK || o.Verdict == Empty {
		problem = errors.Join(problem, l.saveYield(e))
	}
	return o, problem
}

// saveOutcome writes the row of an attempt, and that of the run so far.
func (l *Log) saveOutcome(e entry) error {
	problem := l.rows.save(logged{Outcome: e.outcome, at: e.at, source: l.run.Source})
	if l.run.isReplay() || l.run.At.IsZero() {
		return problem
	}
	all := logged{Outcome: e.merged, at: l.run.At, seconds: round1(e.took), attempts: e.attempts}
	all.Requests = e.requests
	return errors.Join(problem, l.results.save(all))
}

// remember writes the history as it is after a run so far. A replay leaves no trace in it. Built-in sites, and runs as of
// another day, have a history only until the real site is asked as it is.
func (l *Log) remember(e entry) error {
	h, kind := e.before, l.run.kind()
	known := cmp.Or(h.Source, FromNetwork)
	switch {
	case kind == FromReplay, kind != FromNetwork && known == FromNetwork && !h.FirstRun.IsZero():
		return nil
	case kind != known:
		h = History{}
	}
	h = h.after(e.merged, l.today)
	h.Source = kind
	l.known[e.outcome.Authority] = h
	return l.history.save(h)
}

// Keep writes the timeline of an authority in the run that began at runAt; the one before goes, unless this is a replay, which
// waits for nobody.
func (l *Log) Keep(runAt time.Time, authority string, line *trace.Line) error {
	if line == nil || l.run.isReplay() {
		return nil
	}
	return l.timeline.save(timeline{authority, runAt, line})
}

// Summarise writes the row of an attempt, in the order in which its authorities are given, and waits until all rows are on the
// disk.
func (l *Log) Summarise(ctx context.Context, runAt time.Time, attempt int, took time.Duration, outcomes []Outcome) error {
	s := summary{at: runAt, attempt: attempt, took: took, labels: map[string][]string{}}
	for _, o := range outcomes {
		s.labels[o.status()] = append(s.labels[o.status()], o.Authority)
	}
	if err := l.sums.save(s); err != nil {
		return err
	}
	return l.Settle(ctx)
}

// Settle waits until what was written is on the disk.
func (l *Log) Settle(ctx context.Context) error {
	var problems []error
	for _, s := range []Saver{l.runs, l.rows, l.results, l.yields, l.history, l.timeline, l.sums} {
		problems = append(problems, s.Settle(ctx))
	}
	return errors.Join(slices.DeleteFunc(problems, func(err error) bool { return err == nil })...)
}
