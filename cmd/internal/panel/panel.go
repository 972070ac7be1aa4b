// Package panel shows a run that goes on in a few lines: how far it is, and the operations that others are done before, each with
// what it waits for. Someone who looks on sees that a wait is politeness and no fault.
//
//	scheduler.Snapshot ─▶ Lines ─▶ the panel of a cli.Screen
package panel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// slowest is how many operations have a line.
const slowest = 8

// Run is what is known of a run beside its operations.
type Run struct {
	Now     time.Time
	Began   time.Time                // the attempt
	Attempt int                      // from 1
	Usual   map[string]time.Duration // what each operation took last time; 0 where that is unknown
	Columns int                      // of the screen; 0: unknown, as wide as it takes
	Rows    int                      // of the screen; 0: unknown
}

// Lines returns the panel: a line about all operations, and one for each of the slowest, as far as the screen has room.
func Lines(all []scheduler.OperationStatus, r Run) []string {
	var going []scheduler.OperationStatus
	var done, waiting, requests, records int
	for _, o := range all {
		requests += o.Pages
		records += o.Records
		switch o.State {
		case scheduler.StateEnded, scheduler.StateLeft:
			done++
		case scheduler.StateRegistered:
			waiting++
		default:
			going = append(going, o)
		}
	}
	slices.SortStableFunc(going, func(a, b scheduler.OperationStatus) int {
		return cmp.Or(cmp.Compare(r.left(b), r.left(a)), a.Since.Compare(b.Since))
	})
	left := time.Duration(0)
	for _, o := range all {
		left = max(left, r.left(o))
	}
	lines := []string{r.head(len(all), done, waiting, requests, records, left)}
	most := slowest
	if r.Rows > 0 {
		most = max(0, min(most, r.Rows/2-2)) // the problems above are more important
	}
	for _, o := range going[:min(most, len(going))] {
		lines = append(lines, r.line(o))
	}
	if r.Columns > 0 {
		for i, line := range lines {
			lines[i] = shortened(line, r.Columns)
		}
	}
	return lines
}

// wide is from how many columns on a screen is wide.
const wide = 120

// isWide reports whether there is room for all that is known.
func (r Run) isWide() bool { return r.Columns == 0 || r.Columns >= wide }

func (r Run) line(o scheduler.OperationStatus) string {
	label, host := 20, 34
	if !r.isWide() {
		label, host = 16, 24
	}
	name := ""
	if o.Host.Name != "" { // it has asked nobody yet
		name = o.Host.String()
	}
	return fmt.Sprintf("  %-*s %-*s %s", label, shortened(o.Label, label), host, shortened(name, host), r.doing(o))
}

func (r Run) head(all, done, waiting, requests, records int, left time.Duration) string {
	parts := []string{fmt.Sprintf("%s %d of %d done", bar(done, all), done, all)}
	if r.Attempt > 1 {
		parts[0] += fmt.Sprintf(" (attempt %d on what failed)", r.Attempt)
	}
	if n := all - done - waiting; n > 0 {
		parts = append(parts, fmt.Sprintf("%d at work", n))
	}
	if waiting > 0 {
		parts = append(parts, fmt.Sprintf("%d to come", waiting))
	}
	parts = append(parts, scraperutils.Count(requests, "request"), scraperutils.Count(records, "record"))
	if left >= time.Second {
		parts = append(parts, "about "+span(left)+" to go")
	}
	return strings.Join(parts, " · ")
}

// bar is how much is done, in ten pieces.
func bar(done, all int) string {
	full := 0
	if all > 0 {
		full = 10 * done / all
	}
	return strings.Repeat("█", full) + strings.Repeat("░", 10-full)
}

// left is how long an operation goes on at least.
func (r Run) left(o scheduler.OperationStatus) time.Duration {
	return max(0, Expected(o, r.Began, r.Usual[o.Label]).Sub(r.Now))
}

// Expected returns when an operation ends at the earliest: once its attempt, which began then, has taken as long as the operation took last
// time (0: unknown), and its host may be asked again. It returns the zero time where nothing is known, or the operation has ended.
func Expected(o scheduler.OperationStatus, began time.Time, usual time.Duration) time.Time {
	if o.State == scheduler.StateEnded || o.State == scheduler.StateLeft {
		return time.Time{}
	}
	expected := o.Wait.Until
	if end := began.Add(usual); usual > 0 && end.After(expected) {
		expected = end
	}
	return expected
}

// doing says what an operation is doing, or what it waits for, by which rule and until when.
func (r Run) doing(o scheduler.OperationStatus) string {
	since := ""
	if d := r.Now.Sub(o.Since); !o.Since.IsZero() && d >= time.Second {
		since = " for " + span(d)
	}
	switch o.State {
	case scheduler.StateRunning:
		return "reads a page"
	case scheduler.StateReady:
		return "has its answer, waits for its turn"
	case scheduler.StateRequesting:
		return "the site is answering" + since
	case scheduler.StateSettling, scheduler.StateFinishing:
		return "saves records"
	}
	what := Meaning(o.Wait.Rule)
	switch until := o.Wait.Until; {
	case !until.After(r.Now):
		return "waits: " + what
	case r.isWide():
		return fmt.Sprintf("waits %s, until %s: %s", span(until.Sub(r.Now)), until.Local().Format(time.TimeOnly), what)
	default:
		return fmt.Sprintf("waits %s: %s", span(until.Sub(r.Now)), what)
	}
}

// Meaning returns what a rule says to someone who does not know it.
func Meaning(rule string) string {
	if what, known := meaning[rule]; known {
		return what
	}
	return rule
}

var meaning = map[string]string{
	scheduler.RuleBusyHost: "another request to this site",
	scheduler.RuleRequests: "too many requests at once",
	pace.RuleMaxLoad:       "politeness (max-load)",
	pace.RuleCrawlDelay:    "politeness (crawl-delay)",
	pace.RuleRandom:        "politeness (random delay)",
	pace.RuleRetryAfter:    "asked for (Retry-After)",
	pace.RuleBackOff:       "it is overloaded (back-off)",
	pace.RuleRetry:         "before another try",
	pace.RuleDown:          "it can't be reached",
}

// span is a duration in whole seconds.
func span(d time.Duration) string {
	return max(time.Second, d.Round(time.Second)).String()
}

func shortened(text string, most int) string {
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return text
}
