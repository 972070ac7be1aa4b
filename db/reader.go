package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Reader reads an SQLite file, whoever writes it, and changes nothing in it. Its methods may be called from any goroutine.
type Reader struct {
	path string
	busy time.Duration // how long a locked file is waited for
	pool *sql.DB
}

// OpenReader opens an existing SQLite file for reading, without the lock that Open takes. The error is the cause of ctx if that ends
// first, and otherwise an *OpenError.
func OpenReader(ctx context.Context, path string) (*Reader, error) {
	path, err := resolve(path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, &OpenError{Path: path, Advice: "there is no such file: give the path of a database"}
	}
	r, err := newReader(path, defaultBusyTimeout)
	if err != nil {
		return nil, err
	}
	err = r.each(ctx, "SELECT count(*) FROM sqlite_schema", nil, func(scraperutils.Record) bool { return true })
	switch {
	case err == nil:
		return r, nil
	case ctx.Err() != nil:
		return nil, errors.Join(fmt.Errorf("read %s: %w", path, err), r.Close())
	default:
		return nil, errors.Join(explain(path, err), r.Close())
	}
}

// newReader opens the file as one that may be written and then forbids writing: only so can SQLite undo a transaction
// that a killed process has left halfway.
func newReader(path string, busy time.Duration) (*Reader, error) {
	name := dsn(path, busy, url.Values{"mode": {"rw"}, "_query_only": {"true"}})
	pool, err := sql.Open("sqlite3", name)
	if err != nil {
		return nil, explain(path, err)
	}
	return &Reader{path: path, busy: busy, pool: pool}, nil
}

// Close closes the connections.
func (r *Reader) Close() error { return r.pool.Close() }

// Query runs a statement that reads, and yields one record per row. A record has one field per column. Its values are nil, int64,
// float64, string, or []byte. If there is an error, such as the end of ctx, Query yields it last, without a record; it is a *BrokenError
// if the file can't be read. Nobody can commit to the file while the loop runs.
//
// (Columns that another program has declared as date, datetime, or timestamp come out as that program's times. To see what is stored,
// select CAST(column AS TEXT).)
func (r *Reader) Query(ctx context.Context, query string, args ...any) iter.Seq2[scraperutils.Record, error] {
	return func(yield func(scraperutils.Record, error) bool) {
		if err := r.each(ctx, query, args, func(record scraperutils.Record) bool { return yield(record, nil) }); err != nil {
			yield(nil, r.explained(err))
		}
	}
}

// explained wraps an error with the file that it comes from.
func (r *Reader) explained(err error) error {
	if err := broken(r.path, err); isBroken(err) {
		return err
	}
	return fmt.Errorf("read %s: %w", r.path, err)
}

// freshSchema makes a connection see what others have done to the tables, until its transaction ends. Without it the
// driver names the columns of "SELECT *" as they were when this connection last looked.
const freshSchema = "SELECT 1 FROM sqlite_schema LIMIT 1"

// begin returns a transaction that nobody's lock can hold up any more.
func (r *Reader) begin(ctx context.Context) (tx *sql.Tx, err error) {
	err = patiently(ctx, r.busy, func() error {
		if tx, err = r.pool.BeginTx(ctx, nil); err != nil {
			return err
		}
		if _, err = tx.ExecContext(ctx, freshSchema); err != nil {
			_ = tx.Rollback() // there is nothing to undo
		}
		return err
	})
	return tx, err
}

// each calls take for every row until it returns false.
func (r *Reader) each(ctx context.Context, query string, args []any, take func(scraperutils.Record) bool) error {
	tx, err := r.begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // there is nothing to undo
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // what is wrong with the rows is in rows.Err
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	for rows.Next() {
		record := make(scraperutils.Record, len(names))
		into := make([]any, len(names))
		for i, name := range names {
			record[i].Name = name
			into[i] = &record[i].Value
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i := range record {
			record[i].Value = asStored(record[i].Value)
		}
		if !take(record) {
			return nil
		}
	}
	return rows.Err()
}

// asStored turns back what the driver makes of columns that are declared as times or booleans.
func asStored(v any) any {
	switch v := v.(type) {
	case time.Time:
		return timeText(v)
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	}
	return v
}
