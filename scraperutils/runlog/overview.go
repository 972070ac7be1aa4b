package runlog

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Overview is all that a reader of the report needs: a run, the latest that is known of every authority, and its last 30 days.
// Its JSON is the report's.
type Overview struct {
	Database    string              `json:"database"`
	Made        time.Time           `json:"made_at"`
	Run         RunOverview         `json:"run"`
	Days        []string            `json:"days"` // the last 30, oldest first, as YYYY-MM-DD
	Authorities []AuthorityOverview `json:"authorities"`
}

// RunOverview is the run.
type RunOverview struct {
	ID         string          `json:"run"`
	At         time.Time       `json:"run_at"`
	Ended      *time.Time      `json:"ended_at"` // null: it was killed, or goes on
	Process    int             `json:"process"`  // in which it goes on, or 0
	Seconds    float64         `json:"seconds"`
	ExitCode   int             `json:"exit_code"`
	Cause      string          `json:"cause"`
	Reasons    []string        `json:"reasons"`    // what was not expected
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
	InRun       bool               `json:"in_last_run"` // its outcome is of the run that is shown
	RunAt       time.Time          `json:"run_at"`      // when the run began that its outcome is of; zero: longer ago than the log goes back
	Day         string             `json:"day"`         // that this run was for
	Unfinished  bool               `json:"unfinished"`  // that run was over before it was; what else is said is of an earlier one
	cutShort    bool               // and that run is the one that is shown
	Verdict     Verdict            `json:"verdict"` // the last one known
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
	Runs    int     `json:"runs"` // the last of them counts
}

// overviewReader collects an Overview.
type overviewReader struct {
	ctx      context.Context
	q        Querier
	overview *Overview
	byLabel  map[string]*AuthorityOverview
	day      map[string]int // index in Days
}

// View is what of a database is to be seen.
type View struct {
	Database string    // its name
	Now      time.Time // the 30 days end then
	Run      string    // the ID of the run that is shown alone, or its beginning; "": the last, and what is left of those before
	Process  int       // that is writing the database, or 0
}

// ReadOverview reads a database that runs have written. The error is ErrNoRun, or an *UnknownRunError, where there is nothing to
// see.
func ReadOverview(ctx context.Context, q Querier, v View) (*Overview, error) {
	r := &overviewReader{ctx: ctx, q: q, overview: &Overview{Database: v.Database, Made: v.Now}, byLabel: map[string]*AuthorityOverview{}, day: map[string]int{}}
	for i := range KeepDays {
		d := v.Now.AddDate(0, 0, i-KeepDays+1).Format(time.DateOnly)
		r.overview.Days = append(r.overview.Days, d)
		r.day[d] = i
	}
	runs, err := readRuns(ctx, q)
	if err != nil {
		return nil, err
	}
	if len(runs) == 0 {
		return nil, ErrNoRun
	}
	run, err := find(runs, v.Run)
	if err != nil {
		return nil, err
	}
	results, err := readResults(ctx, q, runs)
	if err != nil {
		return nil, err
	}
	if run.Ended.IsZero() && run.At.Equal(runs[len(runs)-1].At) {
		r.overview.Run.Process = v.Process
	}
	for _, step := range []func() error{
		r.readHistory,
		func() error { r.take(results, run, v.Run != ""); return nil },
		func() error { return r.readTimeline(run) },
	} {
		if err := step(); err != nil {
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

func (r *overviewReader) readHistory() error {
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

// take goes through the results in the order in which they came. Each authority is shown by its latest, or by that of the run
// alone.
func (r *overviewReader) take(results []result, run Run, alone bool) {
	for _, each := range results {
		a, inRun := r.authority(each.Authority), each.run.At.Equal(run.At)
		if i, ok := r.day[each.at.Format(time.DateOnly)]; ok && !each.cutShort() {
			a.Days[i] = DayOverview{Verdict: each.Verdict, Records: each.Saved, Runs: a.Days[i].Runs + 1}
		}
		switch {
		case alone && !inRun:
		case !each.cutShort():
			a.show(each, inRun)
		case inRun:
			r.overview.Run.Unfinished = append(r.overview.Run.Unfinished, each.Authority)
			if r.overview.Run.Process == 0 {
				a.leave(each, inRun)
			}
		default:
			a.leave(each, inRun)
		}
	}
}

// leave says of which run an authority has no outcome.
func (a *AuthorityOverview) leave(r result, inRun bool) {
	a.InRun, a.Unfinished, a.cutShort, a.RunAt, a.Day = false, true, inRun, r.run.At, r.run.Day.Format(time.DateOnly)
}

// show takes over what became of an authority.
func (a *AuthorityOverview) show(r result, inRun bool) {
	a.InRun, a.Unfinished, a.cutShort, a.RunAt, a.Day = inRun, false, false, r.run.At, r.run.Day.Format(time.DateOnly)
	a.Verdict, a.Class, a.Error, a.Remark = r.Verdict, r.Class, r.message, r.remark
	a.Records, a.Rejected, a.Requests, a.Seconds, a.Attempts = r.Saved, r.Unprocessable, r.requests, r.seconds, r.attempts
	a.Evidence, a.Replay = r.Evidence, ""
	if r.Evidence != "" {
		a.Replay = "scrape --authority " + quoted(a.Label)
		if r.File != "" {
			a.Replay += " --authorities " + quoted(r.File)
		}
		a.Replay += " --replay " + quoted(r.Evidence) + " --as-of " + a.Day + " --db replay.sqlite"
	}
}

// outcomeOf reads back what Merged needs of a row of the log.
func outcomeOf(row scraperutils.Record) Outcome {
	o := Outcome{
		Authority:     row.Text("authority_label"),
		Attempt:       int(number(row, "attempt")),
		Saved:         int(number(row, "records_saved")),
		Unprocessable: int(number(row, "unprocessable_records")),
		Evidence:      row.Text("evidence"),
		File:          row.Text("authorities_file"),
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
	o.ID, o.At, o.ExitCode, o.Cause, o.Verdicts = run.ID(), run.At, run.ExitCode, run.Cause, map[Verdict]int{}
	if run.Reasons != "" {
		o.Reasons = strings.Split(run.Reasons, "\n")
	}
	if !run.Ended.IsZero() {
		o.Ended, o.Seconds = &run.Ended, run.Took.Seconds()
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
