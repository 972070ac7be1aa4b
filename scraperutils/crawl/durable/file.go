// Package durable appends to files in groups. When Append succeeds, the whole group is on disk; when it fails, the file is as it was.
//
//	Append ─▶ the group's writes, behind what is durable ─▶ fsync ─▶ durable
//	            └─ one fails: cut back to where the group began
//
// A process that is killed may leave an unfinished group behind the durable part. A program that opens such a file finds the end of the
// last complete piece by its format, and cuts the file there.
package durable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"
)

// LockedError says that this process or another one has a file open, or took it away while it was being opened.
type LockedError struct{ Path string }

func (e *LockedError) Error() string {
	return fmt.Sprintf("%s: is being written by another process", e.Path)
}

// File is a file that one process appends to. Its methods may be called from any goroutine.
type File struct {
	path string

	mu   sync.Mutex // guards the rest
	file *os.File   // nil: closed
	lock *flock.Flock
	size int64 // of what is durable
	torn bool  // there may be more in the file than that

	blocks *blocks // nil: it is not written directly
}

// Create creates a new file. The error is fs.ErrExist if the file exists.
func Create(path string) (*File, error) { return open(path, os.O_RDWR|os.O_CREATE|os.O_EXCL) }

// Open opens a file, or creates it.
func Open(path string) (*File, error) { return open(path, os.O_RDWR|os.O_CREATE) }

// OpenLeft opens a file that another process left. The error is fs.ErrNotExist if it is gone, and a *LockedError if it is in use.
func OpenLeft(path string) (*File, error) { return open(path, os.O_RDWR) }

func open(path string, flags int) (*File, error) {
	file, err := os.OpenFile(path, flags, 0o644)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, file: file, lock: flock.New(path, flock.SetFlag(os.O_RDWR))}
	if err := f.take(); err != nil {
		return nil, errors.Join(err, file.Close(), f.lock.Close())
	}
	return f, nil
}

// take locks an ordinary file. Until that is done somebody else may have given it another name, or removed it.
func (f *File) take() error {
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: expected an ordinary file", f.path)
	}
	ok, err := f.lock.TryLock()
	if errors.Is(err, fs.ErrNotExist) {
		return &LockedError{f.path}
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.path, err)
	}
	if !ok {
		return &LockedError{f.path}
	}
	locked, err := f.lock.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(f.path); err != nil || !os.SameFile(info, locked) || !os.SameFile(info, there) {
		return &LockedError{f.path}
	}
	f.size = info.Size()
	return syncFolder(f.path)
}

// Append calls write with a writer to the end of the file. If Append returns nil, what was written is durable; otherwise none of it
// counts. It ends early when ctx does.
func (f *File) Append(ctx context.Context, write func(io.Writer) error) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return &fs.PathError{Op: "append", Path: f.path, Err: fs.ErrClosed}
	}
	if err := f.cutBack(); err != nil {
		return err
	}
	f.torn = true
	defer func() {
		if err != nil {
			err = errors.Join(err, f.cutBack())
		}
	}()
	if f.blocks != nil {
		return f.appendBlocks(newDirectEnd(ctx, f), write)
	}
	end := &end{ctx: ctx, file: f.file, at: f.size}
	if err := write(end); err != nil {
		return err
	}
	if err := f.file.Sync(); err != nil {
		return err
	}
	f.size, f.torn = end.at, false
	return nil
}

// appendBlocks is Append of a file that is written directly.
func (f *File) appendBlocks(end *directEnd, write func(io.Writer) error) error {
	if err := write(end); err != nil {
		return err
	}
	size, err := end.finish()
	if err == nil {
		err = f.file.Truncate(size) // the last block was filled up
	}
	if err == nil {
		err = f.file.Sync()
	}
	if err != nil {
		return err
	}
	end.keep()
	f.size, f.torn = size, false
	return nil
}

// cutBack removes what is behind the durable part, if there may be anything.
func (f *File) cutBack() error {
	if !f.torn {
		return nil
	}
	if err := f.file.Truncate(f.size); err != nil {
		return err
	}
	f.torn = false
	return nil
}

// Cut removes what is behind size, durably. Use it if a killed process left part of a group there.
func (f *File) Cut(size int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := errors.Join(f.file.Truncate(size), f.file.Sync()); err != nil {
		return err
	}
	f.size = size
	return nil
}

// Size returns how many bytes are durable.
func (f *File) Size() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.size
}

// ReadAt reads durable bytes, like io.ReaderAt.
func (f *File) ReadAt(b []byte, at int64) (int, error) { return f.file.ReadAt(b, at) }

// Finish renames the file, durably, and closes it.
func (f *File) Finish(path string) error {
	return f.close(func() error {
		if err := os.Rename(f.path, path); err != nil {
			return err
		}
		return syncFolder(path)
	})
}

// Discard removes the file and closes it.
func (f *File) Discard() error { return f.close(func() error { return os.Remove(f.path) }) }

// Close closes the file. It does nothing if the file is closed.
func (f *File) Close() error { return f.close(func() error { return nil }) }

// close ends the use of the file; last runs while nobody else can have it.
func (f *File) close(last func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return nil
	}
	err := errors.Join(f.cutBack(), last(), f.file.Close(), f.lock.Close())
	f.file = nil
	return err
}

// end writes behind what a file has.
type end struct {
	ctx  context.Context
	file *os.File
	at   int64
}

func (e *end) Write(b []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := e.file.WriteAt(b, e.at)
	e.at += int64(n)
	return n, err
}

// syncFolder makes the name of a file durable.
func syncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
