package runlog

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Overview is all that a reader of the report needs: the last run, and the last 30 days of every authority. Its JSON is the
// report's.
type Overview struct {
	Database    string              `json:"database"`
	Made        time.Time           `json:"made_at"`
	Run         RunOverview         `json:"run"`
	Days        []string            `json:"days"` // the last 30, oldest first, as YYYY-MM-DD
	Authorities []AuthorityOverview `json:"authorities"`
}

// RunOverview is the last run.
type RunOverview struct {
	At         time.Time       `json:"run_at"`
	Ended      *time.Time      `json:"ended_at"` // null: it was killed, or goes on
	Seconds    float64         `json:"seconds"`
	ExitCode   int             `json:"exit_code"`
	Cause      string          `json:"cause"`
	Unfinished []string        `json:"unfinished"` // authorities without an outcome
	Verdicts   map[Verdict]int `json:"verdicts"`
	Records    int             `json:"records"`
	Requests   int             `json:"requests"`
	Critical   *CriticalPath   `json:"critical_path"` // null where nothing is known
}

// CriticalPath is why the run was not shorter.
type CriticalPath struct {
	Authority string             `json:"authority"`
	Seconds   float64            `json:"seconds"`
	Totals    map[string]float64 `json:"totals"` // seconds by activity, and by rule of politeness
	Sentence  string             `json:"sentence"`
}

// AuthorityOverview is one authority.
type AuthorityOverview struct {
	Label       string             `json:"authority"`
	InRun       bool               `json:"in_last_run"`
	Verdict     Verdict            `json:"verdict"` // of the last run, or else the last one known
	Class       scraperutils.Class `json:"failure_class"`
	Error       string             `json:"error"`
	Remark      string             `json:"remark"` // what else is to be said, of good ones too
	Records     int                `json:"records"`
	Rejected    int                `json:"rejected"`
	Requests    int                `json:"requests"`
	Seconds     float64            `json:"seconds"`
	Attempts    int                `json:"attempts"`
	Evidence    string             `json:"evidence"` // the recording of its failure, or ""
	Replay      string             `json:"replay"`   // the command that plays it, into a database of its own
	LastRecords string             `json:"last_records_on"`
	UsualGap    float64            `json:"usual_gap_days"`
	Days        []DayOverview      `json:"days"` // one for each of Overview.Days
	Segments    []Segment          `json:"timeline"`
	Totals      map[string]float64 `json:"totals"`
}

// DayOverview is an authority's day.
type DayOverview struct {
	Verdict Verdict `json:"verdict"` // "": it did not run
	Records int     `json:"records"`
}

// reader collects an Overview.
type overviewReader struct {
	ctx      context.Context
	q        Querier
	overview *Overview
	byLabel  map[string]*AuthorityOverview
	day      map[string]int // index in Days
}

// ReadOverview reads a database that runs have written.
func ReadOverview(ctx context.Context, q Querier, database string, now time.Time) (*Overview, error) {
	r := &overviewReader{ctx: ctx, q: q, overview: &Overview{Database: database, Made: now}, byLabel: map[string]*AuthorityOverview{}, day: map[string]int{}}
	for i := range KeepDays {
		d := now.AddDate(0, 0, i-KeepDays+1).Format(time.DateOnly)
		r.overview.Days = append(r.overview.Days, d)
		r.day[d] = i
	}
	run, ok, err := LastRun(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("read the last run: %w", err)
	}
	if !ok {
		return nil, ErrNoRun
	}
	for _, step := range []func(Run) error{r.readHistory, r.readLog, r.readTimeline} {
		if err := step(run); err != nil {
			return nil, fmt.Errorf("read the report's data: %w", err)
		}
	}
	r.summarise(run)
	return r.overview, nil
}

// ErrNoRun is the answer of a database that no run has written.
var ErrNoRun = fmt.Errorf("no run has been logged in this database yet: scrape first")

func (r *overviewReader) authority(label string) *AuthorityOverview {
	a := r.byLabel[label]
	if a == nil {
		a = &AuthorityOverview{Label: label, Days: make([]DayOverview, KeepDays), Totals: map[string]float64{}}
		r.byLabel[label] = a
	}
	return a
}

