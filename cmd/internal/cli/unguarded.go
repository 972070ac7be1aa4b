package cli

import "io"

// Unguarded returns the writer behind a command's output: writes to it may fail, and every byte goes out as it is. It is for commands
// whose output is data and that must know whether all of it was written.
func Unguarded(w io.Writer) io.Writer {
	switch w := w.(type) {
	case *Printer:
		return Unguarded(w.out)
	case *outlet:
		return w.file
	}
	return w
}
