package family

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/quality"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/web/secret"
)

// sink is where the scraper of one site puts what it found in one attempt: good records into the family's table, others into
// the table rejected, the rest into the log.
type sink struct {
	table    Table
	check    func(scraperutils.Record, time.Time) error // nil: any record is good
	debug    string                                     // the variable that has more logged
	label    string                                     // of the site
	secrets  *secret.Set                                // what no text may hold
	runAt    string                                     // of the attempt, as it stands in the tables
	now      time.Time                                  // by which records are judged
	data     *db.Ledger
	rejected *db.Ledger
	monitor  *quality.Monitor // the scraper counts; anybody may read
	yield    runlog.Yield     // of what was saved; the scraper's until it has ended
	log      zerolog.Logger
	again    bool // another attempt: its rows are mostly those of the first

	skipped atomic.Int64 // counted by the scraper, read by all
}

// How many rows a site may have in the log of an ordinary run; the rest are counted.
const (
	loggedRejects = 2
	loggedSkips   = 1
)

// Save checks a record, adds the site's label and queues it. A record that is no good is rejected.
func (s *sink) Save(ctx context.Context, r scraperutils.Record) error {
	r = r.With(s.table.Label, s.label)
	var err error
	if s.check != nil {
		err = s.check(r, s.now)
	}
	if err == nil {
		err = s.data.Save(r)
	}
	var bad *scraperutils.UnprocessableRecord
	switch {
	case err == nil:
		s.monitor.Saved()
		s.yield.Add(s.table.reference(r), r)
		if e := s.log.Trace(); e.Enabled() {
			e.Msg(s.table.naming().SavedLine(r))
		}
		return nil
	case errors.As(err, &bad):
		return s.reject(s.table.reference(r), r, err)
	default:
		return err
	}
}

// Reject takes a row that never became a record.
func (s *sink) Reject(_ context.Context, reference string, why error) error {
	return s.reject(reference, scraperutils.Record{{Name: s.table.Label, Value: s.label}, {Name: s.table.referenceColumn(), Value: reference}}, why)
}

// reject keeps a bad record with the reason. Too many of them are the site's failure.
func (s *sink) reject(reference string, r scraperutils.Record, why error) error {
	tooMany, why := s.monitor.Unprocessable(), s.plain(why)
	_, n := s.monitor.Counts()
	s.say(n, loggedRejects, zerolog.WarnLevel, s.table.naming().UnprocessableLine(r, why))
	text, err := json.Marshal(r)
	if err != nil {
		text = []byte("null")
	}
	err = s.rejected.Save(scraperutils.Record{
		{Name: s.table.Label, Value: s.label},
		{Name: s.table.referenceColumn(), Value: reference},
		{Name: "reason", Value: scraperutils.Clean(why.Error())},
		{Name: "record", Value: string(text)},
		{Name: "run_at", Value: s.runAt},
	})
	return errors.Join(tooMany, err)
}

// plain is an error without secrets, for logs and tables.
func (s *sink) plain(err error) error { return egress.Plain(err, s.secrets) }

// Skip tells of a row that is left out on purpose.
func (s *sink) Skip(_ context.Context, reference, why string) {
	s.say(int(s.skipped.Add(1)), loggedSkips, zerolog.InfoLevel, "skipped "+reference+": "+s.plain(errors.New(why)).Error())
}

// say logs the n-th row of its kind: the first few, or all of them when debugging.
func (s *sink) say(n, most int, level zerolog.Level, text string) {
	switch {
	case n > most || s.again:
		s.log.Debug().Msg(text)
	case n == most && s.log.GetLevel() > zerolog.DebugLevel:
		s.log.WithLevel(level).Msg(text + " (more like that are only counted: " + s.debug + "=1 shows them)")
	default:
		s.log.WithLevel(level).Msg(text)
	}
}

// Settled reports whether there is nothing to wait for.
func (s *sink) Settled() bool { return s.data.Settled() && s.rejected.Settled() }

// Settle waits for both tables, so that the scheduler can.
func (s *sink) Settle(ctx context.Context) error {
	return errors.Join(s.data.Settle(ctx), s.rejected.Settle(ctx))
}

// Saved is the number of records saved.
func (s *sink) Saved() int { return s.data.Saved() }