func (r *overviewReader) readHistory(Run) error {
	known, err := ReadHistory(r.ctx, r.q)
	for label, h := range known {
		a := r.authority(label)
		a.Verdict, a.Class, a.UsualGap = h.LastVerdict, h.LastClass, float64(h.UsualGap)/float64(day)
		if !h.LastRecords.IsZero() {
			a.LastRecords = h.LastRecords.Format(time.DateOnly)
		}
	}
	return err
}

// readLog reads the outcomes in the order in which they came: what the attempts of a run come to together counts, for the day
// and for the run.
func (r *overviewReader) readLog(run Run) error {
	before := map[string]Outcome{}
	for row, err := range readTable(r.ctx, r.q, logTable, "SELECT * FROM scrape_log ORDER BY strftime('%s', run_at), attempt") {
		if err != nil {
			return err
		}
		if !run.counts(row) {
			continue
		}
		at, a := parseTime(row.Text("run_at")), r.authority(row.Text("authority_label"))
		o := outcomeOf(row)
		if o.Attempt > 1 {
			o = Merged(before[o.Authority], o)
		}
		before[o.Authority] = o
		if i, ok := r.day[at.Format(time.DateOnly)]; ok {
			a.Days[i] = DayOverview{Verdict: o.Verdict, Records: o.Saved}
		}
		if at.Before(run.At) {
			continue
		}
		a.InRun = true
		a.Verdict, a.Class, a.Error, a.Remark = o.Verdict, o.Class, row.Text("error_message"), row.Text("remark")
		a.Records, a.Rejected = o.Saved, o.Unprocessable
		a.Requests += int(number(row, "requests"))
		a.Seconds += number(row, "duration")
		a.Attempts++
		a.Evidence, a.Replay = o.Evidence, ""
		if o.Evidence != "" {
			a.Replay = "scrape --authority " + a.Label + " --replay " + quoted(o.Evidence) + " --as-of " + run.Day.Format(time.DateOnly) + " --db replay.sqlite"
		}
	}
	return nil
}

// outcomeOf reads back what Merged needs of a row of the log.
func outcomeOf(row scraperutils.Record) Outcome {
	o := Outcome{
		Authority:     row.Text("authority_label"),
		Attempt:       int(number(row, "attempt")),
		Saved:         int(number(row, "records_saved")),
		Unprocessable: int(number(row, "unprocessable_records")),
		Evidence:      row.Text("evidence"),
		Verdict:       Verdict(row.Text("verdict")),
		Class:         scraperutils.Class(row.Text("failure_class")),
	}
	if o.Verdict == "" { // a row of the gem's
		o.Verdict = map[string]Verdict{"successful": OK, "interrupted": Partial, "failed": Failed}[row.Text("status")]
	}
	return o
}

func (r *overviewReader) readTimeline(run Run) error {
	for row, err := range readTable(r.ctx, r.q, timelineTable, "SELECT authority_label, line FROM scrape_timeline WHERE run_at = ?", iso(run.At)) {
		if err != nil {
			return err
		}
		var line lineJSON
		if err := json.Unmarshal([]byte(row.Text("line")), &line); err != nil {
			return fmt.Errorf("timeline of %s: %w", row.Text("authority_label"), err)
		}
		a := r.authority(row.Text("authority_label"))
		a.Segments, a.Totals = line.Segments, line.Totals
	}
	return nil
}

func (r *overviewReader) summarise(run Run) {
	o := &r.overview.Run
	o.At, o.ExitCode, o.Cause, o.Verdicts = run.At, run.ExitCode, run.Cause, map[Verdict]int{}
	if !run.Ended.IsZero() {
		o.Ended, o.Seconds = &run.Ended, run.Took.Seconds()
	}
	for _, label := range run.Authorities {
		if a := r.authority(label); !a.InRun {
			o.Unfinished = append(o.Unfinished, label)
		}
	}
	for _, a := range r.byLabel {
		r.overview.Authorities = append(r.overview.Authorities, *a)
		if a.InRun {
			o.Verdicts[a.Verdict]++
			o.Records += a.Records
			o.Requests += a.Requests
		}
	}
	sort.Slice(r.overview.Authorities, func(i, j int) bool { return r.overview.Authorities[i].Label < r.overview.Authorities[j].Label })
	o.Critical = criticalPath(r.overview.Authorities)
}
