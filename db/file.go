package db

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"time"

	"github.com/mattn/go-sqlite3"
)

// File is an SQLite file with a schema other than a DB's. It is opened, locked, and waited for as a DB's file is.
type File struct {
	Path string        // of the file itself
	Busy time.Duration // how long to wait for a file that another program has locked
}

// NewFile returns the file at a path, which may be a link. A busy of 0 is 30 s. The error is an *OpenError.
func NewFile(path string, busy time.Duration) (File, error) {
	path, err := resolve(path)
	if busy <= 0 {
		busy = defaultBusyTimeout
	}
	return File{Path: path, Busy: busy}, err
}

// Lock takes the lock beside the file and holds it until release is called or the process ends. The error is a *LockedError if another
// process holds the lock.
func (f File) Lock() (release func() error, err error) {
	l, err := takeLock(f.Path)
	if err != nil {
		return nil, err
	}
	return l.release, nil
}

// Connect returns a pool of connections with the driver's options. It opens nothing yet.
func (f File) Connect(options url.Values) (*sql.DB, error) {
	pool, err := sql.Open("sqlite3", dsn(f.Path, f.Busy, options))
	if err != nil {
		return nil, explain(f.Path, err)
	}
	return pool, nil
}

// Patiently retries while the file is locked, for as long as Busy. If ctx ends first, it returns the cause of ctx.
func (f File) Patiently(ctx context.Context, try func() error) error {
	return patiently(ctx, f.Busy, try)
}

// Explain returns an *OpenError that says what to do about an error when opening the file.
func (f File) Explain(err error) error { return explain(f.Path, err) }

// IsDamaged reports whether an error says that a file is not an SQLite database, or is a damaged one.
func IsDamaged(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrNotADB || e.Code == sqlite3.ErrCorrupt)
}
