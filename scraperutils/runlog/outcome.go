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

	// What Judge makes of it.
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

// Bad reports whether the verdict counts as a failure.
func (v Verdict) Bad() bool { return v == Partial || v == Failed || v == Silent || v == Implausible }

// evidence is the recording of a failure, or "".
func (o Outcome) evidence() string {
	if !o.Verdict.Bad() {
		return ""
	}
	return o.Evidence
}

// Status is the word that the ScraperUtils gem has for an outcome in its log.
func (o Outcome) Status() string {
	switch {
	case o.Unfinished || o.Err != nil && o.Saved > 0:
		return "interrupted"
	case o.Err == nil && o.Saved > 0:
		return "successful"
	default:
		return "failed"
	}
}

// Judge gives an outcome its verdict and class, by what is known of the authority.
func Judge(o Outcome, h History, today time.Time) Outcome {
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
	case h.SilentOn(today):
		o.Verdict = Silent
	default:
		o.Verdict = Empty
	}
	return o
}

// Remark is what else is to be said of an outcome, good or bad, or "".
func (o Outcome) Remark() string {
	remarks := o.Doubts
	if o.Overdue {
		remarks = append([]string{overdueRemark}, remarks...)
	}
	return strings.Join(remarks, "; ")
}

// doubted returns an outcome that is implausible. Another attempt would show the same list, so it gets none.
func (o Outcome) doubted(why []string) Outcome {
	o.Verdict, o.Class, o.Doubts = Implausible, scraperutils.ClassQuality, why
	return o
}

const overdueRemark = "held its turn for longer than 60s (where: see the log)"

// Merged is what two attempts on an authority come to: the last one, with the records of both where it failed.
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

// Retryable tells whether another attempt may help. What says of itself that it is useless, and a site that keeps crawlers
// out, does not get one.
func (o Outcome) Retryable() bool {
	if o.Err == nil {
		return false
	}
	switch o.Class {
	case scraperutils.ClassRobots, scraperutils.ClassBlocked, scraperutils.ClassQuality, scraperutils.ClassRunTimeout, scraperutils.ClassStuck:
		return false
	}
	return !isUseless(o.Err)
}
