package report

import (
	"context"
	"sort"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/run/trace"
)

// View selects what Read shows of a database.
type View struct {
	Database string    // its name
	Now      time.Time // the 30 days end then, or with the run that is shown alone
	Run      string    // the ID of the run that is shown alone, or its beginning; "": the last, and what is left of those before
	Process  int       // that is writing the database, or 0

	Sites map[string]Site // what the registry says, by label; nil: nothing
	Terms Terms           // what things are called
}

// ErrNoRun says that no run has written to the database.
var ErrNoRun = runlog.ErrNoRun

// UnknownRunError reports an ID that names no run of the database, or more than one.
type UnknownRunError = runlog.UnknownRunError

// Read returns the overview of a database. The error is ErrNoRun, or an *UnknownRunError, if there is nothing to show.
func Read(ctx context.Context, q runlog.Querier, v View) (*Overview, error) {
	made := v.Now
	runs, err := runlog.ReadRuns(ctx, q)
	if err != nil {
		return nil, err
	}
	if len(runs) == 0 {
		return nil, ErrNoRun
	}
	run, err := runlog.FindRun(runs, v.Run)
	if err != nil {
		return nil, err
	}
	span := runlog.Until(run.At)
	if v.Run != "" { // alone: it is shown as of then
		v.Now, span.To = run.At, run.At
	}
	results, err := runlog.ReadResults(ctx, q, runs, span)
	if err != nil {
		return nil, err
	}
	known, err := runlog.ReadHistory(ctx, q)
	if err != nil {
		return nil, err
	}
	lines, err := runlog.ReadTimelines(ctx, q, run)
	if err != nil {
		return nil, err
	}
	c := newCollector(v)
	c.overview.Made = made
	if run.Ended.IsZero() && run.At.Equal(runs[len(runs)-1].At) {
		c.overview.Run.Process = v.Process
	}
	c.overview.MadeUp = runlog.OriginOf(runs, known) == runlog.FromFixtures
	c.remember(known)
	c.take(results, run, v.Run != "")
	c.draw(lines)
	c.summarise(run)
	return c.overview, nil
}

// collector makes an Overview of what was read.
type collector struct {
	overview *Overview
	sites    map[string]Site
	byLabel  map[string]*Authority
	day      map[string]int // index in Days
}

func newCollector(v View) *collector {
	c := &collector{overview: &Overview{Database: v.Database, Made: v.Now, Terms: v.Terms.withDefaults()}, sites: v.Sites, byLabel: map[string]*Authority{}, day: map[string]int{}}
	for i := range runlog.KeepDays {
		d := v.Now.AddDate(0, 0, i-runlog.KeepDays+1).Format(time.DateOnly)
		c.overview.Days = append(c.overview.Days, d)
		c.day[d] = i
	}
	return c
}

func (c *collector) authority(label string) *Authority {
	a := c.byLabel[label]
	if a == nil {
		a = &Authority{Label: label, Site: c.sites[label], Days: make([]Day, runlog.KeepDays), Totals: map[string]float64{}}
		c.byLabel[label] = a
	}
	return a
}

// remember takes what is known of authorities beyond the log.
func (c *collector) remember(known map[string]runlog.History) {
	for label, h := range known {
		a := c.authority(label)
		a.Verdict, a.Class, a.UsualGap = h.LastVerdict, h.LastClass, float64(h.UsualGap)/float64(day)
		if !h.LastRecords.IsZero() {
			a.LastRecords = h.LastRecords.Format(time.DateOnly)
		}
	}
}

