package runlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
)

// Source says what a run sent its requests to.
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

// idLayout is how a run is named to readers: when it began.
const idLayout = "2006-01-02T15:04:05"

// ID returns the name of a run, unique within a database.
func (r Run) ID() string { return r.At.Format(idLayout) }

// onceEnded is a value that only a run that has ended has.
func (r Run) onceEnded(v any) any {
	if r.Ended.IsZero() {
		return nil
	}
	return v
}

// kind is the source of a run as the history sees it.
func (r Run) kind() Source {
	if r.AsOf && r.Source == FromNetwork {
		return asOfADay
	}
	return cmp.Or(r.Source, FromNetwork)
}

// counts reports whether a row of the log is of a run like this one: replays stand apart.
func (r Run) counts(l logged) bool { return r.isReplay() == (l.source == FromReplay) }

func (r Run) isReplay() bool { return r.Source == FromReplay }

// ReadRuns returns the runs that count, oldest first. It returns replays only if there are no other runs.
func ReadRuns(ctx context.Context, q Querier) (runs []Run, err error) {
	for r, err := range runTable.read(ctx, q, "ORDER BY strftime('%s', began_at)") {
		if err != nil {
			return nil, fmt.Errorf("read the runs: %w", err)
		}
		runs = append(runs, r)
	}
	if slices.ContainsFunc(runs, func(r Run) bool { return !r.isReplay() }) {
		runs = slices.DeleteFunc(runs, Run.isReplay)
	}
	return runs, nil
}

// runAt returns how many of some runs, oldest first, had begun at a time: the last of them is the one that the time is of.
func runAt(runs []Run, at time.Time) int {
	return sort.Search(len(runs), func(i int) bool { return runs[i].At.After(at) })
}

// runOf returns the run of a time, if there is one.
func runOf(runs []Run, at time.Time) (Run, bool) {
	if n := runAt(runs, at); n > 0 {
		return runs[n-1], true
	}
	return Run{}, false
}

// ErrNoRun says that no run has written to the database.
var ErrNoRun = errors.New("no run has been logged in this database yet: scrape first")

// UnknownRunError reports an ID that names no run of the database, or more than one.
type UnknownRunError struct {
	ID    string
	Known []string // those that may be meant; the latest where none may
}

func (e *UnknownRunError) Error() string {
	return fmt.Sprintf("run %q: expected one of %s, or a beginning that only one of them has", e.ID, strings.Join(e.Known, ", "))
}

// shownRuns is how many runs an error lists.
const shownRuns = 10

// FindRun returns the run that an ID, or the beginning of one, names. It returns the last run for "". There is one at least. The error is an
// *UnknownRunError.
func FindRun(runs []Run, id string) (Run, error) {
	var found []Run
	for _, r := range runs {
		if name := r.ID(); name == id {
			return r, nil
		} else if strings.HasPrefix(name, id) {
			found = append(found, r)
		}
	}
	if id == "" || len(found) == 1 {
		return found[len(found)-1], nil
	}
	if len(found) == 0 {
		found = runs
	}
	unknown := &UnknownRunError{ID: id}
	for _, r := range found[max(0, len(found)-shownRuns):] {
		unknown.Known = append(unknown.Known, r.ID())
	}
	return Run{}, unknown
}
