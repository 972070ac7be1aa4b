package history

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/news"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// Question selects two runs.
type Question struct {
	Before  string // the ID of a run, or its beginning; "": the last whole run before Now
	Now     string // "": the last whole run
	Percent int    // by which records or time must differ to be told; 0: DefaultPercent
}

// DefaultPercent is by how much records or time must differ to be told.
const DefaultPercent = 20

// Differences that are too small to be told, whatever their percentage.
const (
	leastRecords = 3
	leastSeconds = 5
)

// Comparison is two runs, authority by authority.
type Comparison struct {
	Before  Run `json:"before"`
	Now     Run `json:"now"`
	Percent int `json:"percent"`

	New        []Pair   `json:"new"`       // bad now, and good before
	Still      []Pair   `json:"still"`     // bad in both
	Recovered  []Pair   `json:"recovered"` // good now, and bad before
	Fewer      []Pair   `json:"fewer"`     // of those that are good in both: records
	More       []Pair   `json:"more"`
	Slower     []Pair   `json:"slower"`
	Faster     []Pair   `json:"faster"`
	Emptier    []Pair   `json:"emptier"`     // with fields that hold something in fewer records
	OnlyNow    []string `json:"only_now"`    // not asked before
	OnlyBefore []string `json:"only_before"` // not asked now
	Unfinished []string `json:"unfinished"`  // without an outcome in one of the runs
	Alike      []string `json:"alike"`       // what failures have in common

	Runs   []runlog.Run `json:"-"` // all that may be compared, oldest first
	MadeUp bool         `json:"-"` // all is of built-in sites
}

// Pair is an authority in both runs.
type Pair struct {
	Label    string        `json:"authority"`
	Platform string        `json:"platform"`
	Before   Outcome       `json:"before"`
	Now      Outcome       `json:"now"`
	Fell     []runlog.Fall `json:"fields,omitempty"`
}

// Outcome is what became of an authority in one of the runs.
type Outcome struct {
	Verdict runlog.Verdict     `json:"verdict"`
	Class   scraperutils.Class `json:"failure_class"`
	Error   string             `json:"error,omitempty"`
	Records int                `json:"records"`
	Seconds float64            `json:"seconds"`
}

// ErrOneRun reports that the database has no second run.
var ErrOneRun = errors.New("there is no other run to compare with")

// Compare compares two runs. The error is runlog.ErrNoRun, ErrOneRun, or a *runlog.UnknownRunError, if there are no two.
func Compare(ctx context.Context, q runlog.Querier, v View, asked Question) (*Comparison, error) {
	runs, err := runlog.ReadRuns(ctx, q)
	if err != nil {
		return nil, err
	}
	before, now, err := pick(runs, asked)
	if err != nil {
		return nil, err
	}
	known, err := runlog.ReadHistory(ctx, q)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Runs: runs, Percent: cmp.Or(asked.Percent, DefaultPercent), MadeUp: runlog.OriginOf(runs, known) == runlog.FromFixtures}
	was, err := readSide(ctx, q, runs, before, v)
	if err != nil {
		return nil, err
	}
	is, err := readSide(ctx, q, runs, now, v)
	if err != nil {
		return nil, err
	}
	c.Before, c.Now = was.run, is.run
	c.take(was, is, v.Platforms)
	return c, nil
}

// pick returns the runs of a question.
func pick(runs []runlog.Run, asked Question) (before, now runlog.Run, err error) {
	if now, err = last(runs, asked.Now); err != nil {
		return before, now, err
	}
	earlier := slices.DeleteFunc(slices.Clone(runs), func(r runlog.Run) bool { return !r.At.Before(now.At) })
	if asked.Before != "" {
		before, err = runlog.FindRun(runs, asked.Before)
		return before, now, err
	}
	if before, err = last(earlier, ""); errors.Is(err, runlog.ErrNoRun) {
		err = ErrOneRun
	}
	return before, now, err
}

// last returns the run of an ID, or for "" the last whole one: it came to its end by itself, and was of half of the authorities at least of
// which a run was. Where none is whole it is the last.
func last(runs []runlog.Run, id string) (runlog.Run, error) {
	if len(runs) == 0 {
		return runlog.Run{}, runlog.ErrNoRun
	}
	if id != "" {
		return runlog.FindRun(runs, id)
	}
	most := 0
	for _, r := range runs {
		most = max(most, len(r.Authorities))
	}
	for _, r := range slices.Backward(runs) {
		if !r.Ended.IsZero() && r.Cause == "" && 2*len(r.Authorities) >= most {
			return r, nil
		}
	}
	return runs[len(runs)-1], nil
}

// side is one of the two runs.
type side struct {
	run     Run
	results map[string]runlog.Result // by label
	yields  map[string]runlog.Yield
}

