package report

import (
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/site/dates"
)

// keptPast is how many runs of an authority an overview has.
const keptPast = 30

// PastRun is what became of an authority in one run, all attempts together.
type PastRun struct {
	Run      string             `json:"run"`
	Day      string             `json:"day"` // on which the run began; of a run as of another day, that day
	Verdict  runlog.Verdict     `json:"verdict"`
	Class    scraperutils.Class `json:"failure_class"`
	Error    string             `json:"error"`
	Remark   string             `json:"remark"`
	Records  int                `json:"records"`
	Rejected int                `json:"rejected"`
	Requests int                `json:"requests"`
	Seconds  float64            `json:"seconds"`
	Evidence string             `json:"evidence"`
}

func (t Terms) pastRun(r runlog.Result) PastRun {
	return PastRun{
		Run: r.Run.ID(), Day: t.dayOf(r.Run), Verdict: r.Verdict, Class: r.Class, Error: r.Message(), Remark: r.Note,
		Records: r.Saved, Rejected: r.Unprocessable, Requests: r.Requests, Seconds: r.Seconds, Evidence: r.Evidence,
	}
}

// dayOf is the day that readers know a run by.
func (t Terms) dayOf(r runlog.Run) string {
	if r.Day.IsZero() || r.Day.Equal(dates.Today(r.At, t.Zone)) {
		return r.At.Format(time.DateOnly)
	}
	return r.Day.Format(time.DateOnly)
}

// recall adds a run to an authority's past, and forgets the oldest where there are too many.
func (a *Authority) recall(p PastRun) {
	a.Past = append(a.Past, p)
	if extra := len(a.Past) - keptPast; extra > 0 {
		a.Past = slices.Delete(a.Past, 0, extra)
	}
}

// Streak is how long an authority has been bad, as far back as its kept runs go.
type Streak struct {
	Runs   int    `json:"runs"`        // bad ones in a row
	Since  string `json:"since"`       // the day of the first of them; "" where there are none
	Well   string `json:"well_on"`     // the day of the run before them, which was good; "": no run before them is known
	Failed int    `json:"failed_runs"` // bad ones among all kept
	Of     int    `json:"of_runs"`     // all kept
}

// streakOf counts the bad runs at the end of a past.
func streakOf(past []PastRun) Streak {
	s := Streak{Of: len(past)}
	for i, p := range slices.Backward(past) {
		if !p.Verdict.Bad() {
			s.Well = p.Day
			break
		}
		s.Runs, s.Since = len(past)-i, p.Day
	}
	for _, p := range past {
		if p.Verdict.Bad() {
			s.Failed++
		}
	}
	return s
}

// lastVerdict is that of the last run of a past, or "" where there is none.
func lastVerdict(past []PastRun) runlog.Verdict {
	if len(past) == 0 {
		return ""
	}
	return past[len(past)-1].Verdict
}

// usual is the median of what an authority gave in the good runs of a past, and whether there are enough of them to tell: three.
func usual(past []PastRun) (records int, known bool) {
	var all []int
	for _, p := range past {
		if !p.Verdict.Bad() {
			all = append(all, p.Records)
		}
	}
	if len(all) < 3 {
		return 0, false
	}
	slices.Sort(all)
	return all[len(all)/2], true
}
