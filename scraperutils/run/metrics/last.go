package metrics

import (
	"context"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/news"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/run/trace"
)

// Last is the last run that has ended, and all runs, as a database knows them.
type Last struct {
	Run  *news.Run // nil: none has ended
	Runs []runlog.Run
}

// ReadLast reads what a database knows of its last run. known is what was read before, or the zero value: a run that has ended is not read
// again. platform names the platform of an authority, or "". The log lacks how many bytes pages had, and which failures were expected.
func ReadLast(ctx context.Context, q runlog.Querier, known Last, platform func(label string) string) (Last, error) {
	runs, err := runlog.ReadRuns(ctx, q)
	if err != nil {
		return Last{}, err
	}
	var last *runlog.Run
	for i := range runs {
		if !runs[i].Ended.IsZero() {
			last = &runs[i]
		}
	}
	switch {
	case last == nil:
		return Last{Runs: runs}, nil
	case known.Run != nil && known.Run.Began.Equal(last.At):
		return Last{Run: known.Run, Runs: runs}, nil
	}
	run := &news.Run{ID: last.ID(), Began: last.At, Took: last.Took, Source: last.Source, ExitCode: last.ExitCode, Cause: last.Cause}
	results, err := runlog.ReadResults(ctx, q, runs, runlog.Until(last.At))
	if err != nil {
		return Last{}, err
	}
	run.Authorities = compared(results, *last, platform)
	lines, err := runlog.ReadTimelines(ctx, q, *last)
	if err != nil {
		return Last{}, err
	}
	run.Waits = waits(lines)
	return Last{Run: run, Runs: runs}, nil
}

// compared returns the authorities of a run, each with its verdict in the runs before.
func compared(results []runlog.Result, run runlog.Run, platform func(string) string) (all []news.Authority) {
	before := map[string]runlog.Verdict{}
	for _, r := range results {
		switch {
		case r.Run.At.Equal(run.At):
			a := news.Authority{Outcome: r.Outcome, Platform: platform(r.Authority), Before: runlog.History{LastVerdict: before[r.Authority]}}
			a.Unfinished = r.CutShort() || run.Cause != "" && endsWithItsRun(r)
			a.Effort = news.Effort{Requests: r.Requests, Took: time.Duration(r.Seconds * float64(time.Second))}
			all = append(all, a)
		case r.Run.At.Before(run.At) && !r.CutShort():
			before[r.Authority] = r.Verdict
		}
	}
	return all
}

// endsWithItsRun reports whether a result may be that of one whose run ended early. The log has the error's class alone.
func endsWithItsRun(r runlog.Result) bool {
	return r.Verdict.Bad() && (r.Class == scraperutils.ClassRunTimeout || r.Class == scraperutils.ClassOther)
}

// waits adds up by rule how long requests waited to be polite.
func waits(lines map[string]*trace.Line) map[string]time.Duration {
	all := map[string]time.Duration{}
	for _, line := range lines {
		if line == nil {
			continue
		}
		for total, d := range line.Totals {
			if rule, ok := trace.PoliteRule(total); ok {
				all[rule] += d
			}
		}
	}
	return all
}
