package warc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/durable"
)

// DefaultMaxSize is the size of a full file, in bytes.
const DefaultMaxSize = 1 << 30

// openSuffix marks a file that is being written.
const openSuffix = ".open"

// Options say how to write files. The zero value is a good default.
type Options struct {
	Prefix   string // of file names; "" is crawl
	MaxSize  int64  // of a file, in bytes; a group is never split; 0 is 1 GiB
	Plain    bool   // do not compress files
	Software string // named in the warcinfo record; "" is Multiscraper
	Robots   string // what the warcinfo record says of robots.txt; "" is obey

	now func() time.Time // for tests; nil is time.Now
}

func (o Options) withDefaults() Options {
	if o.Prefix == "" {
		o.Prefix = "crawl"
	}
	if o.MaxSize <= 0 {
		o.MaxSize = DefaultMaxSize
	}
	if o.Software == "" {
		o.Software = "Multiscraper"
	}
	if o.Robots == "" {
		o.Robots = "obey"
	}
	if o.now == nil {
		o.now = time.Now
	}
	return o
}

// Writer is a sink that writes to a folder. Its methods may be called from any goroutine.
type Writer struct {
	folder  string
	options Options

	mu       sync.Mutex    // guards the rest
	file     *durable.File // nil: none is open
	name     string        // of the file, when it is full
	serial   int
	encoders []*encoder
	record   record // where nothing is compressed
	closed   bool

	mending sync.WaitGroup // of what a process before has left
	mended  error          // why it could not be; to be read after mending
}

// Open opens a folder, and creates it if necessary. While the Writer stores the first pages, it repairs what a killed process left in the
// folder. Close reports what could not be repaired.
func Open(folder string, o Options) (*Writer, error) {
	o = o.withDefaults()
	if o.Prefix != filepath.Base(o.Prefix) {
		return nil, fmt.Errorf("prefix %q of WARC files: expected a name without a folder", o.Prefix)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of WARC files: %w", err)
	}
	left, err := leftIn(folder)
	if err != nil {
		return nil, fmt.Errorf("look for WARC files to mend: %w", err)
	}
	w := &Writer{folder: folder, options: o}
	w.mending.Go(func() {
		for _, path := range left {
			w.mended = errors.Join(w.mended, mend(path))
		}
	})
	return w, nil
}

// Store writes the records of pages and returns when they are durable.
func (w *Writer) Store(ctx context.Context, pages []*crawl.Page) error {
	if err := ctx.Err(); err != nil || len(pages) == 0 {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return fmt.Errorf("store WARC records: %w", fs.ErrClosed)
	}
	if err := w.roll(ctx); err != nil {
		return err
	}
	if err := w.file.Append(ctx, func(out io.Writer) error { return w.encode(out, pages) }); err != nil {
		return fmt.Errorf("store WARC records in %s: %w", w.name, err)
	}
	return nil
}

// roll has a file open that is not full.
func (w *Writer) roll(ctx context.Context) error {
	if w.file != nil && w.file.Size() >= w.options.MaxSize {
		if err := w.finish(); err != nil {
			return err
		}
	}
	if w.file != nil {
		return nil
	}
	file, err := w.create()
	if err != nil {
		return fmt.Errorf("open a WARC file: %w", err)
	}
	if err := file.Direct(); err != nil {
		return errors.Join(err, file.Discard())
	}
	if err := file.Append(ctx, w.encodeInfo); err != nil {
		return errors.Join(fmt.Errorf("begin %s: %w", w.name, err), file.Discard())
	}
	w.file = file
	return nil
}

// create makes the next file, under a name that nobody else has.
func (w *Writer) create() (*durable.File, error) {
	suffix := ".warc.gz"
	if w.options.Plain {
		suffix = ".warc"
	}
	for {
		w.serial++
		w.name = fmt.Sprintf("%s-%s-%05d-%d%s", w.options.Prefix, w.options.now().UTC().Format("20060102T150405Z"), w.serial, os.Getpid(), suffix)
		file, err := durable.Create(filepath.Join(w.folder, w.name+openSuffix))
		var taken *durable.LockedError
		switch {
		case errors.Is(err, fs.ErrExist) || errors.As(err, &taken):
			continue
		case err != nil:
			return nil, err
		}
		// Looked for only now: while the open name is ours nobody else can come to have the other one.
		if _, err := os.Lstat(filepath.Join(w.folder, w.name)); errors.Is(err, fs.ErrNotExist) {
			return file, nil
		}
		if err := file.Discard(); err != nil {
			return nil, err
		}
	}
}

// finish gives the file its name.
func (w *Writer) finish() error {
	file := w.file
	w.file = nil
	if file == nil {
		return nil
	}
	if err := file.Finish(filepath.Join(w.folder, w.name)); err != nil {
		return fmt.Errorf("finish %s: %w", w.name, err)
	}
	return nil
}

// Close waits for Store and for repairs, and gives the file its name. A second call does nothing.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	w.mending.Wait()
	return errors.Join(w.finish(), w.mended)
}
