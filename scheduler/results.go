package scheduler

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Result says how one operation ended.
type Result struct {
	Label    string
	Err      error     // the scraper's error or panic, or what ended it; nil if all went well
	Started  time.Time // zero if it never started
	Ended    time.Time
	Requests int
	Records  int
	Overdue  bool // it held its turn for longer than the limit
	Left     bool // it ignored the end of the run; Err is a StuckError
}

// Totals says what a run cost.
type Totals struct {
	Calls         int // calls of ExecuteRequest that were answered
	Registrations int
	WaitDelay     time.Duration // time that requests waited for their hosts, summed over all operations
	WaitResponse  time.Duration // time that requests were in flight, summed over all operations
}

// Results says how a run ended.
type Results struct {
	Operations []Result // in order of registration
	Totals     Totals
	Err        error // why the run ended before its operations; a *RunTimeoutError at the deadline
}

// Errors returns the errors of all operations that failed, by label.
func (r *Results) Errors() map[string]error {
	errs := map[string]error{}
	for _, o := range r.Operations {
		if o.Err != nil {
			errs[o.Label] = o.Err
		}
	}
	return errs
}

// String returns the line that ends a run's log, in the gem's words.
func (t Totals) String() string {
	total := t.WaitDelay + t.WaitResponse
	percent := func(d time.Duration) string {
		if total == 0 {
			return "0%"
		}
		return fmt.Sprintf("%.1f%%", 100*float64(d)/float64(total))
	}
	return fmt.Sprintf("Scheduler processed %d calls for %d registrations, with %s of %s seconds spent keeping under max_load, and %s waiting for network I/O requests.",
		t.Calls, t.Registrations, percent(t.WaitDelay), seconds(total), percent(t.WaitResponse))
}

// seconds writes a duration with a decimal where it matters.
func seconds(d time.Duration) string {
	if s := d.Seconds(); s > 0 && s < 10 {
		return fmt.Sprintf("%.1f", s)
	}
	return fmt.Sprintf("%.0f", d.Seconds())
}

// RunTimeoutError is the cause when a run ends at its deadline. It is context.DeadlineExceeded.
type RunTimeoutError struct{ Limit time.Duration }

// Error returns the gem's sentence.
func (e *RunTimeoutError) Error() string {
	return "ERROR: Script exceeded maximum allowed runtime of " + humanTime(e.Limit) + "!"
}

// Is reports true for context.DeadlineExceeded.
func (e *RunTimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// Class returns ClassRunTimeout.
func (e *RunTimeoutError) Class() scraperutils.Class { return scraperutils.ClassRunTimeout }

// humanTime is the gem's way to write a duration: seconds up to 100, minutes up to 6000, else hours.
func humanTime(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 100:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", math.Round(s*10)/10), ".0") + " seconds"
	case s < 6000:
		return fmt.Sprintf("%.1f minutes", s/60)
	default:
		return fmt.Sprintf("%.1f hours", s/3600)
	}
}

// StuckError reports an operation that did not return when its run ended.
type StuckError struct {
	Cause error // why the run ended
	Stack string
}

func (e *StuckError) Error() string {
	return fmt.Sprintf("still running %s after the run ended: left behind", e.where())
}

func (e *StuckError) where() string {
	for _, line := range e.StackLines() {
		if function, _, _ := strings.Cut(line, " "); strings.Contains(function, ".") && !strings.HasPrefix(function, packagePath+".") {
			return "in " + function
		}
	}
	return "somewhere"
}

func (e *StuckError) Unwrap() error { return e.Cause }

// StackLines returns the stack of the operation's goroutine, for logs.
func (e *StuckError) StackLines() []string {
	var lines []string
	for line := range strings.Lines(e.Stack) {
		if fields := strings.Fields(line); len(fields) == 4 && fields[0] == "#" {
			lines = append(lines, fields[2]+" "+fields[3])
		}
	}
	return lines
}

// Class returns ClassStuck.
func (e *StuckError) Class() scraperutils.Class { return scraperutils.ClassStuck }
