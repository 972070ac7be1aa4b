package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/runlog"
)

// Text returns the overview as lines for a terminal, with what needs attention first.
func (o *Overview) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Run of %s (%s): %s\n", o.Run.At.Format(whenLayout), o.Run.ID, o.Run.end())
	fmt.Fprintf(&b, "%s; %s, %s\n", o.Run.verdicts(o.Terms.withDefaults()), scraperutils.Count(o.Run.Records, "record"), scraperutils.Count(o.Run.Requests, "request"))
	for _, reason := range o.Run.Reasons {
		fmt.Fprintln(&b, reason)
	}
	if o.Run.Critical != nil {
		fmt.Fprintf(&b, "%s\n", o.Run.Critical.Sentence)
	}
	var older []*Authority
	for i := range o.Authorities {
		switch a := &o.Authorities[i]; {
		case a.older():
			older = append(older, a)
		case a.InRun && (a.Verdict.Bad() || a.Remark != ""):
			a.text(&b)
		}
	}
	if len(o.Run.Unfinished) > 0 {
		fmt.Fprintf(&b, "\n%s: %s\n", o.Run.leftOver(), strings.Join(o.Run.Unfinished, ", "))
	}
	if len(older) > 0 {
		fmt.Fprintf(&b, "\nNot in this run, and as they were left by an earlier one:\n")
	}
	for _, a := range older {
		a.text(&b)
	}
	return b.String()
}

const whenLayout = "2 Jan 2006 15:04 -07:00"

// older reports whether an authority was not in the run that is shown, and needs attention since an earlier one.
func (a *Authority) older() bool {
	return !a.InRun && !a.cutShort && !a.RunAt.IsZero() && (a.Unfinished || a.Verdict.Bad())
}

func (a *Authority) text(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s: ", a.Label)
	switch {
	case a.Unfinished:
		fmt.Fprintf(b, "without an outcome in the run of %s\n", a.RunAt.Format(whenLayout))
		return
	case a.Class != "":
		fmt.Fprintf(b, "%s (%s)", a.Verdict, a.Class)
	default:
		fmt.Fprint(b, a.Verdict)
	}
	fmt.Fprintf(b, ", %s", scraperutils.Count(a.Records, "record"))
	if a.Verdict == runlog.Silent {
		fmt.Fprintf(b, ", none since %s", a.LastRecords)
	}
	if !a.InRun {
		fmt.Fprintf(b, ", in the run of %s", a.RunAt.Format(whenLayout))
	}
	b.WriteByte('\n')
	if a.Error != "" {
		fmt.Fprintf(b, "  %s\n", strings.ReplaceAll(a.Error, "\n", "\n  "))
	}
	if a.Remark != "" {
		fmt.Fprintf(b, "  %s\n", a.Remark)
	}
	if a.Replay != "" {
		fmt.Fprintf(b, "  replay it: %s\n", a.Replay)
	}
}

func (r Run) end() string {
	switch {
	case r.Ended == nil && r.Process != 0:
		return fmt.Sprintf("it goes on, in process %d", r.Process)
	case r.Ended == nil:
		return "it has not ended: it was killed"
	}
	s := "took " + short(time.Duration(r.Seconds*float64(time.Second))) + fmt.Sprintf(", exit code %d", r.ExitCode)
	if r.Cause != "" {
		s += " (" + r.Cause + ")"
	}
	return s
}

// leftOver returns the heading for authorities without an outcome in a run.
func (r Run) leftOver() string {
	if r.Process != 0 {
		return "still to come"
	}
	return "without an outcome"
}

// verdicts is how many sites have each verdict.
func (r Run) verdicts(t Terms) string {
	var parts []string
	for _, v := range runlog.Verdicts() {
		if n := r.Verdicts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if n := len(r.Unfinished); n > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", n, r.leftOver()))
	}
	if len(parts) == 0 {
		return "no " + t.Sites
	}
	return strings.Join(parts, ", ")
}
