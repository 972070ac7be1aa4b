package intake

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// lines reads lines of bounded length.
type lines struct {
	in      *bufio.Reader
	max     int
	n       int      // of the line that was read last
	pending []string // that were put back
	alone   bool     // the line that was read last had been put back
	failed  error    // what came after those
}

// next returns a line, without its end. One that is too long is passed over, and named by an error of type *LineError.
func (l *lines) next() (string, error) {
	l.alone = len(l.pending) > 0
	if l.alone {
		line := l.pending[0]
		l.pending = l.pending[1:]
		l.n++
		return line, nil
	}
	if err := l.failed; err != nil {
		l.failed = nil
		if tooLong, ok := err.(*LineError); ok {
			l.n = tooLong.Line
		}
		return "", err
	}
	var long []byte // the beginning of a line that is longer than the buffer
	for length := 0; ; {
		part, err := l.in.ReadSlice('\n')
		length += len(part)
		full := err == bufio.ErrBufferFull
		switch {
		case full && length <= l.max:
			long = append(long, part...)
			continue
		case full:
			continue
		case err != nil && (length == 0 || err != io.EOF): // half a line may be another URL than the whole
			return "", err
		}
		l.n++
		if length > l.max {
			return "", &LineError{l.n, fmt.Errorf("longer than %d bytes", l.max)}
		}
		if long != nil {
			part = append(long, part...)
		}
		return strings.TrimRight(string(part), "\r\n"), nil
	}
}

// back puts lines back that were read last, in front of what failed after them.
func (l *lines) back(read []string) {
	l.pending = read
	l.n -= len(read)
	if _, ok := l.failed.(*LineError); ok {
		l.n--
	}
}

// lines reads a list, JSON lines or a CSV file. Which it is, the first line says that is neither blank nor a comment.
func (in *reader) lines(l *lines) error {
	for first := true; ; {
		line, err := l.next()
		if tooLong, ok := err.(*LineError); ok {
			if err := in.bad(tooLong.Line, tooLong.Err); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return ended(err)
		}
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if first {
			first = false
			if table, ok := in.header(line); ok {
				return in.table(l, table)
			}
			if in.Column != "" && !strings.HasPrefix(line, "{") {
				return fmt.Errorf("line %d: no column %q in %.100q", l.n, in.Column, line)
			}
		}
		h, err := in.message(line)
		if err != nil {
			err = in.bad(l.n, err)
		} else {
			err = in.found(l.n, h)
		}
		if err != nil {
			return err
		}
	}
}
