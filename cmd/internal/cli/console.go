package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
)

// Console is where a command reads its environment and writes to.
type Console struct {
	Name   string              // of the command, which begins its complaints
	Env    func(string) string // the value of a variable, or ""
	Names  []string            // of the variables that are set
	Given  map[string]string   // flags of the command line that are settings ("--max-load"), as they were written
	Stdout io.Writer
	Stderr io.Writer
}

// NewConsole returns the console of a command in an environment of NAME=value. Only text is written to it; see Printer.
func NewConsole(name string, environ []string, stdout, stderr io.Writer) Console {
	env, names := environment(environ)
	return Console{Name: name, Env: env, Names: names, Stdout: NewPrinter(stdout), Stderr: NewPrinter(stderr)}
}

// environment reads variables as os.Environ has them.
func environment(environ []string) (env func(string) string, names []string) {
	values := map[string]string{}
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		values[name], names = value, append(names, name)
	}
	return func(name string) string { return values[name] }, names
}

// Fail writes an error to standard error and returns the exit code.
func (c Console) Fail(code int, err error) int {
	for line := range strings.Lines(err.Error()) {
		c.Complain(c.Name + ": " + strings.TrimSuffix(line, "\n"))
	}
	return code
}

// Complain writes a line to standard error.
func (c Console) Complain(line string) { fmt.Fprintln(c.Stderr, line) }

// IsTerminal reports whether a writer is a person's screen.
func IsTerminal(w io.Writer) bool {
	switch w := w.(type) {
	case *Printer:
		return IsTerminal(w.out)
	case *outlet:
		return w.terminal
	case *os.File:
		return isatty.IsTerminal(w.Fd())
	}
	return false
}
