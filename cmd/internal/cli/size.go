package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Size returns how many columns and rows a terminal has, now; 0 where that is not known.
func Size(w io.Writer) (columns, rows int) {
	switch w := w.(type) {
	case *Printer:
		return Size(w.out)
	case *outlet:
		return Size(w.file)
	case *os.File:
		if columns, rows, err := term.GetSize(int(w.Fd())); err == nil {
			return columns, rows
		}
	}
	return 0, 0
}

// Plain reports whether a terminal is one that shows text alone: it moves no cursor and has no colors (TERM=dumb).
func (c Console) Plain() bool { return c.Env("TERM") == "dumb" }

// Colored reports whether text on a terminal is to be colored: not where NO_COLOR is set (no-color.org).
func (c Console) Colored() bool { return !c.Plain() && c.Env("NO_COLOR") == "" }
