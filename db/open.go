package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/mattn/go-sqlite3"
)

// OpenError says why a file can't be used as the database, and what to do.
type OpenError struct {
	Path   string
	Advice string // what is wrong and what to do
	Err    error  // what the system said, or nil
}

func (e *OpenError) Error() string {
	s := "open database " + strconv.Quote(e.Path) + ": " + e.Advice
	if e.Err != nil {
		s += " (" + e.Err.Error() + ")"
	}
	return s
}

func (e *OpenError) Unwrap() error { return e.Err }

// resolve returns the absolute path of the file itself, so that all names of one file lead to one lock. It only looks at
// the name: opening and closing the file here would drop the locks that this process's SQLite connections have on it.
func resolve(path string) (string, error) {
	if path == "" {
		return "", &OpenError{Path: path, Advice: "the name is empty: give the path of a file, such as data.sqlite"}
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", &OpenError{Path: path, Advice: "give an absolute path", Err: err}
	}
	absolute = linked(absolute)
	info, err := os.Stat(absolute)
	switch {
	case errors.Is(err, fs.ErrNotExist): // it will be created
	case err != nil:
		return "", refused(path, err)
	case info.IsDir():
		return "", &OpenError{Path: path, Advice: "it is a directory: give the path of a file, such as " + filepath.Join(path, "data.sqlite")}
	case !info.Mode().IsRegular():
		return "", &OpenError{Path: path, Advice: "it is a device or a pipe: give the path of a file, such as data.sqlite"}
	}
	return absolute, nil
}

// Beside returns the name of a file beside a database: that of the database itself, whatever link it was named by, with a suffix.
func Beside(database, suffix string) (string, error) {
	path, err := resolve(database)
	return path + suffix, err
}

// checkOneName refuses a file with several names (hard links): its journal and its lock stand beside one of them only.
func checkOneName(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // it will be created, or opening it tells
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Nlink > 1 {
		return &OpenError{Path: path, Advice: fmt.Sprintf("the file has %d names (hard links), and SQLite knows of one: "+
			"remove the others, or make this one a copy", s.Nlink)}
	}
	return nil
}

// linked follows links to the file, or to where it will be.
func linked(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	for range 40 { // as many as Linux follows
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path
}

// refused is the error for a path that the system refuses.
func refused(path string, err error) error {
	advice := "the system refuses it: give a path that this user may read and write, or change the permissions"
	dir := filepath.Dir(path)
	if info, statErr := os.Stat(dir); errors.Is(statErr, fs.ErrNotExist) || statErr == nil && !info.IsDir() {
		advice = "there is no directory " + dir + ": create it, or give another path"
	}
	if known := adviceOn(err); known != "" {
		advice = known
	}
	return &OpenError{Path: path, Advice: advice, Err: err}
}

// openForWriting opens the one connection that writes, creates the file, and makes sure that it is a database that can be
// written.
func openForWriting(ctx context.Context, path string, busy time.Duration) (pool *sql.DB, conn *sql.Conn, err error) {
	err = patiently(ctx, busy, func() error {
		pool, conn, err = connect(path, busy)
		return err
	})
	return pool, conn, err
}

// connect makes one attempt at that.
func connect(path string, busy time.Duration) (*sql.DB, *sql.Conn, error) {
	pool, err := sql.Open("sqlite3", dsn(path, busy, url.Values{
		"mode":             {"rwc"},
		"_journal_mode":    {"PERSIST"}, // not WAL: only the one file is kept; Close deletes the journal, not every commit
		"_synchronous":     {"FULL"},
		"_mutex":           {"no"}, // it is used by one goroutine at a time
		"_stmt_cache_size": {"64"}, // an upsert a table and the statements of a transaction, ready to run
	}))
	if err != nil {
		return nil, nil, explain(path, err)
	}
	conn, err := pool.Conn(context.Background())
	if err != nil {
		return nil, nil, errors.Join(explain(path, err), pool.Close())
	}
	// Something is changed and the change undone: SQLite opens a file that may not be written, and then only reads.
	if err := run(conn, "BEGIN IMMEDIATE; PRAGMA user_version = 1; ROLLBACK"); err != nil {
		return nil, nil, errors.Join(explain(path, err), conn.Close(), pool.Close())
	}
	return pool, conn, nil
}

// dsn is the name under which the driver opens the file. Whatever stands in the path is escaped, so that none of it can be
// taken for an option. The driver waits for a lock for a moment; who uses it does so patiently.
func dsn(path string, busy time.Duration, options url.Values) string {
	options.Set("_busy_timeout", fmt.Sprint(max(min(busy, deafFor).Milliseconds(), 1)))
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: options.Encode()}
	return u.String()
}

// explain says in one line what to do about an error of opening.
func explain(path string, err error) error {
	var cause sqlite3.Error
	errors.As(err, &cause)
	advice := cmp.Or(adviceOn(err), "SQLite can't use it")
	switch cause.Code {
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		advice = "another program keeps it locked: end that program, then try again"
	case sqlite3.ErrCantOpen, sqlite3.ErrReadonly, sqlite3.ErrPerm:
		return refused(path, err)
	}
	return &OpenError{Path: path, Advice: advice, Err: err}
}
