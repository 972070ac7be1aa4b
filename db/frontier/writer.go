package frontier

import (
	"context"
	"database/sql"
	"time"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// groupSize bounds the jobs of one commit.
const groupSize = 64

// writer is the goroutine that writes. A commit is never given up halfway, so it has no context.
type writer struct {
	file    db.File
	rest    time.Duration // after each commit
	jobs    chan *job     // handed over when the writer is ready for more
	closing chan struct{} // closed when no more jobs are taken
	done    chan struct{} // closed when run has returned

	// Owned by run until done.
	conn       *sql.Conn
	statements map[string]*statement
	leased     map[int64]*host // as the file has them, until somebody else has written to it
	seen       int64           // the file's version then
	row        *urlRow         // that is being read
}

// job is what one call has the writer do.
type job struct {
	ctx  context.Context
	do   func(*tx) error // may be called again, where the first time does not count
	late bool            // its context ended before it was its turn
	err  error
	done chan struct{} // closed when err is set
}

func newWriter(file db.File, conn *sql.Conn, rest time.Duration) *writer {
	return &writer{file: file, rest: rest, jobs: make(chan *job), closing: make(chan struct{}), done: make(chan struct{}), conn: conn, statements: map[string]*statement{}, leased: map[int64]*host{}, row: newItemRow()}
}

// do has run do something, and waits for its commit.
func (w *writer) do(ctx context.Context, do func(*tx) error) error {
	j := &job{ctx: ctx, do: do, done: make(chan struct{})}
	select { // what has ended comes before what could begin
	case <-w.closing:
		return crawl.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	default:
	}
	select {
	case w.jobs <- j:
	case <-w.closing:
		return crawl.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-j.done:
		return j.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (w *writer) run() {
	defer close(w.done)
	defer w.forget()
	for {
		select {
		case j := <-w.jobs:
			w.commit(w.gather(j))
			w.pause()
		case <-w.closing:
			return
		}
	}
}

// pause leaves the file to others.
func (w *writer) pause() {
	if w.rest == 0 {
		return
	}
	timer := time.NewTimer(w.rest)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.closing:
	}
}

// gather returns all jobs that wait.
func (w *writer) gather(first *job) []*job {
	jobs := []*job{first}
	for len(jobs) < groupSize {
		select {
		case j := <-w.jobs:
			jobs = append(jobs, j)
		default:
			return jobs
		}
	}
	return jobs
}

// commit does jobs and tells those who wait for them.
func (w *writer) commit(jobs []*job) {
	failed, err := w.transact(jobs)
	for _, j := range jobs {
		if j.err = err; failed && len(jobs) > 1 {
			_, j.err = w.transact([]*job{j})
		}
		if j.late {
			j.err = context.Cause(j.ctx)
		}
		close(j.done)
	}
}

// transact does jobs in one transaction. After an error nothing of it was done; failed says that it was the error of one of the jobs.
func (w *writer) transact(jobs []*job) (failed bool, err error) {
	if err := w.patiently("BEGIN IMMEDIATE"); err != nil {
		return false, err
	}
	defer func() {
		if err != nil {
			clear(w.leased)
			_ = run(w.conn, "ROLLBACK") // SQLite may have done so itself
		}
	}()
	if err := w.look(); err != nil {
		return false, err
	}
	for _, j := range jobs {
		if j.late = j.ctx.Err() != nil; j.late {
			continue
		}
		if err := w.attempt(j); err != nil {
			return true, err
		}
	}
	return false, w.patiently("COMMIT")
}

// look forgets the hosts that are kept where another program has written.
func (w *writer) look() error {
	var version int64
	err := w.query(func(r row) error { return r.Scan(&version) }, "PRAGMA data_version")
	if version != w.seen {
		clear(w.leased)
	}
	w.seen = version
	return err
}

func (w *writer) attempt(j *job) error {
	t := &tx{writer: w, hosts: map[int64]*host{}, totals: crawl.Totals{}, traps: map[trapKey]*crawl.Trap{}, unseen: true}
	if err := j.do(t); err != nil {
		return err
	}
	return t.flush()
}

// patiently runs a statement that waits for other programs.
func (w *writer) patiently(statement string) error {
	return w.file.Patiently(context.Background(), func() error {
		_, err := w.exec(statement)
		return err
	})
}

// prepare returns a statement, ready to run.
func (w *writer) prepare(text string) (*statement, error) {
	if s := w.statements[text]; s != nil {
		return s, nil
	}
	var s *statement
	err := w.conn.Raw(func(conn any) error {
		prepared, err := conn.(preparer).PrepareContext(context.Background(), text)
		if err == nil {
			s = &statement{Stmt: prepared}
			w.statements[text] = s
		}
		return err
	})
	return s, err
}

func (w *writer) forget() {
	for _, s := range w.statements {
		_ = s.Close() // nothing depends on it
	}
}

// exec runs a statement and returns how many rows it changed.
func (w *writer) exec(text string, args ...any) (int64, error) {
	s, err := w.prepare(text)
	if err != nil {
		return 0, err
	}
	return s.exec(args)
}

// query runs a statement and calls take for each row.
func (w *writer) query(take func(row) error, text string, args ...any) error {
	s, err := w.prepare(text)
	if err != nil {
		return err
	}
	return s.query(take, args)
}

// each calls take for all rows.
func each(rows *sql.Rows, take func(*sql.Rows) error) error {
	defer func() { _ = rows.Close() }() // what is wrong with the rows is in rows.Err
	for rows.Next() {
		if err := take(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
