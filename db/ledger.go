package db

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Ledger saves the records of one operation in one table. Its methods may be called from any goroutine.
type Ledger struct {
	queue   *queue
	table   string
	keys    []string
	invalid error // why the table can't be saved to; nil where it can

	saved atomic.Int64
	shape atomic.Pointer[shape] // of the last record

	// Guarded by queue.mu.
	last     *group  // the group of the last row; groups are committed in order
	failures []error // not yet returned by Settle
}

// Ledger returns a new ledger for a table, whose rows are told apart by the columns that keys names. The first Save
// creates the table. Names that SQLite can't take, no keys, or a key twice are the error of every Save.
func (d *DB) Ledger(table string, keys ...string) *Ledger {
	return &Ledger{queue: d.writer.queue, table: table, keys: keys, invalid: checkTable(table, keys)}
}

func checkTable(table string, keys []string) error {
	err := checkName(table)
	if err == nil {
		err = checkNames(keys)
	}
	if err == nil && len(keys) == 0 {
		err = errors.New("no unique keys: name the columns that tell its records apart")
	}
	if err != nil {
		return fmt.Errorf("save to table %q: %w", table, err)
	}
	return nil
}

// Save takes a record: a row of it replaces the values of the row with the same keys, which keeps its row id; columns
// that the record lacks become NULL. It returns before the record is on the disk; Settle waits for that. A record that can't
// be saved is an *UnprocessableRecord at once. The record may be changed as soon as Save has returned.
func (l *Ledger) Save(r scraperutils.Record) error {
	if l.invalid != nil {
		return l.invalid
	}
	row, err := newRow(l, r)
	if err != nil {
		return err
	}
	return l.queue.add(row)
}

// Settle waits until all that was saved here before the call is on the disk. It returns why some of it is not, every
// failure once: an *UnprocessableRecord for a record that SQLite refused, a *CommitError for records lost together. Where
// ctx ends first it returns the cause; what waits is committed all the same.
func (l *Ledger) Settle(ctx context.Context) error {
	if done := l.queue.hurry(l); done != nil {
		select {
		case <-done:
		case <-ctx.Done():
			return fmt.Errorf("wait for the records saved to table %q: %w", l.table, context.Cause(ctx))
		}
	}
	return l.queue.takeFailures(l)
}

// Settled reports whether Settle would return nil at once.
func (l *Ledger) Settled() bool { return l.queue.settledAll(l) }

// Saved is the number of records that Save has taken and that have not failed since.
func (l *Ledger) Saved() int { return int(l.saved.Load()) }

// CommitError says that records were lost because their commit failed. Later records have a commit of their own, which will
// fail too where Err is a *BrokenError.
type CommitError struct {
	Path    string
	Records int // of this ledger
	Err     error
}

func (e *CommitError) Error() string {
	return fmt.Sprintf("commit %s to %s: %v", scraperutils.Count(e.Records, "record"), e.Path, e.Err)
}

func (e *CommitError) Unwrap() error { return e.Err }
