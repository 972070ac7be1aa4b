package cli

import "io"

// Unguarded returns what is behind a command's output: writes to it may fail, and whatever is written gets out. It is for those whose
// output is data, who must know whether all of it was read.
func Unguarded(w io.Writer) io.Writer {
	switch w := w.(type) {
	case *Printer:
		return Unguarded(w.out)
	case *outlet:
		return w.file
	}
	return w
}