// take goes through the results in order. The report shows the latest result of each authority or, for one run alone, that of the run.
func (c *collector) take(results []runlog.Result, run runlog.Run, alone bool) {
	for _, r := range results {
		a, inRun := c.authority(r.Authority), r.Run.At.Equal(run.At)
		if i, ok := c.day[r.At.Format(time.DateOnly)]; ok && !r.CutShort() {
			a.Days[i] = Day{Verdict: r.Verdict, Records: r.Saved, Runs: a.Days[i].Runs + 1}
		}
		if !r.CutShort() && !r.Run.At.After(run.At) {
			a.recall(c.overview.Terms.pastRun(r))
		}
		switch {
		case alone && !inRun:
		case !r.CutShort():
			a.show(r, inRun, c.overview.Terms)
		case inRun:
			c.overview.Run.Unfinished = append(c.overview.Run.Unfinished, r.Authority)
			if c.overview.Run.Process == 0 {
				a.leave(r)
			}
		default:
			a.leave(r)
		}
	}
}

// leave says of which run an authority has no outcome.
func (a *Authority) leave(r runlog.Result) {
	a.InRun, a.Unfinished, a.RunAt, a.Day = false, true, r.Run.At, r.Run.Day.Format(time.DateOnly)
}

// show takes over what became of an authority.
func (a *Authority) show(r runlog.Result, inRun bool, t Terms) {
	a.InRun, a.Unfinished, a.RunAt, a.Day = inRun, false, r.Run.At, r.Run.Day.Format(time.DateOnly)
	a.Verdict, a.Class, a.Error, a.Remark = r.Verdict, r.Class, r.Message(), r.Note
	a.Records, a.Rejected, a.Requests, a.Seconds, a.Attempts = r.Saved, r.Unprocessable, r.Requests, r.Seconds, r.Attempts
	a.File, a.Evidence, a.Replay = r.File, r.Evidence, ""
	if r.Evidence != "" {
		a.Replay = t.replay(a.Label, r.File, r.Evidence, t.asOf(r.Run))
	}
}

// draw takes the timelines of the run.
func (c *collector) draw(lines map[string]*trace.Line) {
	for label, line := range lines {
		if line != nil {
			a := c.authority(label)
			a.Segments, a.Totals = line.Segments, line.Totals.Seconds()
		}
	}
}

// ReadLast returns the last run, without its critical path. Process is the one that has the database now, or 0. The error is ErrNoRun if there
// was no run. It reads what the log has of that run alone, so that it may be asked often.
func ReadLast(ctx context.Context, q runlog.Querier, process int) (Run, error) {
	last, results, err := runlog.ReadLast(ctx, q)
	if err != nil {
		return Run{}, err
	}
	if last.At.IsZero() {
		return Run{}, ErrNoRun
	}
	r := Run{Verdicts: map[runlog.Verdict]int{}}
	r.begin(last)
	if last.Ended.IsZero() {
		r.Process = process
	}
	for _, result := range results {
		if result.CutShort() {
			r.Unfinished = append(r.Unfinished, result.Authority)
			continue
		}
		r.Verdicts[result.Verdict]++
		r.Records += result.Saved
		r.Requests += result.Requests
	}
	return r, nil
}

// begin takes over what the log says of a run as a whole.
func (r *Run) begin(run runlog.Run) {
	r.ID, r.At, r.ExitCode, r.Cause = run.ID(), run.At, run.ExitCode, run.Cause
	if run.Reasons != "" {
		r.Reasons = strings.Split(run.Reasons, "\n")
	}
	if !run.Ended.IsZero() {
		r.Ended, r.Seconds = &run.Ended, run.Took.Seconds()
	}
}

func (c *collector) summarise(run runlog.Run) {
	o := &c.overview.Run
	o.begin(run)
	o.Verdicts = map[runlog.Verdict]int{}
	for _, a := range c.byLabel {
		c.overview.Authorities = append(c.overview.Authorities, *a)
		if a.InRun {
			o.Verdicts[a.Verdict]++
			o.Records += a.Records
			o.Requests += a.Requests
		}
	}
	all := c.overview.Authorities
	sort.Slice(all, func(i, j int) bool { return all[i].Label < all[j].Label })
	o.Critical = criticalPath(all)
}

const day = 24 * time.Hour
