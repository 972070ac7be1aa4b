package frontier

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// Options configure a Frontier. The zero value is a good default.
type Options struct {
	Busy     time.Duration // how long to wait for a file that another program has locked; 0 is 30 s
	Existing bool          // fail if there is no file yet
	Rest     time.Duration // how long to leave a host alone that a dead worker had leased but not asked; 0 is not at all

	// Hash says where to look first for hosts and URLs, as crawl.Hash, the default, does. It must be the same for the life of a file.
	Hash func(text string) int64
}

// Frontier is a crawl.Frontier in an SQLite file. Its methods may be called from any goroutine.
type Frontier struct {
	file   db.File
	hash   func(string) int64
	unlock func() error // nil where it only joined
	writer *writer
	pool   *sql.DB // of the writer's one connection
	reader *sql.DB

	closing  sync.Once
	closeErr error // set by closing
}

var _ crawl.Frontier = (*Frontier)(nil)

// Open opens the frontier at a path for a worker, or creates it. It takes the lock beside the file (path with ".lock"), and keeps it
// until Close. Leases that it finds belong to a dead worker: their hosts are free, one interval from now. The error is a *db.LockedError
// if another process works on the frontier, a *crawl.SchemaError if the file is something else or damaged, the cause of ctx if that ends
// first, and otherwise a *db.OpenError. The Frontier outlives ctx.
func Open(ctx context.Context, path string, now time.Time, o Options) (*Frontier, error) {
	file, err := db.NewFile(path, o.Busy)
	if err != nil {
		return nil, err
	}
	unlock, err := file.Lock()
	if err != nil {
		return nil, err
	}
	f, err := open(ctx, file, o, 0)
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	f.unlock = unlock
	if err := f.freeLeases(ctx, now, o.Rest); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Join opens the frontier to add URLs and to look, also while another process works on it. It refuses Claim. The errors are those of
// Open.
func Join(ctx context.Context, path string, o Options) (*Frontier, error) {
	file, err := db.NewFile(path, o.Busy)
	if err != nil {
		return nil, err
	}
	return open(ctx, file, o, turn)
}

// turn is how long one who has joined leaves the file to its worker after each commit: longer than SQLite sleeps while it waits.
const turn = 50 * time.Millisecond

// open opens a file; its writer rests after each commit.
func open(ctx context.Context, file db.File, o Options, rest time.Duration) (f *Frontier, err error) {
	if o.Hash == nil {
		o.Hash = crawl.Hash
	}
	f = &Frontier{file: file, hash: o.Hash}
	mode := "rwc"
	if o.Existing {
		mode = "rw"
	}
	f.pool, err = file.Connect(url.Values{"mode": {mode}, "_synchronous": {"FULL"}, "_mutex": {"no"}, "_cache_size": {cache}})
	if err != nil {
		return nil, err
	}
	conn, err := connect(ctx, file, f.pool)
	if err != nil {
		return nil, errors.Join(err, f.pool.Close())
	}
	f.reader, err = file.Connect(url.Values{"mode": {"rw"}, "_query_only": {"true"}})
	if err != nil {
		return nil, errors.Join(err, conn.Close(), f.pool.Close())
	}
	f.writer = newWriter(file, conn, rest)
	go f.writer.run()
	return f, nil
}

// cache is 8 MB: of a large file it holds the upper levels of the indexes, and the hosts that are leased. The system's cache has the
// rest; to read it from there costs no more than a larger one of SQLite's saves, and the process stays small.
const cache = "-8000"

// tuning lets pages that change often change 64 MB of times before they are copied to their place.
const tuning = "PRAGMA wal_autocheckpoint = 16000; PRAGMA journal_size_limit = 134217728"

// connect returns the one connection that writes, to a file that is a frontier.
func connect(ctx context.Context, file db.File, pool *sql.DB) (conn *sql.Conn, err error) {
	err = file.Patiently(ctx, func() error {
		if conn, err = pool.Conn(context.Background()); err != nil {
			return err
		}
		if err = prepare(conn, file.Path); err != nil {
			_ = conn.Close() // it is not needed any more
		}
		return err
	})
	var wrong *crawl.SchemaError
	switch {
	case err == nil:
		return conn, run(conn, tuning)
	case errors.As(err, &wrong), ctx.Err() != nil:
		return nil, err
	case db.IsDamaged(err):
		return nil, schemaError(file.Path, err)
	}
	return nil, file.Explain(err)
}

// Close ends the writer and frees the lock. It finishes calls that wait before that. Leases stay as they are. A second Close returns what
// the first did.
func (f *Frontier) Close() error {
	f.closing.Do(func() {
		close(f.writer.closing)
		<-f.writer.done
		f.closeErr = errors.Join(f.reader.Close(), f.writer.conn.Close(), f.pool.Close())
		if f.unlock != nil {
			f.closeErr = errors.Join(f.closeErr, f.unlock())
		}
	})
	return f.closeErr
}

// write has the writer do something, and says in an error what it was.
func (f *Frontier) write(ctx context.Context, what string, do func(*tx) error) error {
	return f.explain(ctx, what, f.writer.do(ctx, do))
}

// read reads in one transaction, which sees one commit.
func (f *Frontier) read(ctx context.Context, what string, do func(*sql.Tx) error) error {
	if f.isClosed() {
		return crawl.ErrClosed
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	err := f.file.Patiently(ctx, func() error {
		t, err := f.reader.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = t.Rollback() }() // there is nothing to undo
		return do(t)
	})
	return f.explain(ctx, what, err)
}

func (f *Frontier) isClosed() bool {
	select {
	case <-f.writer.closing:
		return true
	default:
		return false
	}
}

// explain says what failed, and where.
func (f *Frontier) explain(ctx context.Context, what string, err error) error {
	switch {
	case err == nil, errors.Is(err, crawl.ErrClosed):
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case db.IsDamaged(err):
		return schemaError(f.file.Path, err)
	}
	return fmt.Errorf("%s frontier %s: %w", what, f.file.Path, err)
}
