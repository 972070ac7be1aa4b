package runlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// The tables. The first two are the ScraperUtils gem's, with columns of ours behind its own.
const (
	logTable      = "scrape_log"
	summaryTable  = "scrape_summary"
	historyTable  = "authority_history"
	timelineTable = "scrape_timeline"
)

// keysOf is the columns that tell the rows of each table apart.
var keysOf = map[string][]string{
	logTable:      {"authority_label", "run_at"},
	summaryTable:  {"run_at"},
	historyTable:  {"authority_label"},
	timelineTable: {"authority_label"},
	runTable:      {"began_at"},
	yieldTable:    {"authority_label", "run_at"},
}

// Tables returns the tables that a Log writes, with the columns that tell the rows of each apart.
func Tables() map[string][]string { return maps.Clone(keysOf) }

// timeOf is the column that says when, of the tables by which a run is known.
var timeOf = map[string]string{logTable: "run_at", summaryTable: "run_at", runTable: "began_at"}

// KeepDays is how long rows of the log and the summaries are kept.
const KeepDays = 30

// Database is what a Log needs of one.
type Database interface {
	Querier
	Exec(ctx context.Context, statement string, args ...any) (int64, error)
}

// Saver takes rows of one table; they are on the disk after Settle.
type Saver interface {
	Save(r scraperutils.Record) error
	Settle(ctx context.Context) error
}

// Log writes what becomes of authorities. It belongs to one goroutine.
type Log struct {
	today    time.Time // at midnight UTC
	database Database
	rows     Saver
	sums     Saver
	history  Saver
	timeline Saver
	runs     Saver
	yields   Saver
	known    map[string]History
	run      Run // that was saved last
	ended    map[string]entry
}

// entry is what the log has of an authority in the run that goes on.
type entry struct {
	at      time.Time // of the last attempt
	merged  Outcome   // of all attempts
	outcome Outcome   // of the last attempt
	before  History   // the run
}

// NewLog reads the history and drops what is older than KeepDays now. savers makes the ledger of a table with its keys. today
// is the day that the run is for, by which an authority's quiet is judged.
func NewLog(ctx context.Context, database Database, savers func(table string, keys ...string) Saver, now, today time.Time) (*Log, error) {
	known, err := ReadHistory(ctx, database)
	if err != nil {
		return nil, err
	}
	l := &Log{
		today:    parseDate(today.Format(time.DateOnly)),
		database: database,
		rows:     savers(logTable, keysOf[logTable]...),
		sums:     savers(summaryTable, keysOf[summaryTable]...),
		history:  savers(historyTable, keysOf[historyTable]...),
		timeline: savers(timelineTable, keysOf[timelineTable]...),
		runs:     savers(runTable, keysOf[runTable]...),
		yields:   savers(yieldTable, keysOf[yieldTable]...),
		known:    known,
		ended:    map[string]entry{},
	}
	return l, l.trim(ctx, now)
}

// trim drops what is too old. It writes only where there is something.
func (l *Log) trim(ctx context.Context, now time.Time) error {
	for table, column := range timeOf {
		if err := l.trimTable(ctx, table, column, now.AddDate(0, 0, -KeepDays)); err != nil {
			return err
		}
	}
	return l.trimTable(ctx, yieldTable, "run_at", now.AddDate(0, 0, -yieldDays))
}

func (l *Log) trimTable(ctx context.Context, table, column string, oldest time.Time) error {
	where, day := " FROM "+table+" WHERE date("+column+") < ?", oldest.Format(time.DateOnly)
	old := 0
	for r, err := range readTable(ctx, l.database, table, "SELECT count(*) AS n"+where, day) {
		if err != nil {
			return fmt.Errorf("trim %s: %w", table, err)
		}
		old = int(number(r, "n"))
	}
	if old == 0 {
		return nil
	}
	if _, err := l.database.Exec(ctx, "DELETE"+where, day); err != nil {
		return fmt.Errorf("trim %s: %w", table, err)
	}
	return nil
}

// History returns what is known of an authority.
func (l *Log) History(authority string) History { return l.known[authority] }

