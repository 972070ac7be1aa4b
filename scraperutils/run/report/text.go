package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/news"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// Text returns the overview as lines for a terminal: whether it is of built-in sites, the run, then what is new, what is still bad, what has recovered, and the rest in one
// line.
func (o *Overview) Text() string {
	var b strings.Builder
	c := o.Changes()
	if o.MadeUp {
		fmt.Fprintln(&b, news.MadeUp)
	}
	fmt.Fprintf(&b, "Run of %s (%s): %s\n", o.Run.At.Format(whenLayout), o.Run.ID, o.Run.end())
	fmt.Fprintf(&b, "%s; %s%s, %s\n", o.Run.verdicts(o.Terms.withDefaults()), scraperutils.Count(o.Run.Records, "record"), growth(c), scraperutils.Count(o.Run.Requests, "request"))
	for _, reason := range o.Run.Reasons {
		fmt.Fprintln(&b, reason)
	}
	if o.Run.Critical != nil {
		fmt.Fprintln(&b, o.Run.Critical.Sentence)
	}
	for _, sentence := range o.alike() {
		fmt.Fprintln(&b, sentence)
	}
	for _, s := range o.sections() {
		if s.ID != "unfinished" { // those are named alone
			s.text(&b)
		}
	}
	if len(o.Run.Unfinished) > 0 {
		fmt.Fprintf(&b, "\n%s: %s\n", o.Run.leftOver(), strings.Join(o.Run.Unfinished, ", "))
	}
	if rest := verdicts(c.Rest); len(rest) > 0 {
		fmt.Fprintf(&b, "\nThe rest: %s\n", strings.Join(rest, ", "))
	}
	if len(c.Failures())+len(c.Earlier)+len(c.Unfinished) > 0 {
		fmt.Fprintf(&b, "\nTry again what failed: scrape --failed%s\n", flag("db", o.Database))
	}
	return b.String()
}

const whenLayout = "2 Jan 2006 15:04 -07:00"

// growth says in brackets by how much the records of a run differ from the usual number, or nothing.
func growth(c Changes) string {
	percent, known := c.Growth()
	if !known {
		return ""
	}
	if rounded := int(math.Round(percent)); rounded != 0 {
		return fmt.Sprintf(" (%+d%% on the usual)", rounded)
	}
	return " (as usual)"
}

func (s section) text(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s (%s): %s\n", s.Title, scraperutils.Digits(len(s.Items)), s.Meaning)
	for from := 0; from < len(s.Items); {
		to := from + 1
		for s.Items[from].Like != "" && to < len(s.Items) && s.Items[to].Like == s.Items[from].Like {
			to++
		}
		textOfLike(b, s.Items[from:to])
		from = to
	}
}

// shownOfLike is how many failures that look like one are told in full.
const shownOfLike = 3

// textOfLike tells the first of some failures that look like one, and names the others.
func textOfLike(b *strings.Builder, items []item) {
	for _, i := range items[:min(len(items), shownOfLike)] {
		i.text(b)
	}
	var others []string
	for _, i := range items[min(len(items), shownOfLike):] {
		others = append(others, i.Label)
	}
	if len(others) > 0 {
		fmt.Fprintf(b, "  and %s like these (%s): %s\n", scraperutils.Digits(len(others)), items[0].Like, strings.Join(others, ", "))
	}
}

func (i item) text(b *strings.Builder) {
	said := []string{string(i.Verdict)}
	if i.Class != "" {
		said[0] += " (" + string(i.Class) + ")"
	}
	if i.Verdict != unfinished {
		said = append(said, scraperutils.Count(i.Records, "record"))
	}
	for _, more := range []string{i.Earlier, i.Since} {
		if more != "" {
			said = append(said, more)
		}
	}
	fmt.Fprintf(b, "  %s: %s\n", i.Label, strings.Join(said, ", "))
	for _, line := range []string{i.Reason, i.Remark} {
		if line != "" {
			fmt.Fprintf(b, "    %s\n", line)
		}
	}
	if i.Replay != "" {
		fmt.Fprintf(b, "    replay it: %s\n", i.Replay)
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
	parts := verdicts(r.Verdicts)
	if n := len(r.Unfinished); n > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", n, r.leftOver()))
	}
	if len(parts) == 0 {
		return "no " + t.Sites
	}
	return strings.Join(parts, ", ")
}

// verdicts is how many have each verdict, the best first.
func verdicts(counts map[runlog.Verdict]int) (parts []string) {
	for _, v := range runlog.Verdicts() {
		if n := counts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return parts
}
