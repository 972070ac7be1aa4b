package runlog

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// maxBacktrace is how many lines of a stack are kept.
const maxBacktrace = 6

// backtrace returns the lines of an error's stack that say something, or nil where it has none: the first two, whatever they
// are, and then those of the project, six at most.
func backtrace(err error) []string {
	var stacked interface{ StackLines() []string }
	if !errors.As(err, &stacked) {
		return nil
	}
	return meaningful(stacked.StackLines())
}

// ProjectLine is the first line of an error's stack that is the project's own, in brackets behind a space, or "".
func ProjectLine(err error) string {
	var stacked interface{ StackLines() []string }
	if !errors.As(err, &stacked) {
		return ""
	}
	for _, line := range stacked.StackLines() {
		if !foreign(line) {
			return " [" + line + "]"
		}
	}
	return ""
}

// meaningful picks the lines of a stack that say something.
func meaningful(stack []string) []string {
	var kept []string
	for i, line := range stack {
		if (i < 2 || !foreign(line)) && len(kept) < maxBacktrace {
			kept = append(kept, line)
		}
	}
	return kept
}

// foreign reports whether a line is of a library: Ruby's as the gem does, and Go's.
func foreign(line string) bool {
	for _, part := range []string{"/vendor/", "/gems/", "/ruby/", "@v", "/usr/local/go/", "/go/src/"} {
		if strings.Contains(line, part) {
			return true
		}
	}
	return false
}

// typeName is the name of an error's type: the first that is more than a text or a wrapping of the standard library; "" of none.
func typeName(err error) string {
	if err == nil {
		return ""
	}
	return cmp.Or(tellingType(err), "errors.errorString")
}

func tellingType(err error) string {
	switch t := strings.TrimPrefix(fmt.Sprintf("%T", err), "*"); t {
	case "errors.errorString", "fmt.wrapError", "fmt.wrapErrors", "errors.joinError", "url.Error", "scraperutils.Reworded":
	default:
		return t
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return tellingType(inner)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			if name := tellingType(inner); name != "" {
				return name
			}
		}
	}
	return ""
}
