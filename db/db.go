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

// Options configure a DB. The zero value is a good default.
type Options struct {
	CommitWithin time.Duration // the longest time that a record waits for others to share its commit; 0 is 10 ms
	BusyTimeout  time.Duration // how long to wait for a file that another program has locked; 0 is 30 s

	// Tables names the tables that records will be saved to, each with its keys. Open refuses a file in which one of them is not a table,
	// has rows that these keys don't distinguish, or has a unique index that would merge rows with different keys.
	Tables map[string][]string

	// OnCommit is called with every commit, by the goroutine that writes. It must be quick and must not call back.
	OnCommit func(Commit)
}

// Commit is a group of records that were written to the file together.
type Commit struct {
	Records int            // records that are in the file now; none if Err is not nil
	Tables  map[string]int // these records, by table
	Failed  int            // records that are not in the file
	Took    time.Duration  // time until the disk had them
	Err     error          // why the whole group was lost
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

// Open opens the SQLite file at path for writing, or creates it. It takes the lock beside the file (path with ".lock"), and keeps it
// until Close. The error is a *LockedError if another process has that lock, the cause of ctx if that ends first, and otherwise an
// *OpenError. The DB outlives ctx.
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

// Close commits what waits, ends the writer, and frees the lock. If the last records were lost, it returns why. Ledgers then return
// ErrClosed. A second Close returns what the first did.
func (d *DB) Close() error {
	d.closing.Do(func() {
		d.writer.queue.close()
		<-d.writer.done
		_ = run(d.writer.conn, "PRAGMA journal_mode = DELETE") // a journal that stays is an empty one
		d.closeErr = errors.Join(d.writer.unsaved, d.reader.Close(), d.writer.conn.Close(), d.pool.Close(), d.lock.release())
	})
	return d.closeErr
}

// Query reads what is committed; see Reader.Query. A commit waits while a loop over a query runs, so do not call Settle or Exec inside
// such a loop.
func (d *DB) Query(ctx context.Context, query string, args ...any) iter.Seq2[scraperutils.Record, error] {
	return d.reader.Query(ctx, query, args...)
}

// Exec runs one statement after the records that were saved before it, on the connection that writes them, and outside a transaction. So
// VACUUM works, and a transaction that the statement leaves open is rolled back. It returns how many rows the statement changed.
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
