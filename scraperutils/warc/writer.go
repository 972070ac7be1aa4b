package warc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// DefaultMaxSize is when a file is full, in bytes.
const DefaultMaxSize = 1 << 30

// openSuffix marks a file that is being written.
const openSuffix = ".open"

// Options say how files are written. The zero value is a good one.
type Options struct {
	Prefix   string // of file names; "" is crawl
	MaxSize  int64  // of a file, in bytes; a group is never split; 0 is 1 GiB
	Plain    bool   // files are not compressed
	Software string // as the warcinfo record names it; "" is Multiscraper
	Robots   string // what the warcinfo record says of robots.txt; "" is obey

	now func() time.Time // for tests; nil is time.Now
}

// Writer is a sink that writes to a folder. Store and Close belong to one goroutine at a time.
type Writer struct {
	folder   string
	options  Options
	file     *os.File     // nil: none is open
	lock     *flock.Flock // of the file: others that mend the folder leave it alone
	name     string       // of the file, when it is full
	size     int64        // of what is durable in it
	serial   int
	encoders []*encoder

	mending sync.WaitGroup // of what a process before has left
	mended  error          // why it could not be; to be read after mending
}

// Open makes the folder where it is not there, and mends what a process that was killed has left in it, beside what it returns to do.
func Open(folder string, o Options) (*Writer, error) {
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
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of WARC files: %w", err)
	}
	left, err := filepath.Glob(filepath.Join(folder, "*.warc*"+openSuffix))
	if err != nil {
		return nil, err
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
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.file != nil && w.size >= w.options.MaxSize {
		if err := w.finish(); err != nil {
			return err
		}
	}
	if w.file == nil {
		if err := w.begin(); err != nil {
			return err
		}
	}
	blocks, err := w.encode(pages)
	if err != nil {
		return fmt.Errorf("encode pages: %w", err)
	}
	if err := w.append(blocks); err != nil {
		return fmt.Errorf("write %s: %w", w.file.Name(), err)
	}
	return nil
}

// append writes blocks behind what is durable. After a failure the file ends where it did before.
func (w *Writer) append(blocks [][]byte) (err error) {
	size := w.size
	defer func() {
		if err != nil {
			err = errors.Join(err, w.file.Truncate(w.size))
		}
	}()
	for _, block := range blocks {
		n, err := w.file.WriteAt(block, size)
		if size += int64(n); err != nil {
			return err
		}
	}
	if err := w.file.Sync(); err != nil {
		return err
	}
	w.size = size
	return nil
}

// begin opens the next file, with its warcinfo record.
func (w *Writer) begin() error {
	suffix := ".warc.gz"
	if w.options.Plain {
		suffix = ".warc"
	}
	for {
		w.serial++
		w.name = fmt.Sprintf("%s-%s-%05d-%d%s", w.options.Prefix, w.options.now().UTC().Format("20060102T150405Z"), w.serial, os.Getpid(), suffix)
		if _, err := os.Lstat(filepath.Join(w.folder, w.name)); err == nil {
			continue
		}
		file, err := os.OpenFile(filepath.Join(w.folder, w.name+openSuffix), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("open a WARC file: %w", err)
		}
		w.file, w.size, w.lock = file, 0, flock.New(file.Name())
		break
	}
	if ok, err := w.lock.TryLock(); err != nil || !ok {
		return errors.Join(fmt.Errorf("lock %s: %w", w.file.Name(), cmp.Or(err, errLocked)), w.abandon())
	}
	block, err := w.encodeInfo()
	if err == nil {
		err = w.append([][]byte{block})
	}
	if err == nil {
		err = syncFolder(w.folder)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("begin %s: %w", w.name, err), w.abandon())
	}
	return nil
}

var errLocked = errors.New("another process has locked it")

// abandon removes a file that could not be begun.
func (w *Writer) abandon() error {
	path := w.file.Name()
	err := errors.Join(w.file.Close(), os.Remove(path), w.lock.Close())
	w.file = nil
	return err
}

// finish gives the file its name.
func (w *Writer) finish() error {
	if w.file == nil {
		return nil
	}
	path := w.file.Name()
	err := w.file.Close()
	w.file = nil
	if err == nil {
		err = os.Rename(path, filepath.Join(w.folder, w.name))
	}
	if err == nil {
		err = syncFolder(w.folder)
	}
	if err = errors.Join(err, w.lock.Close()); err != nil {
		return fmt.Errorf("finish %s: %w", w.name, err)
	}
	return nil
}

// Close gives the file its name, and waits for what is being mended.
func (w *Writer) Close() error {
	w.mending.Wait()
	return errors.Join(w.finish(), w.mended)
}

// syncFolder makes the names in a folder durable.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
