package runlog

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// runTable has a row a run, written when it begins, so that one that is killed is known too.
const runTable = "scrape_run"

// Source is what a run asks.
type Source string

// The sources.
const (
	FromNetwork  Source = "network"
	FromFixtures Source = "fixtures" // built-in sites
	asOfADay     Source = "as-of"    // the network, as of another day: only authority_history tells it apart
	FromReplay   Source = "replay"   // recordings: what comes of it says nothing about sites as they are
)

// Run is one run of the command, with all its attempts.
type Run struct {
	At          time.Time // when its first attempt began
	Day         time.Time // that it was for
	Authorities []string  // in the order in which they were selected
	Ended       time.Time // zero: it was killed, or goes on
	Took        time.Duration
	ExitCode    int
	Cause       string // why it ended early, or ""
	Source      Source // "": unknown
	AsOf        bool   // Day is not the day of At
	Reasons     string // what was not expected, a line each, or ""
}

func (r Run) record() scraperutils.Record {
	var ended, code, took any
	if !r.Ended.IsZero() {
		ended, code, took = iso(r.Ended), r.ExitCode, r.Took.Seconds()
	}
	return scraperutils.Record{
		{Name: "began_at", Value: iso(r.At)},
		{Name: "day", Value: dateOrNull(r.Day)},
		{Name: "authorities", Value: strings.Join(r.Authorities, ",")},
		{Name: "ended_at", Value: ended},
		{Name: "seconds", Value: took},
		{Name: "exit_code", Value: code},
		{Name: "cause", Value: orNull(r.Cause)},
		{Name: "source", Value: orNull(string(r.Source))},
		{Name: "reasons", Value: orNull(r.Reasons)},
	}
}

// Save writes the row of a run, as it is now, the first time before its first outcome. What comes of a replay stays out of the
// history.
func (l *Log) Save(r Run) error {
	l.run = r
	return l.runs.Save(r.record())
}

// lineJSON is a line as it stands in scrape_timeline.
type lineJSON struct {
	Segments []Segment          `json:"segments"`
	Totals   map[string]float64 `json:"totals"` // seconds
}

// Keep writes the timeline of an authority in the run that began at runAt; the one before goes, unless this is a replay, which
// waits for nobody.
func (l *Log) Keep(runAt time.Time, authority string, line *Line) error {
	if line == nil || l.run.Source == FromReplay {
		return nil
	}
	j := lineJSON{Segments: line.Segments, Totals: map[string]float64{}}
	for name, d := range line.Totals {
		j.Totals[name] = d.Seconds()
	}
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return l.timeline.Save(scraperutils.Record{
		{Name: "authority_label", Value: authority},
		{Name: "run_at", Value: iso(runAt)},
		{Name: "line", Value: string(text)},
	})
}

// kind is the source of a run as the history sees it.
func (r Run) kind() Source {
	if r.AsOf && r.Source == FromNetwork {
		return asOfADay
	}
	return cmp.Or(r.Source, FromNetwork)
}

// counts reports whether a row of the log is of a run like this one: replays stand apart.
func (r Run) counts(row scraperutils.Record) bool {
	return (r.Source == FromReplay) == (Source(row.Text("source")) == FromReplay)
}
