package jsonl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/durable"
)

// File is a sink that appends lines to a file. Its methods may be called from any goroutine.
type File struct{ file *durable.File }

// Open opens the file, or creates it. It cuts off a last line that a killed process did not finish. The error is a *durable.LockedError
// if another process writes to the file.
func Open(path string) (*File, error) {
	file, err := durable.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the file of JSON lines: %w", err)
	}
	whole, err := wholeLines(file, file.Size())
	if err == nil && whole < file.Size() {
		err = file.Cut(whole)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("mend %s: %w", path, err), file.Close())
	}
	return &File{file}, nil
}

// wholeLines returns the length of the lines that have an end.
func wholeLines(in io.ReaderAt, size int64) (int64, error) {
	block := make([]byte, 64<<10)
	for end := size; end > 0; {
		part := block[:min(int64(len(block)), end)]
		start := end - int64(len(part))
		if _, err := in.ReadAt(part, start); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	return 0, nil
}

// Store appends one line per page and returns when they are on disk.
func (f *File) Store(ctx context.Context, pages []*crawl.Page) error {
	if err := ctx.Err(); err != nil || len(pages) == 0 {
		return err
	}
	if err := f.file.Append(ctx, func(w io.Writer) error { return write(w, pages) }); err != nil {
		return fmt.Errorf("store JSON lines: %w", err)
	}
	return nil
}

// Close closes the file after Store has finished.
func (f *File) Close() error { return f.file.Close() }

// Stream is a sink that writes lines to a program that reads them, such as the one behind standard output. What has been written counts
// as durable, because it belongs to the reader. Its methods may be called from any goroutine.
type Stream struct {
	out io.Writer

	mu  sync.Mutex // guards the rest
	err error      // why nothing more can be written; half a line may be out
}

// NewStream returns a sink that writes to out, and does not close it. If out is standard output, the program must ignore SIGPIPE, so that
// it gets an error when the reader goes away, and does not die.
func NewStream(out io.Writer) *Stream { return &Stream{out: out} }

// Store writes one line per page. After a failed write, nobody knows what the reader has received, so every later call fails too.
func (s *Stream) Store(ctx context.Context, pages []*crawl.Page) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	written := make(chan error, 1)
	go func() { written <- write(s.out, pages) }()
	select {
	case err := <-written:
		if err != nil {
			s.err = &GoneError{err}
		}
	case <-ctx.Done(): // a reader that does not read: only its going away ends the write
		s.err = &GoneError{context.Cause(ctx)}
	}
	return s.err
}

// Close makes later calls of Store fail.
func (s *Stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = &GoneError{fs.ErrClosed}
	}
	return nil
}

// GoneError says that nobody reads the lines any more.
type GoneError struct{ Err error }

func (e *GoneError) Error() string { return "write JSON lines: " + e.Err.Error() }
func (e *GoneError) Unwrap() error { return e.Err }

// Permanent tells a worker that retrying is of no use.
func (e *GoneError) Permanent() bool { return true }

// write writes the line of each page.
func write(w io.Writer, pages []*crawl.Page) error {
	var b []byte
	for _, p := range pages {
		var err error
		if b, err = Append(b[:0], p); err != nil {
			return fmt.Errorf("encode %s: %w", p.URL, err)
		}
		if _, err := w.Write(append(b, '\n')); err != nil {
			return err
		}
	}
	return nil
}
