package news

import (
	"math"
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

// Authority is what a run came to for one authority, all attempts together.
type Authority struct {
	runlog.Outcome
	Platform    string
	ExpectedBad bool // its failure is expected
	Before      runlog.History
	Usual       int // records on such a day; 0: unknown
	Effort
}

// Effort is what an authority cost in all attempts.
type Effort struct {
	Requests int
	Took     time.Duration
	Bytes    int64 // of pages, decoded
}

// Plus returns the sum of two efforts.
func (e Effort) Plus(f Effort) Effort {
	return Effort{Requests: e.Requests + f.Requests, Took: e.Took + f.Took, Bytes: e.Bytes + f.Bytes}
}

// Change says how an outcome compares to the one before.
type Change string

// The changes.
const (
	None       Change = ""           // it works as before
	New        Change = "new"        // it fails and did not the last time, or it runs for the first time
	Still      Change = "still"      // it failed the last time too, or its failure is expected
	Recovered  Change = "recovered"  // it works again
	Unfinished Change = "unfinished" // the run ended before it did, which says nothing about it
)

// Changes returns all changes but None.
func Changes() []Change { return []Change{New, Still, Recovered, Unfinished} }

// Change returns how the outcome compares to the one before the run.
func (a Authority) Change() Change {
	failed, before := a.Verdict.Bad(), a.Before.LastVerdict.Bad()
	switch {
	case a.Unfinished:
		return Unfinished
	case failed && (before || a.ExpectedBad):
		return Still
	case failed:
		return New
	case before:
		return Recovered
	}
	return None
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
