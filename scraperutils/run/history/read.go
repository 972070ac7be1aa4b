package history

import (
	"cmp"
	"context"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/run/news"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// View is what is known beside the database.
type View struct {
	Process   int               // that is writing it, or 0
	Platforms map[string]string // of authorities, by label; nil: nothing is known
}

// History is the runs of the last days.
type History struct {
	Runs   []Run // oldest first: the last MaxRuns
	Before int   // runs of these days before them
	MadeUp bool  // all is of built-in sites
}

// MaxRuns is how many runs a History has at most.
const MaxRuns = 400

// Run is one run, added up.
type Run struct {
	runlog.Run `json:"-"`

	Name      string                 `json:"run"`     // its ID
	GoesOn    bool                   `json:"goes_on"` // no end is known, and a process is at it
	Asked     int                    `json:"authorities"`
	Bad       int                    `json:"bad"`     // authorities that failed, of one kind or another
	Missing   int                    `json:"missing"` // authorities without an outcome
	Verdicts  map[runlog.Verdict]int `json:"verdicts"`
	Records   int                    `json:"records"`
	Requests  int                    `json:"requests"`
	Seconds   float64                `json:"seconds"`             // 0: it has no end
	Classes   map[string]int         `json:"failures"`            // by class, or by verdict where there is none
	Platforms map[string]int         `json:"platforms,omitempty"` // failures by platform
}

// Early reports whether a run did not get to its end: it was stopped or killed.
func (r Run) Early() bool { return !r.GoesOn && (r.Ended.IsZero() || r.Cause != "") }

func newRun(r runlog.Run) Run {
	return Run{
		Run: r, Name: r.ID(), Asked: len(r.Authorities), Missing: len(r.Authorities), Seconds: r.Took.Seconds(),
		Verdicts: map[runlog.Verdict]int{}, Classes: map[string]int{}, Platforms: map[string]int{},
	}
}

// add counts authorities that ended alike.
func (r *Run) add(s runlog.Sum, platforms map[string]string) {
	r.Missing = max(0, r.Missing-s.Count)
	r.Verdicts[s.Verdict] += s.Count
	r.Records += s.Records
	r.Requests += s.Requests
	if s.Verdict.Bad() {
		r.Bad += s.Count
		r.Classes[news.Kind(s.Verdict, s.Class)] += s.Count
		r.Platforms[cmp.Or(platforms[s.Authority], "unknown")] += s.Count
	}
}

// Read returns the runs of the last days. The error is runlog.ErrNoRun if there are none.
func Read(ctx context.Context, q runlog.Querier, v View) (*History, error) {
	runs, err := runlog.ReadRuns(ctx, q)
	if err != nil {
		return nil, err
	}
	if len(runs) == 0 {
		return nil, runlog.ErrNoRun
	}
	span := days(runs)
	h := &History{}
	for _, r := range runs {
		if !r.At.Before(span.From) {
			h.Runs = append(h.Runs, newRun(r))
		}
	}
	h.Before = max(0, len(h.Runs)-MaxRuns)
	h.Runs = h.Runs[h.Before:]
	span.From = h.Runs[0].At
	if err := h.add(ctx, q, runs, span, v); err != nil {
		return nil, err
	}
	if last := &h.Runs[len(h.Runs)-1]; last.Ended.IsZero() {
		last.GoesOn = v.Process != 0
	}
	known, err := runlog.ReadHistory(ctx, q)
	h.MadeUp = runlog.OriginOf(runs, known) == runlog.FromFixtures
	return h, err
}

// add counts what became of authorities.
func (h *History) add(ctx context.Context, q runlog.Querier, runs []runlog.Run, span runlog.Span, v View) error {
	sums, err := runlog.ReadSums(ctx, q, runs, span)
	byName := map[string]*Run{}
	for i := range h.Runs {
		byName[h.Runs[i].Name] = &h.Runs[i]
	}
	for _, s := range sums {
		if r := byName[s.Run.ID()]; r != nil {
			r.add(s, v.Platforms)
		}
	}
	return err
}

// days is the span of what is shown.
func days(runs []runlog.Run) runlog.Span {
	return runlog.Span{From: runs[len(runs)-1].At.Add(-runlog.HistoryDays * 24 * time.Hour)}
}

// Past is what became of one authority in the runs of the last days, oldest first.
type Past struct {
	Results []runlog.Result // none of runs that ended before it did
	Given   []runlog.Given  // of runs that it ended well in
}

// ReadPast returns what became of an authority. It is empty where nothing is known.
func ReadPast(ctx context.Context, q runlog.Querier, label string) (*Past, error) {
	runs, err := runlog.ReadRuns(ctx, q)
	if err != nil || len(runs) == 0 {
		return &Past{}, err
	}
	p := &Past{}
	results, err := runlog.ReadResultsOf(ctx, q, runs, days(runs), label)
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		if !r.CutShort() {
			p.Results = append(p.Results, r)
		}
	}
	p.Results = p.Results[max(0, len(p.Results)-MaxRuns):]
	if p.Given, err = runlog.ReadGiven(ctx, q, runs, days(runs), label); err != nil {
		return nil, err
	}
	p.Given = p.Given[max(0, len(p.Given)-MaxRuns):]
	return p, nil
}
