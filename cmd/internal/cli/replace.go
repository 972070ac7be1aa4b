package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Replacement is a file that is written beside the one that it replaces, so that no reader sees half of it and a full disk does not
// cost the old file. It belongs to one goroutine.
type Replacement struct {
	*os.File
	path string // "": it is written in place, for it is no ordinary file
}

// Replace begins the replacement of a file, which need not exist. A device or a pipe is written directly.
func Replace(path string) (*Replacement, error) {
	mode := fs.FileMode(0o666)
	switch info, err := os.Stat(path); {
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &Replacement{File: f}, err
	case err == nil:
		mode = info.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return nil, err
		}
	}
	beside := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d", filepath.Base(path), os.Getpid()))
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	return &Replacement{f, path}, err
}

// Finish puts the file in its place. If written is not nil, or the file can't be completed, Finish removes it and returns the error.
func (r *Replacement) Finish(written error) error {
	if r.path == "" {
		return errors.Join(written, r.Close())
	}
	if written == nil {
		written = r.Sync()
	}
	if written = errors.Join(written, r.Close()); written == nil {
		written = os.Rename(r.Name(), r.path)
	}
	if written != nil {
		_ = os.Remove(r.Name()) // it may be gone already
	}
	return written
}
