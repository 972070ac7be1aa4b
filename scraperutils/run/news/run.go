package news

import (
	"math"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// Run is a run that has ended, as far as its readers need it.
type Run struct {
	ID          string // names the run in its database
	Began       time.Time
	Took        time.Duration
	Source      runlog.Source // what was asked
	Database    string        // the file that the run wrote
	ExitCode    int
	Cause       string // why the run ended early, or ""
	Authorities []Authority
	Waits       map[string]time.Duration // by rule of politeness, of all authorities together
}

// With returns the authorities of a change, in the order of the run.
func (r *Run) With(c Change) (all []Authority) {
	for _, a := range r.Authorities {
		if a.Change() == c {
			all = append(all, a)
		}
	}
	return all
}

// Groups returns the failures that are alike together, the largest group first; in each, new ones first.
func (r *Run) Groups() []Group[Authority] {
	var run []Looks
	for _, a := range r.Authorities {
		run = append(run, a.looks())
	}
	return Alike(slices.Concat(r.With(New), r.With(Still)), Authority.looks, run)
}

// Changed reports whether an authority began to fail or works again, or the run ended early: whether there is something to tell.
func (r *Run) Changed() bool {
	return r.Cause != "" || len(r.With(New)) > 0 || len(r.With(Recovered)) > 0
}

// Records returns how many records were saved.
func (r *Run) Records() (n int) {
	for _, a := range r.Authorities {
		n += a.Saved
	}
	return n
}

// Trend returns by how many percent the records are more than usual, of the authorities whose usual number is known. It reports
// whether it is known of at least half of them.
func (r *Run) Trend() (percent int, known bool) {
	saved, usual, of := 0, 0, 0
	for _, a := range r.Authorities {
		if a.Usual > 0 && !a.Unfinished {
			saved, usual, of = saved+a.Saved, usual+a.Usual, of+1
		}
	}
	if of == 0 || 2*of < len(r.Authorities) {
		return 0, false
	}
	return int(math.Round(100 * float64(saved-usual) / float64(usual))), true
}
