package db

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"github.com/mattn/go-sqlite3"
)

// BrokenError says that nobody can read or write an open database any more, and what to do about it.
type BrokenError struct {
	Path   string
	Advice string // what is wrong and what to do
	Err    error  // what the system said, or nil
}

func (e *BrokenError) Error() string {
	s := "database " + strconv.Quote(e.Path) + ": " + e.Advice
	if e.Err != nil {
		s += " (" + e.Err.Error() + ")"
	}
	return s
}

func (e *BrokenError) Unwrap() error { return e.Err }

// broken returns a *BrokenError for an error that every later use of the file will meet. It returns other errors unchanged.
func broken(path string, err error) error {
	var cause sqlite3.Error
	if isBroken(err) || !errors.As(err, &cause) {
		return err
	}
	advice := adviceOn(cause)
	switch cause.Code {
	case sqlite3.ErrReadonly, sqlite3.ErrCantOpen, sqlite3.ErrPerm:
		advice = "it can't be written any more: see its permissions, and whether its disk is mounted for writing"
	}
	if advice == "" {
		return err
	}
	return &BrokenError{Path: path, Advice: advice, Err: cause}
}

func isBroken(err error) bool {
	var e *BrokenError
	return errors.As(err, &e)
}

// adviceOn returns what to do about an error of the file itself, or "".
func adviceOn(err error) string {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return noRoom
	}
	var cause sqlite3.Error
	if errors.As(err, &cause) && (cause.SystemErrno == syscall.ENOSPC || cause.SystemErrno == syscall.EDQUOT) {
		return noRoom
	}
	switch cause.Code {
	case sqlite3.ErrNotADB:
		return "it is not an SQLite database: give another path, or move that file away"
	case sqlite3.ErrCorrupt:
		return "it is damaged: move it away, or bring back a copy"
	case sqlite3.ErrFull:
		return noRoom
	case sqlite3.ErrIoErr:
		return "its disk fails, or a quota is used up: see the system's log, or give another path"
	}
	return ""
}

const (
	noRoom    = "there is no room on the disk: make some, or give another path"
	takenAway = "it was deleted, moved or replaced while it was in use: nothing more can be saved to it"
)

// original is the file as it was opened. Writes to it are lost once its name leads elsewhere.
type original struct {
	path string
	file fs.FileInfo
}

// originalOf returns the original of an open database.
func originalOf(path string) (original, error) {
	file, err := os.Stat(path)
	if err != nil {
		return original{}, refused(path, err)
	}
	return original{path, file}, nil
}

// explain is broken for the writer of the file. SQLite reports various errors for a file that was taken away.
func (o original) explain(err error) error {
	if errors.Is(err, errOverwritten) {
		return &BrokenError{Path: o.path, Advice: takenAway, Err: err}
	}
	err = broken(o.path, err)
	if gone := o.gone(); gone != nil && isBroken(err) {
		return gone
	}
	return err
}

// gone returns a *BrokenError where the file is no longer the one of that name. It does not open it: closing it again would
// drop the locks of this process.
func (o original) gone() error {
	now, err := os.Stat(o.path)
	if err == nil && os.SameFile(o.file, now) {
		return nil
	}
	return &BrokenError{Path: o.path, Advice: takenAway, Err: err}
}
