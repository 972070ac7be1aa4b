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

// Ledger returns a new ledger for a table. Keys names the columns that identify a row. The first Save creates the table. If SQLite can't
// use a name, there are no keys, or a key occurs twice, every Save returns that error.
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

// Save takes a record. If the table has a row with the same keys, the record replaces its values, and the row keeps its row id. Columns
// that the record lacks become NULL. Save returns before the record is on disk; Settle waits for that. For a record that can't be saved,
// Save returns an *UnprocessableRecord at once. The caller may change the record when Save has returned.
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

// Settle waits until everything that was saved here before the call is on disk. If something failed, it returns why, and returns each
// failure only once: an *UnprocessableRecord for a record that SQLite refused, a *CommitError for records that were lost together. If ctx
// ends first, it returns the cause; what waits is still committed.
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

// Saved returns the number of records that Save has taken and that have not failed since.
func (l *Ledger) Saved() int { return int(l.saved.Load()) }

// CommitError says that records were lost because their commit failed. Later records have a commit of their own. It fails too if Err is a
// *BrokenError.
type CommitError struct {
	Path    string
	Records int // of this ledger
	Err     error
}

func (e *CommitError) Error() string {
	return fmt.Sprintf("commit %s to %s: %v", scraperutils.Count(e.Records, "record"), e.Path, e.Err)
}

func (e *CommitError) Unwrap() error { return e.Err }
