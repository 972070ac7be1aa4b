package report

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/run/trace"
)

// Overview holds all that the report shows: a run, the latest outcome of every site, and the last 30 days of each. Its JSON form
// is that of the report.
type Overview struct {
	Database    string      `json:"database"`
	Made        time.Time   `json:"made_at"`
	Run         Run         `json:"run"`
	Days        []string    `json:"days"` // the last 30, oldest first, as YYYY-MM-DD
	Authorities []Authority `json:"authorities"`
	MadeUp      bool        `json:"-"` // all is of built-in sites
	Terms       Terms       `json:"-"` // what they are called; the zero value is ready
}

// Run is the run that the report shows.
type Run struct {
	ID         string                 `json:"run"`
	At         time.Time              `json:"run_at"`
	Ended      *time.Time             `json:"ended_at"` // null: it was killed, or goes on
	Process    int                    `json:"process"`  // in which it goes on, or 0
	Seconds    float64                `json:"seconds"`
	ExitCode   int                    `json:"exit_code"`
	Cause      string                 `json:"cause"`
	Reasons    []string               `json:"reasons"`    // what was not expected
	Unfinished []string               `json:"unfinished"` // authorities without an outcome
	Verdicts   map[runlog.Verdict]int `json:"verdicts"`
	Records    int                    `json:"records"`
	Requests   int                    `json:"requests"`
	Critical   *CriticalPath          `json:"critical_path"` // null where nothing is known
}

// CriticalPath says why the run was not shorter.
type CriticalPath struct {
	Authority string             `json:"authority"`
	Seconds   float64            `json:"seconds"`
	Totals    map[string]float64 `json:"totals"` // seconds by activity, and by rule of politeness
	Sentence  string             `json:"sentence"`
}

// Authority is one authority, as its latest outcome left it.
type Authority struct {
	Label       string             `json:"authority"`
	Site                           // what the registry says of it; empty where nothing is known
	InRun       bool               `json:"in_last_run"` // its outcome is of the run that is shown
	RunAt       time.Time          `json:"run_at"`      // when the run began that its outcome is of; zero: longer ago than the log goes back
	Day         string             `json:"day"`         // that this run was for
	Unfinished  bool               `json:"unfinished"`  // that run was over before it was; what else is said is of an earlier one
	Verdict     runlog.Verdict     `json:"verdict"`     // the last one known
	Class       scraperutils.Class `json:"failure_class"`
	Error       string             `json:"error"`
	Remark      string             `json:"remark"` // what else is to be said, of good ones too
	Records     int                `json:"records"`
	Rejected    int                `json:"rejected"`
	Requests    int                `json:"requests"`
	Seconds     float64            `json:"seconds"`
	Attempts    int                `json:"attempts"`
	File        string             `json:"authorities_file"` // where its row stands; "": it is built in
	Evidence    string             `json:"evidence"`         // the recording of its failure, or ""
	Replay      string             `json:"replay"`           // the command that plays it, into a database of its own
	LastRecords string             `json:"last_records_on"`
	UsualGap    float64            `json:"usual_gap_days"`
	Days        []Day              `json:"days"` // one for each of Overview.Days
	Past        []PastRun          `json:"runs"` // its last 30 up to the run that is shown, oldest first
	Segments    []trace.Segment    `json:"timeline"`
	Totals      map[string]float64 `json:"totals"`
}

// Site is what a registry says of an authority.
type Site struct {
	Platform string         `json:"platform"`
	URL      string         `json:"url"`     // as it may be shown: without a password
	Options  map[string]any `json:"options"` // as in its row
}

// Day is what an authority did on a day.
type Day struct {
	Verdict runlog.Verdict `json:"verdict"` // "": it did not run
	Records int            `json:"records"`
	Runs    int            `json:"runs"` // the last of them counts
}

// MarshalJSON writes the overview with what Changes and Group make of it: labels by section, and what failures have in common.
func (o *Overview) MarshalJSON() ([]byte, error) {
	type plain Overview
	sections := map[string][]string{}
	for _, s := range o.sections() {
		for _, i := range s.Items {
			sections[s.ID] = append(sections[s.ID], i.Label)
		}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // whoever encodes this may want it so
	err := encoder.Encode(struct {
		*plain
		Sections map[string][]string `json:"sections"`
		Alike    []string            `json:"alike"`
	}{(*plain)(o), sections, o.alike()})
	return b.Bytes(), err
}