// Begin returns the time by which an attempt is known: now in seconds, or the second after the last one known.
func (l *Log) Begin(ctx context.Context, now time.Time) (time.Time, error) {
	at := now.Truncate(time.Second)
	for table, column := range timeOf {
		for r, err := range readTable(ctx, l.database, table, "SELECT "+column+" AS at FROM "+table+" ORDER BY strftime('%s', "+column+") DESC LIMIT 1") {
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

// Ended judges an outcome of the attempt that began at runAt and writes its row, what it gave, and the history. A run counts
// once in the history, whatever the number of its attempts.
func (l *Log) Ended(runAt time.Time, o Outcome) (Outcome, error) {
	label := o.Authority
	e := l.ended[label]
	if o.Attempt <= 1 {
		e = entry{before: l.known[label]}
	}
	o = Judge(o, l.known[label], l.today)
	e.at, e.outcome, e.merged = runAt, o, Merged(e.merged, o)
	l.ended[label] = e
	problem := errors.Join(l.rows.Save(l.row(e)), l.remember(e))
	if o.Verdict == OK || o.Verdict == Empty {
		problem = errors.Join(problem, l.saveYield(e))
	}
	return o, problem
}

// row is the row of an attempt in scrape_log.
func (l *Log) row(e entry) scraperutils.Record {
	return append(e.outcome.record(e.at), scraperutils.Field{Name: "source", Value: orNull(string(l.run.Source))})
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
	h = h.After(e.merged, l.today)
	h.Source = kind
	l.known[e.outcome.Authority] = h
	return l.history.Save(h.record())
}

// record is the row in scrape_log: the gem's columns, then ours.
func (o Outcome) record(runAt time.Time) scraperutils.Record {
	var message, class any
	if o.Err != nil {
		message, class = o.Err.Error(), TypeName(o.Err)
	}
	return scraperutils.Record{
		{Name: "run_at", Value: iso(runAt)},
		{Name: "attempt", Value: o.Attempt},
		{Name: "authority_label", Value: o.Authority},
		{Name: "records_saved", Value: o.Saved},
		{Name: "unprocessable_records", Value: o.Unprocessable},
		{Name: "status", Value: o.Status()},
		{Name: "error_message", Value: message},
		{Name: "error_class", Value: class},
		{Name: "error_backtrace", Value: orNull(strings.Join(Backtrace(o.Err), "\n"))},
		{Name: "verdict", Value: string(o.Verdict)},
		{Name: "failure_class", Value: orNull(string(o.Class))},
		{Name: "duration", Value: round1(o.Took)},
		{Name: "requests", Value: o.Requests},
		{Name: "evidence", Value: orNull(o.evidence())},
		{Name: "authorities_file", Value: orNull(o.File)},
		{Name: "remark", Value: orNull(o.Remark())},
	}
}

// Summarise writes the row of an attempt, in the order in which its authorities are given, and waits until all rows are on the
// disk.
func (l *Log) Summarise(ctx context.Context, runAt time.Time, attempt int, took time.Duration, outcomes []Outcome) error {
	labels := map[string][]string{}
	for _, o := range outcomes {
		labels[o.Status()] = append(labels[o.Status()], o.Authority)
	}
	r := scraperutils.Record{{Name: "run_at", Value: iso(runAt)}, {Name: "attempt", Value: attempt}, {Name: "duration", Value: round1(took)}}
	statuses := []string{"successful", "failed", "interrupted"}
	for _, s := range statuses {
		r = append(r, scraperutils.Field{Name: s, Value: strings.Join(labels[s], ",")})
	}
	for _, s := range []string{"successful", "interrupted", "failed"} {
		r = append(r, scraperutils.Field{Name: s + "_count", Value: len(labels[s])})
	}
	r = append(r, scraperutils.Field{Name: "public_ip", Value: nil})
	if err := l.sums.Save(r); err != nil {
		return err
	}
	return l.Settle(ctx)
}

// Settle waits until what was written is on the disk.
func (l *Log) Settle(ctx context.Context) error {
	var problems []error
	for _, s := range []Saver{l.runs, l.rows, l.yields, l.history, l.timeline, l.sums} {
		problems = append(problems, s.Settle(ctx))
	}
	return errors.Join(slices.DeleteFunc(problems, func(err error) bool { return err == nil })...)
}