func readSide(ctx context.Context, q runlog.Querier, runs []runlog.Run, run runlog.Run, v View) (*side, error) {
	s := &side{run: newRun(run), results: map[string]runlog.Result{}, yields: map[string]runlog.Yield{}}
	span := runlog.Span{From: run.At, To: run.At}
	results, err := runlog.ReadResults(ctx, q, runs, span)
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		s.results[r.Authority] = r
		if !r.CutShort() {
			s.run.add(runlog.Sum{Authority: r.Authority, Verdict: r.Verdict, Class: r.Class, Count: 1, Records: r.Saved, Requests: r.Requests}, v.Platforms)
		}
	}
	s.run.GoesOn = v.Process != 0 && run.Ended.IsZero() && run.At.Equal(runs[len(runs)-1].At)
	given, err := runlog.ReadGiven(ctx, q, runs, span, "")
	for _, g := range given {
		s.yields[g.Authority] = g.Yield
	}
	return s, err
}

// take compares the authorities.
func (c *Comparison) take(was, is *side, platforms map[string]string) {
	for _, label := range slices.Sorted(maps.Keys(is.results)) {
		before, asked := was.results[label]
		now := is.results[label]
		switch {
		case !asked:
			c.OnlyNow = append(c.OnlyNow, label)
		case before.CutShort() || now.CutShort():
			c.Unfinished = append(c.Unfinished, label)
		default:
			c.compare(Pair{Label: label, Platform: platforms[label], Before: outcomeOf(before), Now: outcomeOf(now), Fell: is.yields[label].Fell(was.yields[label])})
		}
	}
	for _, label := range slices.Sorted(maps.Keys(was.results)) {
		if _, asked := is.results[label]; !asked {
			c.OnlyBefore = append(c.OnlyBefore, label)
		}
	}
	records := func(p Pair) float64 { return float64(p.Now.Records - p.Before.Records) }
	took := func(p Pair) float64 { return p.Now.Seconds - p.Before.Seconds }
	largest(c.Fewer, records)
	largest(c.More, records)
	largest(c.Slower, took)
	largest(c.Faster, took)
	c.group(is, platforms)
}

func outcomeOf(r runlog.Result) Outcome {
	return Outcome{Verdict: r.Verdict, Class: r.Class, Error: cmp.Or(r.Message(), r.Note), Records: r.Saved, Seconds: r.Seconds}
}

// compare puts an authority where it belongs.
func (c *Comparison) compare(p Pair) {
	switch news.Compare(p.Before.Verdict, p.Now.Verdict) {
	case news.New:
		c.New = append(c.New, p)
	case news.Still:
		c.Still = append(c.Still, p)
	case news.Recovered:
		c.Recovered = append(c.Recovered, p)
	default:
		c.measure(p)
	}
	if len(p.Fell) > 0 {
		c.Emptier = append(c.Emptier, p)
	}
}

// measure compares the figures of one that is good in both runs.
func (c *Comparison) measure(p Pair) {
	switch c.differ(float64(p.Before.Records), float64(p.Now.Records), leastRecords) {
	case -1:
		c.Fewer = append(c.Fewer, p)
	case 1:
		c.More = append(c.More, p)
	}
	switch c.differ(p.Before.Seconds, p.Now.Seconds, leastSeconds) {
	case -1:
		c.Faster = append(c.Faster, p)
	case 1:
		c.Slower = append(c.Slower, p)
	}
}

// differ returns in which direction two figures differ by more than so many percent, and by so much at least; 0: they do not.
func (c *Comparison) differ(before, now, least float64) int {
	if d := math.Abs(now - before); d < least || 100*d <= float64(c.Percent)*before {
		return 0
	}
	return cmp.Compare(now, before)
}

// largest puts the largest differences first.
func largest(all []Pair, by func(Pair) float64) {
	slices.SortStableFunc(all, func(a, b Pair) int { return cmp.Compare(math.Abs(by(b)), math.Abs(by(a))) })
}

// group says what failures of the later run have in common.
func (c *Comparison) group(is *side, platforms map[string]string) {
	var run []news.Looks
	for label, r := range is.results {
		if !r.CutShort() {
			run = append(run, news.Looks{Platform: platforms[label], Verdict: r.Verdict, Class: r.Class})
		}
	}
	began := map[string]string{}
	for _, p := range c.New {
		began[p.Label] = c.Now.Name
	}
	looks := func(p Pair) news.Looks {
		return news.Looks{Platform: p.Platform, Verdict: p.Now.Verdict, Class: p.Now.Class, Since: began[p.Label]}
	}
	for _, g := range news.Alike(slices.Concat(c.New, c.Still), looks, run) {
		if sentence := g.Sentence(); sentence != "" {
			c.Alike = append(c.Alike, sentence)
		}
	}
}
