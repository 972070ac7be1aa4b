package app

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// console is where a command reads its environment and writes to.
type console struct {
	env    func(string) string
	names  []string // of the variables that are set
	stdout io.Writer
	stderr io.Writer
}

// newConsole returns a console on which nothing is written that is more than text.
func newConsole(env func(string) string, stdout, stderr io.Writer) console {
	return console{env: env, stdout: newPrinter(stdout), stderr: newPrinter(stderr)}
}

// fail writes an error to standard error and returns the exit code.
func (c console) fail(code int, err error) int {
	for line := range strings.Lines(err.Error()) {
		c.complain("scrape: " + strings.TrimSuffix(line, "\n"))
	}
	return code
}

// complain writes a line to standard error.
func (c console) complain(line string) { fmt.Fprintln(c.stderr, line) }

// isTerminal reports whether a writer is a person's screen.
func isTerminal(w io.Writer) bool {
	switch w := w.(type) {
	case *printer:
		return isTerminal(w.out)
	case *outlet:
		return w.terminal
	case *os.File:
		return terminal(w.Fd())
	}
	return false
}
