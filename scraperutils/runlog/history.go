package runlog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// SilenceAtLeast is how long an authority may give nothing before that means anything: some councils decide once a month.
const SilenceAtLeast = 33 * 24 * time.Hour

// quietTimes is how many times its usual gap an authority may be quiet.
const quietTimes = 3

// History is what is remembered of an authority over all its runs.
type History struct {
	Authority   string
	FirstRun    time.Time
	LastRun     time.Time
	LastVerdict Verdict
	LastClass   scraperutils.Class
	LastTook    time.Duration
	LastRecords time.Time     // the last day that it gave records; zero: it never did
	Source      Source        // the kind of runs; "" is the network too
	UsualGap    time.Duration // between such days, a running average
	Verdicts    map[Verdict]int
}

// SilentOn reports whether an authority that used to give records, and gives none on a day, has been quiet for too long.
func (h History) SilentOn(today time.Time) bool {
	return !h.LastRecords.IsZero() && today.Sub(h.LastRecords) > max(SilenceAtLeast, quietTimes*h.UsualGap)
}

// After returns the history after one more outcome, on a day.
func (h History) After(o Outcome, today time.Time) History {
	if h.FirstRun.IsZero() {
		h.FirstRun = o.Started
	}
	h.Authority, h.LastRun, h.LastVerdict, h.LastClass = o.Authority, o.Started, o.Verdict, o.Class
	if o.Requests > 0 {
		h.LastTook = o.Took
	}
	if o.Saved > 0 {
		if gap := today.Sub(h.LastRecords); !h.LastRecords.IsZero() && gap > 0 {
			if h.UsualGap == 0 {
				h.UsualGap = gap
			}
			h.UsualGap = (3*h.UsualGap + gap) / 4
		}
		if today.After(h.LastRecords) { // it may be a run as of a day in the past
			h.LastRecords = today
		}
	}
	counts := map[Verdict]int{o.Verdict: h.Verdicts[o.Verdict] + 1}
	for v, n := range h.Verdicts {
		if v != o.Verdict {
			counts[v] = n
		}
	}
	h.Verdicts = counts
	return h
}

// allVerdicts in the order of their columns.
var allVerdicts = []Verdict{OK, Empty, Partial, Failed, Silent, Implausible}

const day = 24 * time.Hour

// record is the row in authority_history.
func (h History) record() scraperutils.Record {
	r := scraperutils.Record{
		{Name: "authority_label", Value: h.Authority},
		{Name: "first_run_at", Value: iso(h.FirstRun)},
		{Name: "last_run_at", Value: iso(h.LastRun)},
		{Name: "last_verdict", Value: string(h.LastVerdict)},
		{Name: "last_class", Value: orNull(string(h.LastClass))},
		{Name: "last_duration", Value: round1(h.LastTook)},
		{Name: "last_records_on", Value: dateOrNull(h.LastRecords)},
		{Name: "usual_gap_days", Value: float64(h.UsualGap) / float64(day)},
	}
	for _, v := range allVerdicts {
		r = append(r, scraperutils.Field{Name: string(v) + "_count", Value: h.Verdicts[v]})
	}
	return append(r, scraperutils.Field{Name: "source", Value: orNull(string(h.Source))})
}

// Querier reads a database.
type Querier interface {
	Query(ctx context.Context, query string, args ...any) iter.Seq2[scraperutils.Record, error]
}

// ReadHistory returns what is remembered of each authority; nothing where the database has never seen a run.
func ReadHistory(ctx context.Context, q Querier) (map[string]History, error) {
	all := map[string]History{}
	for r, err := range readTable(ctx, q, historyTable, "SELECT * FROM authority_history") {
		if err != nil {
			return nil, fmt.Errorf("read the history of authorities: %w", err)
		}
		h := History{
			Authority:   r.Text("authority_label"),
			FirstRun:    parseTime(r.Text("first_run_at")),
			LastRun:     parseTime(r.Text("last_run_at")),
			LastVerdict: Verdict(r.Text("last_verdict")),
			LastClass:   scraperutils.Class(r.Text("last_class")),
			LastTook:    time.Duration(number(r, "last_duration") * float64(time.Second)),
			LastRecords: parseDate(r.Text("last_records_on")),
			UsualGap:    time.Duration(number(r, "usual_gap_days") * float64(day)),
			Source:      Source(r.Text("source")),
			Verdicts:    map[Verdict]int{},
		}
		for _, v := range allVerdicts {
			h.Verdicts[v] = int(number(r, string(v)+"_count"))
		}
		all[h.Authority] = h
	}
	return all, nil
}

// readTable yields the rows of a query on a table, or none where the table is not there.
func readTable(ctx context.Context, q Querier, table, query string, args ...any) iter.Seq2[scraperutils.Record, error] {
	return func(yield func(scraperutils.Record, error) bool) {
		exists := false
		for _, err := range q.Query(ctx, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table) {
			if err != nil {
				yield(nil, err)
				return
			}
			exists = true
		}
		if exists {
			q.Query(ctx, query, args...)(yield)
		}
	}
}

func isUseless(err error) bool {
	var site *scraperutils.UnprocessableSite
	var config *scraperutils.ConfigError
	return errors.As(err, &site) || errors.As(err, &config)
}
