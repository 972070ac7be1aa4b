package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Defaults of Options.
const (
	defaultCommitWithin = 10 * time.Millisecond
	defaultBusyTimeout  = 30 * time.Second
)

// Options says how a DB behaves. The zero value is a good one.
type Options struct {
	CommitWithin time.Duration // how long a record waits at most for others to share its commit; 0 is 10 ms
	BusyTimeout  time.Duration // how long a file that another program has locked is waited for; 0 is 30 s

	// Tables names tables that will be saved to, each with its keys. Open refuses a file in which one of them is no table, or
	// has rows that these keys don't tell apart, or a unique index by which rows with different keys would be one.
	Tables map[string][]string

	// OnCommit is told of every commit, by the goroutine that writes: it must be quick and must not call back.
	OnCommit func(Commit)
}

// Commit is one group of records that went to the file together.
type Commit struct {
	Records int            // that are in the file now; none where Err is not nil
	Tables  map[string]int // these records, by table
	Failed  int            // that are not
	Took    time.Duration  // until the disk had them
	Err     error          // why the group as a whole was lost
}

func (o Options) withDefaults() Options {
	if o.CommitWithin <= 0 {
		o.CommitWithin = defaultCommitWithin
	}
	if o.BusyTimeout <= 0 {
		o.BusyTimeout = defaultBusyTimeout
	}
	if o.OnCommit == nil {
		o.OnCommit = func(Commit) {}
	}
	return o
}

// ErrClosed is returned by methods of a closed DB.
var ErrClosed = errors.New("the database is closed")

// DB is an SQLite file that one process writes. Its methods may be called from any goroutine.
type DB struct {
	path   string
	lock   *lock
	pool   *sql.DB // of the writer's one connection
	writer *writer
	reader *Reader

	closing  sync.Once
	closeErr error // set by closing
}

// Open opens the SQLite file at path for writing, or creates it, and takes the lock beside it (path with ".lock"), which
// it keeps until Close. The error is a *LockedError where another process has that lock, the cause of ctx where that ends
// first, else an *OpenError. The DB outlives ctx.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	o = o.withDefaults()
	path, err := resolve(path)
	if err == nil {
		err = checkOneName(path)
	}
	if err != nil {
		return nil, err
	}
	lock, err := takeLock(path)
	if err != nil {
		return nil, err
	}
	d, err := open(ctx, path, o)
	if err != nil {
		return nil, errors.Join(err, lock.release())
	}
	d.lock = lock
	go d.writer.run()
	return d, nil
}

// open does so without the lock and without starting the writer.
func open(ctx context.Context, path string, o Options) (*DB, error) {
	reader, err := newReader(path, o.BusyTimeout)
	if err != nil {
		return nil, err
	}
	pool, conn, err := openForWriting(ctx, path, o.BusyTimeout)
	if err != nil {
		return nil, errors.Join(err, reader.Close())
	}
	file, err := originalOf(path)
	if err == nil {
		err = checkTables(conn, path, o.Tables)
	}
	if err != nil {
		return nil, errors.Join(err, reader.Close(), conn.Close(), pool.Close())
	}
	return &DB{
		path:   path,
		pool:   pool,
		reader: reader,
		writer: newWriter(file, conn, o.BusyTimeout, newQueue(o.CommitWithin), o.OnCommit),
	}, nil
}

// Close commits what waits, ends the writer and frees the lock. It returns why the last records were lost, if they were.
// Ledgers then answer ErrClosed. A second Close returns what the first did.
func (d *DB) Close() error {
	d.closing.Do(func() {
		d.writer.queue.close()
		<-d.writer.done
		_ = run(d.writer.conn, "PRAGMA journal_mode = DELETE") // a journal that stays is an empty one
		d.closeErr = errors.Join(d.writer.unsaved, d.reader.Close(), d.writer.conn.Close(), d.pool.Close(), d.lock.release())
	})
	return d.closeErr
}

// Query reads what is committed; see Reader.Query. A commit has to wait while a loop is over a query, so do not Settle or
// Exec inside it.
func (d *DB) Query(ctx context.Context, query string, args ...any) iter.Seq2[scraperutils.Record, error] {
	return d.reader.Query(ctx, query, args...)
}

// Exec runs one statement after the records saved before it, on the connection that writes them and outside a transaction
// (VACUUM works; a transaction that it leaves open is rolled back). It returns how many rows the statement changed.
func (d *DB) Exec(ctx context.Context, statement string, args ...any) (int64, error) {
	affected, err := d.writer.exec(ctx, statement, args)
	if isBroken(err) {
		return 0, err
	}
	if err != nil {
		return 0, fmt.Errorf("run a statement on %s: %w", d.path, err)
	}
	return affected, nil
}
