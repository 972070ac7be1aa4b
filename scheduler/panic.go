package scheduler

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"runtime/pprof"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// errGoexit is the error of an operation whose goroutine was ended by runtime.Goexit, as tests do to fail.
var errGoexit = errors.New("its goroutine was ended by runtime.Goexit")

// PanicError is a panic of a scraper or of its client. It fails only its own operation.
type PanicError struct {
	Value any
	Stack []string // "function file:line", innermost first, without the standard library and modules of others
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// StackLines returns the stack for logs.
func (e *PanicError) StackLines() []string { return e.Stack }

// Unwrap returns the panic's value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Class returns ClassPanic.
func (e *PanicError) Class() scraperutils.Class { return scraperutils.ClassPanic }

// newPanicError is called by the deferred function that recovered v.
func newPanicError(v any) *PanicError {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	e := &PanicError{Value: v}
	for {
		f, more := frames.Next()
		if ownFrame(f) {
			e.Stack = append(e.Stack, fmt.Sprintf("%s %s:%d", f.Function, f.File, f.Line))
		}
		if !more {
			return e
		}
	}
}

// ownFrame reports whether a line belongs to the project: not to the standard library (whose import paths have no dot in their first
// element), to another module (which stands under a version) or to this package.
func ownFrame(f runtime.Frame) bool {
	path, _, _ := strings.Cut(f.Function, "/")
	own := strings.Contains(path, ".") && strings.Contains(f.Function, "/") || strings.HasPrefix(f.Function, "main.")
	return own && !strings.Contains(f.File, "@v") && !strings.HasPrefix(f.Function, packagePath+".")
}

const packagePath = "github.com/multiscraper/multiscraper/scheduler"

// profileLabel is the profiler label that holds an operation's label.
const profileLabel = "operation"

// goroutineProfile is where all goroutines stand. To take it stops them all, so one serves for many operations.
type goroutineProfile string

func goroutines() goroutineProfile {
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		return ""
	}
	return goroutineProfile(profile.String())
}

// of returns where the goroutines of an operation stand.
func (p goroutineProfile) of(name string) string {
	label := fmt.Sprintf("%q:%q", profileLabel, name)
	var stacks []string
	for block := range strings.SplitSeq(string(p), "\n\n") {
		if strings.Contains(block, label) {
			stacks = append(stacks, strings.TrimSpace(block))
		}
	}
	return strings.Join(stacks, "\n\n")
}
