package runlog

import (
	"context"
	"fmt"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/run/trace"
)

// Result is the outcome of an authority in one run, all attempts together, as read from the log.
type Result struct {
	Outcome            // of its last attempt, merged with those before; Err has the text alone, Requests is of all
	Run      Run       // of which only At and Day are known where nobody has logged it
	At       time.Time // when its first attempt began
	Note     string    // its remark
	Seconds  float64   // of all attempts
	Attempts int       // 0: the run has no outcome of it
}

// CutShort reports whether the run has no outcome of the authority: it ended before, or still goes on.
func (r Result) CutShort() bool { return r.Attempts == 0 }

// Message is the text of its last attempt's error, or "".
func (r Result) Message() string {
	if r.Err == nil {
		return ""
	}
	return r.Err.Error()
}

// add takes one more attempt, or all of them.
func (r *Result) add(l logged) {
	o := l.Outcome
	if r.Attempts > 0 {
		o = Merged(r.Outcome, o)
		o.Requests += r.Requests
	}
	r.Outcome, r.Note = o, l.remark
	r.Seconds += l.seconds
	r.Attempts += max(1, l.attempts)
}

// ReadResults returns the results of each run of a span and authority, in the order of runs, which are all that ReadRuns returns. Of runs
// that the log no longer has, less is known.
func ReadResults(ctx context.Context, q Querier, runs []Run, s Span) ([]Result, error) {
	return readResults(ctx, q, runs, s, "", logTable, resultTable)
}

// ReadResultsOf returns what ReadResults does, of one authority, with the first line of errors and without remarks, evidence and files.
func ReadResultsOf(ctx context.Context, q Querier, runs []Run, s Span, label string) ([]Result, error) {
	return readResults(ctx, q, runs, s, label, resultTable, logTable)
}

// readResults reads the first of two tables, and of runs that it does not have the second.
func readResults(ctx context.Context, q Querier, runs []Run, s Span, label string, first, second table[logged]) ([]Result, error) {
	byRun := make([]runResults, len(runs)+1) // the first is of rows that no run is known of
	had := make([]bool, len(byRun))
	if err := readInto(ctx, q, byRun, had, runs, s, label, first); err != nil {
		return nil, err
	}
	for n := range byRun {
		had[n] = len(byRun[n].all) > 0
	}
	if left, some := without(had, runs, s); some {
		if err := readInto(ctx, q, byRun, had, runs, left, label, second); err != nil {
			return nil, err
		}
	}
	var all []Result
	for n, results := range byRun {
		for _, r := range results.all {
			all = append(all, *r)
		}
		if n > 0 && s.holds(runs[n-1].At) {
			all = append(all, results.missing(runs[n-1], label)...)
		}
	}
	return all, nil
}

// without returns a span that holds the runs that were not had, and whether there are such. The first of had is of times before all runs.
func without(had []bool, runs []Run, s Span) (left Span, some bool) {
	if !had[0] {
		left.From, some = s.From, true
		if len(runs) > 0 {
			left.To = runs[0].At
		}
	}
	for n, r := range runs {
		if had[n+1] || !s.holds(r.At) {
			continue
		}
		if left.To = r.At; !some {
			left.From, some = r.At, true
		}
	}
	return left, some
}

// readInto reads a table into runs that were not had.
func readInto(ctx context.Context, q Querier, byRun []runResults, had []bool, runs []Run, s Span, label string, t table[logged]) error {
	clause, args := s.clause("run_at", label)
	for l, err := range t.read(ctx, q, clause+" ORDER BY strftime('%s', run_at), rowid", args...) {
		if err != nil {
			return fmt.Errorf("read the log: %w", err)
		}
		if len(runs) > 0 && !runs[len(runs)-1].counts(l) {
			continue
		}
		n := runAt(runs, l.at)
		run := Run{At: l.at, Day: l.at}
		if n > 0 {
			run = runs[n-1]
		}
		if !had[n] && s.holds(run.At) {
			byRun[n].of(l, run, n == 0 && l.Attempt <= 1).add(l)
		}
	}
	return nil
}

// ReadLast returns the last run that counts, and its results as far as the log has them, without reading those before. Its time is zero where
// there is none.
func ReadLast(ctx context.Context, q Querier) (last Run, all []Result, _ error) {
	for r, err := range runTable.read(ctx, q, "ORDER BY strftime('%s', began_at) DESC") {
		if err != nil {
			return Run{}, nil, fmt.Errorf("read the last run: %w", err)
		}
		if last.At.IsZero() || !r.isReplay() {
			last = r
		}
		if !r.isReplay() {
			break
		}
	}
	if last.At.IsZero() {
		return last, nil, nil
	}
	var results runResults
	for l, err := range logTable.read(ctx, q, "WHERE strftime('%s', run_at) >= strftime('%s', ?) ORDER BY strftime('%s', run_at), rowid", iso(last.At)) {
		if err != nil {
			return Run{}, nil, fmt.Errorf("read the log of the last run: %w", err)
		}
		if last.counts(l) {
			results.of(l, last, false).add(l)
		}
	}
	for _, r := range results.all {
		all = append(all, *r)
	}
	return last, append(all, results.missing(last, "")...), nil
}

// runResults is what a run has come to.
type runResults struct {
	all    []*Result          // in the order of the log
	latest map[string]*Result // by authority
}

// of returns the result to which a row belongs: the latest one of its authority, or a new one.
func (rs *runResults) of(l logged, run Run, anew bool) *Result {
	r := rs.latest[l.Authority]
	if r != nil && !anew {
		return r
	}
	r = &Result{Outcome: Outcome{Authority: l.Authority}, Run: run, At: l.at}
	rs.all = append(rs.all, r)
	if rs.latest == nil {
		rs.latest = map[string]*Result{}
	}
	rs.latest[l.Authority] = r
	return r
}

// missing returns the results of authorities of which a run has none, or of the one that is asked for.
func (rs *runResults) missing(run Run, of string) (all []Result) {
	for _, label := range run.Authorities {
		if rs.latest[label] == nil && (of == "" || of == label) {
			all = append(all, Result{Outcome: Outcome{Authority: label}, Run: run, At: run.At})
		}
	}
	return all
}

// Failing maps each authority of the last KeepDays before the last run to whether it failed in its latest run, or was cut short by the end of
// that run. Replays do not count.
func Failing(ctx context.Context, q Querier) (map[string]bool, error) {
	runs, err := ReadRuns(ctx, q)
	if err != nil || len(runs) == 0 || runs[0].isReplay() {
		return nil, err
	}
	results, err := ReadResults(ctx, q, runs, Until(runs[len(runs)-1].At))
	failing := map[string]bool{}
	for _, r := range results {
		failing[r.Authority] = r.CutShort() || r.Verdict.Bad()
	}
	return failing, err
}

// ReadTimelines returns the timelines of a run that are kept, by authority.
func ReadTimelines(ctx context.Context, q Querier, run Run) (map[string]*trace.Line, error) {
	all := map[string]*trace.Line{}
	for l, err := range timelineTable.read(ctx, q, "WHERE run_at = ?", iso(run.At)) {
		if err != nil {
			return nil, fmt.Errorf("read the timelines of a run: %w", err)
		}
		all[l.authority] = l.line
	}
	return all, nil
}
