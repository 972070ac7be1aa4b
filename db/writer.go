package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/mattn/go-sqlite3"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// writer is the goroutine that writes. A commit is never given up halfway, so it has no context.
type writer struct {
	file    original
	busy    time.Duration // how long a locked file is waited for
	queue   *queue
	observe func(Commit)
	done    chan struct{} // closed when run has returned

	// Owned by run until done.
	conn    *sql.Conn
	schema  schema
	unsaved error // why what waited for the end was lost; nil where it was not
}

// failure is what goes back to a ledger.
type failure struct {
	ledger *Ledger
	rows   int
	err    error
}

func newWriter(file original, conn *sql.Conn, busy time.Duration, q *queue, observe func(Commit)) *writer {
	return &writer{file: file, busy: busy, queue: q, observe: observe, done: make(chan struct{}), conn: conn, schema: schema{conn: conn}}
}

// run works until the queue is closed and empty.
func (w *writer) run() {
	defer close(w.done)
	defer w.schema.forget() // its statements end before their connection
	for {
		next := w.queue.next()
		var err error
		if next.group != nil {
			err = w.commit(next.group)
		}
		if next.statement != nil {
			w.execute(next.statement)
		}
		if next.last {
			w.unsaved = err
			return
		}
	}
}

// commit writes a group to the disk. If that fails, it reports the error to the ledgers of the group and returns it.
func (w *writer) commit(g *group) error {
	began := time.Now()
	failures, err := w.transact(g.rows)
	if err != nil {
		err = w.file.explain(err)
		failures = lost(w.file.path, g.rows, err)
	}
	c := Commit{Took: time.Since(began), Err: err, Tables: map[string]int{}}
	for _, r := range g.rows {
		c.Tables[r.ledger.table]++
	}
	for _, f := range failures {
		c.Failed += f.rows
		c.Tables[f.ledger.table] -= f.rows
	}
	c.Records = len(g.rows) - c.Failed
	w.observe(c)
	w.queue.settled(g, failures, c.Took)
	return err
}

// lost returns the failures of a group that could not be committed, one per ledger.
func lost(path string, rows []row, err error) []failure {
	count := map[*Ledger]int{}
	for _, r := range rows {
		count[r.ledger]++
	}
	var all []failure
	for l, n := range count {
		all = append(all, failure{ledger: l, rows: n, err: &CommitError{Path: path, Records: n, Err: err}})
	}
	return all
}

// transact writes rows in one transaction. Errors of single rows come back as failures. An error concerns all rows:
// nothing was written then.
func (w *writer) transact(rows []row) (failures []failure, err error) {
	if err := w.patiently("BEGIN IMMEDIATE"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = run(w.conn, "ROLLBACK") // SQLite may have done so itself
			w.schema.forget()
		}
	}()
	if err := w.schema.refresh(); err != nil {
		return nil, err
	}
	for _, r := range rows {
		err := w.save(r)
		switch {
		case err == nil:
		case ofRow(err):
			failures = append(failures, failure{ledger: r.ledger, rows: 1, err: &scraperutils.UnprocessableRecord{
				Reason: fmt.Sprintf("save %s to table %s", r, r.ledger.table), Err: err}})
		default:
			return nil, err
		}
	}
	return failures, w.patiently("COMMIT")
}

// patiently runs a statement that waits for other programs.
func (w *writer) patiently(statement string) error {
	return patiently(context.Background(), w.busy, func() error { return run(w.conn, statement) })
}

// save writes one row; the table and its columns are made where they are missing, or not at all where the row then fails.
func (w *writer) save(r row) error {
	t, err := w.schema.table(r.ledger.table)
	if err != nil {
		return err
	}
	p, changes := t.plan(r)
	if len(changes) == 0 {
		return t.save(w.conn, r, p)
	}
	if err := run(w.conn, "SAVEPOINT changes"); err != nil { // its end is that of the transaction
		return err
	}
	failed := w.change(changes, r)
	if failed == nil || !ofRow(failed) { // where the transaction fails, SQLite may have undone it by itself
		return failed
	}
	w.schema.forget()
	if err := run(w.conn, "ROLLBACK TO changes"); err != nil {
		// Without SQLite's own errors in it, for ofRow: it is everybody's.
		return fmt.Errorf("change table %q: %v; undo that: %v", r.ledger.table, failed, err)
	}
	return failed
}

// change makes a row fit and writes it.
func (w *writer) change(statements []string, r row) error {
	for _, s := range statements {
		err := run(w.conn, s)
		if isDuplicate(err) {
			return fmt.Errorf("%s, or give another database: %w", sameKeys(r.ledger.table, r.ledger.keys), err)
		}
		if err != nil {
			return err
		}
	}
	w.schema.forget()
	t, err := w.schema.table(r.ledger.table)
	if err != nil {
		return err
	}
	p, _ := t.plan(r)
	return t.save(w.conn, r, p)
}

// ofRow reports whether an error concerns one row alone. Others end the transaction or would meet every row.
func ofRow(err error) bool {
	if errors.Is(err, errKeptOut) {
		return true
	}
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case sqlite3.ErrError, sqlite3.ErrConstraint, sqlite3.ErrMismatch, sqlite3.ErrTooBig, sqlite3.ErrRange:
		return true
	}
	return false
}

// exec lets the writer's goroutine execute a statement and waits for it.
func (w *writer) exec(ctx context.Context, text string, args []any) (int64, error) {
	s := &statement{ctx: ctx, text: text, args: args, done: make(chan struct{})}
	select {
	case w.queue.statements <- s:
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	case <-w.done:
		return 0, ErrClosed
	}
	<-s.done
	return s.affected, s.err
}

func (w *writer) execute(s *statement) {
	defer close(s.done)
	if s.ctx.Err() != nil { // the driver asks only once the statement runs
		s.err = context.Cause(s.ctx)
		return
	}
	var result sql.Result
	err := patiently(s.ctx, w.busy, func() (err error) {
		result, err = w.conn.ExecContext(s.ctx, s.text, s.args...)
		return err
	})
	_ = run(w.conn, "ROLLBACK") // fails, unless the statement has left a transaction open
	if err == nil {
		s.affected, err = result.RowsAffected()
	}
	s.err = w.file.explain(err)
}

// run runs a statement to its end.
func run(conn *sql.Conn, statement string, args ...any) error {
	_, err := conn.ExecContext(context.Background(), statement, args...)
	return err
}
