package news

import (
	"regexp"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// Authority is what a run came to for one authority, all attempts together.
type Authority struct {
	runlog.Outcome
	Platform    string
	URL         string // of its site, which is compared and not shown
	ExpectedBad bool   // its failure is expected
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

// Change returns how the outcome compares to the one before the run.
func (a Authority) Change() Change {
	if a.Unfinished {
		return Unfinished
	}
	change := Compare(a.Before.LastVerdict, a.Verdict)
	if change == New && a.ExpectedBad {
		return Still
	}
	return change
}

// looks is what of the authority may look like others. Of those that fail still, what is known of the past does not say since when.
func (a Authority) looks() Looks {
	l := Looks{Platform: a.Platform, Verdict: a.Verdict, Class: a.Class, URL: a.URL}
	if a.Change() == New {
		l.Since = "this run"
	}
	return l
}

// Reason returns why an authority failed, in one line.
func (a Authority) Reason() string {
	text := a.Remark()
	switch {
	case a.Verdict == runlog.Silent:
		text = "it used to give records and has given none for too long"
	case a.Err != nil:
		text = a.Err.Error()
	}
	return strings.Join(strings.Fields(text), " ")
}

// Brief returns Reason with the hosts of addresses alone, for a line of a screen.
func (a Authority) Brief() string { return address.ReplaceAllString(a.Reason(), "$1/…") }

// address is one with a path, up to what ends it in a sentence.
var address = regexp.MustCompile(`https?://([^/\s)"]+)/[^\s)"]+`)
