package runlog

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// result is what became of an authority in one run, all attempts together.
type result struct {
	Outcome
	run      Run
	at       time.Time // of its first attempt
	message  string    // of its last attempt's error
	remark   string
	requests int
	seconds  float64
	attempts int // 0: the run has no outcome of it
}

// cutShort reports whether the run was over, or is not yet, before the authority was.
func (r result) cutShort() bool { return r.attempts == 0 }

// readRuns returns the runs that count, oldest first: replays only where there is nothing else.
func readRuns(ctx context.Context, q Querier) (runs []Run, err error) {
	for r, err := range readTable(ctx, q, runTable, "SELECT * FROM scrape_run ORDER BY strftime('%s', began_at)") {
		if err != nil {
			return nil, fmt.Errorf("read the runs: %w", err)
		}
		runs = append(runs, runOf(r))
	}
	isReplay := func(r Run) bool { return r.Source == FromReplay }
	if !slices.ContainsFunc(runs, func(r Run) bool { return !isReplay(r) }) {
		return runs, nil
	}
	return slices.DeleteFunc(runs, isReplay), nil
}

func runOf(r scraperutils.Record) Run {
	run := Run{
		Source:   Source(r.Text("source")),
		At:       parseTime(r.Text("began_at")),
		Day:      parseDate(r.Text("day")),
		Ended:    parseTime(r.Text("ended_at")),
		Took:     time.Duration(number(r, "seconds") * float64(time.Second)),
		ExitCode: int(number(r, "exit_code")),
		Cause:    r.Text("cause"),
		Reasons:  r.Text("reasons"),
	}
	if labels := r.Text("authorities"); labels != "" {
		run.Authorities = strings.Split(labels, ",")
	}
	return run
}

// readResults returns what the log has of each run (oldest first) and authority, in the order of the runs.
func readResults(ctx context.Context, q Querier, runs []Run) ([]result, error) {
	byRun := make([]map[string]*result, len(runs)+1) // the first is of rows that no run is known of
	order := make([][]*result, len(runs)+1)
	put := func(n int, r result) *result {
		if byRun[n] == nil {
			byRun[n] = map[string]*result{}
		}
		byRun[n][r.Authority] = &r
		order[n] = append(order[n], &r)
		return &r
	}
	for row, err := range readTable(ctx, q, logTable, "SELECT * FROM scrape_log ORDER BY strftime('%s', run_at), attempt") {
		if err != nil {
			return nil, fmt.Errorf("read the log: %w", err)
		}
		if len(runs) > 0 && !runs[len(runs)-1].counts(row) {
			continue
		}
		at := parseTime(row.Text("run_at"))
		n := sort.Search(len(runs), func(i int) bool { return runs[i].At.After(at) })
		o := outcomeOf(row)
		r := byRun[n][o.Authority]
		if r == nil || n == 0 && o.Attempt <= 1 {
			r = put(n, result{Outcome: Outcome{Authority: o.Authority}, run: Run{At: at, Day: at}, at: at})
			if n > 0 {
				r.run = runs[n-1]
			}
		}
		r.add(o, row)
	}
	var all []result
	for n, results := range order {
		for _, r := range results {
			all = append(all, *r)
		}
		if n == 0 {
			continue
		}
		for _, label := range runs[n-1].Authorities {
			if byRun[n][label] == nil {
				all = append(all, result{Outcome: Outcome{Authority: label}, run: runs[n-1], at: runs[n-1].At})
			}
		}
	}
	return all, nil
}

// add takes one more attempt.
func (r *result) add(o Outcome, row scraperutils.Record) {
	if r.attempts > 0 {
		o = Merged(r.Outcome, o)
	}
	r.Outcome, r.message, r.remark = o, row.Text("error_message"), row.Text("remark")
	r.requests += int(number(row, "requests"))
	r.seconds += number(row, "duration")
	r.attempts++
}

// Failing returns, of each authority that runs other than replays have asked, whether the latest that is known of it is a
// failure, or that its run was over before it was.
func Failing(ctx context.Context, q Querier) (map[string]bool, error) {
	runs, err := readRuns(ctx, q)
	if err != nil || len(runs) == 0 || runs[0].Source == FromReplay {
		return nil, err
	}
	results, err := readResults(ctx, q, runs)
	failing := map[string]bool{}
	for _, r := range results {
		failing[r.Authority] = r.cutShort() || r.Verdict.Bad()
	}
	return failing, err
}

// UnknownRunError is a run that the database has not seen, or more than one of which it may be.
type UnknownRunError struct {
	ID    string
	Known []string // those that may be meant; the latest where none may
}

func (e *UnknownRunError) Error() string {
	return fmt.Sprintf("run %q: expected one of %s, or a beginning that only one of them has", e.ID, strings.Join(e.Known, ", "))
}

// idLayout is how a run is named to readers: when it began.
const idLayout = "2006-01-02T15:04:05"

// ID is the name of a run in one database.
func (r Run) ID() string { return r.At.Format(idLayout) }

// shownRuns is how many runs an error lists.
const shownRuns = 10

// find returns the run of which an ID is the name, or a beginning of it; the last one for "".
func find(runs []Run, id string) (Run, error) {
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
