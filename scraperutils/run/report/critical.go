package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/trace"
)

// criticalPath finds the authority that ended last and says what it spent its time on: with it as it is, the run could not
// have been shorter.
func criticalPath(all []Authority) *CriticalPath {
	var last *Authority
	var end time.Duration
	for i := range all {
		if n := len(all[i].Segments); n > 0 && all[i].Segments[n-1].To > end {
			last, end = &all[i], all[i].Segments[n-1].To
		}
	}
	if last == nil {
		return nil
	}
	c := &CriticalPath{Authority: last.Label, Seconds: end.Seconds(), Totals: last.Totals}
	c.Sentence = fmt.Sprintf("The run could not have been shorter because %s took until %s: %s.", last.Label, short(end), spent(last))
	return c
}

// spent is where an authority's time went, the longest first.
func spent(a *Authority) string {
	type part struct {
		seconds float64
		text    string
	}
	var parts []part
	for name, seconds := range a.Totals {
		what := ""
		switch rule, ruled := trace.PoliteRule(name); {
		case ruled:
			what = "waiting politely (" + rule + ")"
		case name == string(trace.Server):
			what = fmt.Sprintf("waiting for its server (%s)", scraperutils.Count(a.Requests, "request"))
		case name == string(trace.Reading):
			what = "reading pages"
		case name == string(trace.Queued):
			what = "waiting for others"
		}
		if what != "" && seconds >= 0.05 {
			parts = append(parts, part{seconds, short(time.Duration(seconds*float64(time.Second))) + " " + what})
		}
	}
	slices.SortFunc(parts, func(a, b part) int {
		if a.seconds != b.seconds {
			return int(1e3 * (b.seconds - a.seconds))
		}
		return strings.Compare(a.text, b.text)
	})
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.text)
	}
	if len(texts) == 0 {
		return "hardly any of it working"
	}
	return strings.Join(texts, ", ")
}

// short writes a duration as people read it: 0.4s, 12s, 3m05s, 2h10m.
func short(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
