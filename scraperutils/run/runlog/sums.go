package runlog

import (
	"context"
	"fmt"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Sum is authorities of one run that ended alike, added up. Each that failed stands alone.
type Sum struct {
	Run       Run
	Authority string // that failed; "" of the others
	Verdict   Verdict
	Class     scraperutils.Class
	Count     int // authorities
	Records   int
	Requests  int
}

// ReadSums returns the sums of each run of a span; runs are all that ReadRuns returns. Authorities without an outcome are in none. It is the
// fastest way to see many runs of many authorities.
func ReadSums(ctx context.Context, q Querier, runs []Run, s Span) (all []Sum, err error) {
	byRun := make([]runResults, len(runs)+1)
	had := make([]bool, len(byRun))
	for sum, err := range readSums(ctx, q, runs, s) {
		if err != nil {
			return nil, err
		}
		had[runAt(runs, sum.Run.At)] = true
		all = append(all, sum)
	}
	left, some := without(had, runs, s)
	if !some {
		return all, nil
	}
	err = readInto(ctx, q, byRun, had, runs, left, "", logTable)
	for _, results := range byRun {
		for _, r := range results.all {
			sum := Sum{Run: r.Run, Verdict: r.Verdict, Class: r.Class, Count: 1, Records: r.Saved, Requests: r.Requests}
			if r.Verdict.Bad() {
				sum.Authority = r.Authority
			}
			all = append(all, sum)
		}
	}
	return all, err
}

// readSums has the database add up what resultTable has.
func readSums(ctx context.Context, q Querier, runs []Run, s Span) func(func(Sum, error) bool) {
	clause, args := s.clause("run_at", "")
	bad, verdicts := "", []any{}
	for _, v := range allVerdicts {
		if v.Bad() {
			bad, verdicts = bad+", ?", append(verdicts, string(v))
		}
	}
	statement := "SELECT run_at, verdict, failure_class, CASE WHEN verdict IN (" + bad[2:] + ") THEN " + labelColumn + " END AS failed, " +
		"count(*) AS authorities, sum(records) AS records, sum(requests) AS requests FROM " + resultTable.name + " " + clause + " GROUP BY 1, 2, 3, 4"
	return func(yield func(Sum, error) bool) {
		for row, err := range query(ctx, q, resultTable.name, statement, append(verdicts, args...)...) {
			if err != nil {
				yield(Sum{}, fmt.Errorf("add up runs: %w", err))
				return
			}
			number := func(name string) int { return (&cell{text: row.Text(name)}).int() }
			run, known := runOf(runs, parseTime(row.Text("run_at")))
			sum := Sum{
				Run: run, Authority: row.Text("failed"), Verdict: Verdict(row.Text("verdict")), Class: scraperutils.Class(row.Text("failure_class")),
				Count: number("authorities"), Records: number("records"), Requests: number("requests"),
			}
			if known && s.holds(run.At) && !yield(sum, nil) {
				return
			}
		}
	}
}
