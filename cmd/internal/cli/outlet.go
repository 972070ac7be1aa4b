package cli

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
)

// outlet is where what is printed leaves the process. Its writes never fail: that nobody reads, or that a disk is full, is no
// reason to end a run of hours. Any goroutine may write.
type outlet struct {
	name     string // for people
	file     io.Writer
	terminal bool // asked at once: a terminal that has gone is none

	mu   sync.Mutex // guards the rest
	gone bool       // nobody reads any more
	err  error      // the first other failure
}

func newOutlet(name string, file io.Writer) *outlet {
	return &outlet{name: name, file: file, terminal: IsTerminal(file)}
}

func (o *outlet) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.gone {
		return len(b), nil
	}
	_, err := o.file.Write(b)
	switch {
	case err == nil:
	case errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET), o.terminal && errors.Is(err, syscall.EIO):
		o.gone = true
	case o.err == nil:
		o.err = err
	}
	return len(b), nil
}

// problem returns why part of the output is missing, or nil. A reader that has gone away is no problem.
func (o *outlet) problem() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		return nil
	}
	return fmt.Errorf("%s is not whole: %w", o.name, o.err)
}
