package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// maxError is how many characters of an error the table shows.
const maxError = 250

// Report is the final report of a run: the table of outcomes, and what differs from what was expected.
type Report struct {
	outcomes  []runlog.Outcome
	expectBad []string // as given
	terms     Terms
}

// New reports on outcomes. expectBad names the sites whose failure is expected.
func New(outcomes []runlog.Outcome, expectBad []string, terms Terms) *Report {
	return &Report{outcomes: outcomes, expectBad: expectBad, terms: terms.withDefaults()}
}

// Table returns the table of outcomes as the ScraperUtils gem prints it.
func (r *Report) Table() string {
	var b strings.Builder
	width := 20 // or that of the longest label
	for _, o := range r.outcomes {
		width = max(width, utf8.RuneCountInString(o.Authority))
	}
	fmt.Fprintf(&b, "%s=%s\n\nScraping Summary:\n", r.terms.ExpectBad, strings.Join(r.expectBad, ", "))
	fmt.Fprintf(&b, "%-*s %6s %6s %s\n", width, heading(r.terms.Site), "OK", "Bad", "Exception")
	fmt.Fprintf(&b, "%-*s %6s %6s %s\n", width, strings.Repeat("-", width), "------", "------", strings.Repeat("-", 50))
	for _, o := range r.outcomes {
		expected := ""
		if slices.Contains(r.expectBad, o.Authority) {
			expected = "[EXPECT BAD] "
		}
		fmt.Fprintf(&b, "%-*s %6d %6d %s%s\n", width, o.Authority, o.Saved, o.Unprocessable, expected, describe(o, maxError))
	}
	return b.String()
}

// Problems returns what was not expected, one line each. It is empty if all is as expected.
func (r *Report) Problems() []string {
	problems := r.Reasons()
	for _, o := range r.outcomes {
		if r.unexpected(o) {
			problems = append(problems, fmt.Sprintf("  %s: %s", o.Authority, describe(o, math.MaxInt)))
		}
	}
	return problems
}

// Reasons returns Problems without the error of each authority, which the table shows.
func (r *Report) Reasons() []string {
	var reasons, unexpected []string
	for _, o := range r.outcomes {
		switch {
		case slices.Contains(r.expectBad, o.Authority) && !o.Verdict.Bad() && o.Saved > 0:
			reasons = append(reasons, fmt.Sprintf("WARNING: Remove %s from %s as it now works!", o.Authority, r.terms.ExpectBad))
		case r.unexpected(o):
			unexpected = append(unexpected, o.Authority)
		}
	}
	if len(unexpected) > 0 {
		reasons = append(reasons, fmt.Sprintf("ERROR: Unexpected errors in: %s (Add to %s?)", strings.Join(unexpected, ","), r.terms.ExpectBad))
	}
	return reasons
}

func (r *Report) unexpected(o runlog.Outcome) bool {
	return o.Verdict.Bad() && !slices.Contains(r.expectBad, o.Authority)
}

// describe is what went wrong in one line: the class of the error and its text, cut to a number of characters, and what else is
// to be said.
func describe(o runlog.Outcome, limit int) string {
	var text string
	switch {
	case o.Verdict == runlog.Silent:
		text = string(runlog.Silent) + " - it used to give records and has given none for too long"
	case o.Verdict == runlog.Implausible:
		return cut(string(runlog.Implausible)+" - "+o.Remark(), limit)
	case o.Err != nil:
		text = strings.Join(strings.Fields(string(o.Class)+" - "+o.Err.Error()), " ")
	}
	text = cut(text, limit) + runlog.ProjectLine(o.Err)
	if remark := o.Remark(); remark != "" {
		text = strings.TrimPrefix(text+"; "+remark, "; ")
	}
	return cmp.Or(text, "-")
}

// cut returns the first characters of a text.
func cut(text string, limit int) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), limit)])
}

// MarshalJSON writes the table as a list of objects.
func (r *Report) MarshalJSON() ([]byte, error) {
	type line struct {
		Authority   string         `json:"authority"`
		Verdict     runlog.Verdict `json:"verdict"`
		Class       string         `json:"failure_class,omitempty"`
		Records     int            `json:"records"`
		Rejected    int            `json:"rejected"`
		Error       string         `json:"error,omitempty"`
		Remark      string         `json:"remark,omitempty"`
		ExpectedBad bool           `json:"expected_bad,omitempty"`
	}
	lines := make([]line, len(r.outcomes))
	for i, o := range r.outcomes {
		lines[i] = line{Authority: o.Authority, Verdict: o.Verdict, Class: string(o.Class), Records: o.Saved, Rejected: o.Unprocessable, Remark: o.Remark(), ExpectedBad: slices.Contains(r.expectBad, o.Authority)}
		if o.Err != nil {
			lines[i].Error = o.Err.Error()
		}
	}
	return json.Marshal(lines)
}
