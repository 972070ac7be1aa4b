package runlog

import (
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Outcome is what became of one authority in one attempt.
type Outcome struct {
	Authority     string
	Attempt       int // from 1
	Started       time.Time
	Took          time.Duration
	Requests      int
	Saved         int
	Unprocessable int
	Err           error  // nil: all went well
	Unfinished    bool   // the run ended before it did
	Overdue       bool   // its scraper held its turn for too long
	Evidence      string // where its recording is kept if its verdict is bad, or ""
	File          string // where its row of the registry stands; "" where it is built in
	Yield         Yield  // what it gave, of one that ended well

	// What the Log makes of it.
	Verdict Verdict
	Class   scraperutils.Class // of a failure
	Doubts  []string           // what makes it implausible
}

// Verdict is what an outcome means.
type Verdict string

// The verdicts.
const (
	OK      Verdict = "ok"
	Empty   Verdict = "empty"   // it went well and there was nothing
	Partial Verdict = "partial" // some records were saved before it failed
	Failed  Verdict = "failed"
	Silent  Verdict = "silent" // nothing for longer than is usual for it: a failure that looks like success
	// It ended well, and what came is not what usually comes.
	Implausible Verdict = "implausible"
)

// allVerdicts in the order of their columns.
var allVerdicts = [...]Verdict{OK, Empty, Partial, Failed, Silent, Implausible}

// Verdicts returns all verdicts, the best first.
func Verdicts() []Verdict { return allVerdicts[:] }

// Bad reports whether the verdict counts as a failure.
func (v Verdict) Bad() bool { return v == Partial || v == Failed || v == Silent || v == Implausible }

// evidence returns the recording of a failure, or "".
func (o Outcome) evidence() string {
	if !o.Verdict.Bad() {
		return ""
	}
	return o.Evidence
}

// The words that the ScraperUtils gem has for an outcome in its log.
const (
	successful  = "successful"
	failed      = "failed"
	interrupted = "interrupted"
)

// status is the gem's word for an outcome.
func (o Outcome) status() string {
	switch {
	case o.Unfinished || o.Err != nil && o.Saved > 0:
		return interrupted
	case o.Err == nil && o.Saved > 0:
		return successful
	default:
		return failed
	}
}

// verdictOf is what the gem's word for an outcome comes to.
func verdictOf(status string) Verdict {
	return map[string]Verdict{successful: OK, interrupted: Partial, failed: Failed}[status]
}

// judge gives an outcome its verdict and class, based on the authority's history.
func judge(o Outcome, h History, today time.Time) Outcome {
	o.Class = scraperutils.ClassOf(o.Err)
	if o.Overdue && o.Err != nil && o.Class == scraperutils.ClassOther {
		o.Class = scraperutils.ClassStuck
	}
	switch {
	case o.Err != nil && o.Saved > 0:
		o.Verdict = Partial
	case o.Err != nil:
		o.Verdict = Failed
	case o.Saved > 0:
		o.Verdict = OK
	case h.silentOn(today):
		o.Verdict = Silent
	default:
		o.Verdict = Empty
	}
	return o
}

// Remark returns what else there is to say about an outcome, good or bad, or "".
func (o Outcome) Remark() string {
	remarks := o.Doubts
	if o.Overdue {
		remarks = append([]string{OverdueRemark}, remarks...)
	}
	return strings.Join(remarks, "; ")
}

// doubted returns an outcome that is implausible. Another attempt would show the same list, so it gets none.
func (o Outcome) doubted(why []string) Outcome {
	o.Verdict, o.Class, o.Doubts = Implausible, scraperutils.ClassQuality, why
	return o
}

// OverdueRemark is the first remark on an authority whose scraper held its turn for too long.
const OverdueRemark = "held its turn for longer than 60s (where: see the log)"

// Merged returns the outcome of two attempts on an authority: the last one, with the records of both if it failed.
func Merged(before, o Outcome) Outcome {
	if before.Authority == "" || !o.Verdict.Bad() {
		return o
	}
	o.Saved = max(o.Saved, before.Saved)
	if o.Saved > 0 && o.Verdict == Failed {
		o.Verdict = Partial
	}
	return o
}
