package leases

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// File keeps the leases of a stream in an SQLite file. Its methods may be called from any goroutine.
type File struct {
	file   db.File
	stream string
	pool   *sql.DB
}

var (
	_ stream.Leases      = (*File)(nil)
	_ stream.DeadLetters = (*File)(nil)
)

// Open opens the leases of a stream in the file at a path, or creates it. If another program has locked the file, Open waits for up to 30
// s. The error is a *SchemaError if the file is something else, the cause of ctx if that ends first, and otherwise a *db.OpenError.
func Open(ctx context.Context, path, name string) (*File, error) {
	file, err := db.NewFile(path, 0)
	if err != nil {
		return nil, err
	}
	f := &File{file: file, stream: name}
	if f.pool, err = file.Connect(url.Values{"mode": {"rwc"}, "_synchronous": {"FULL"}, "_txlock": {"immediate"}}); err != nil {
		return nil, err
	}
	f.pool.SetMaxOpenConns(1) // it writes most of the time
	if err := file.Patiently(ctx, func() error { return f.prepare(ctx) }); err != nil {
		return nil, errors.Join(f.explain(ctx, err), f.pool.Close())
	}
	return f, nil
}

func (f *File) explain(ctx context.Context, err error) error {
	var wrong *SchemaError
	switch {
	case errors.As(err, &wrong):
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case db.IsDamaged(err):
		return &SchemaError{f.file.Path, fmt.Sprintf("damaged or no database (%v)", err)}
	}
	return f.file.Explain(err)
}

// Close closes the file. Leases stay as they are.
func (f *File) Close() error { return f.pool.Close() }

// List implements stream.Leases.
func (f *File) List(ctx context.Context) (all []stream.Lease, err error) {
	err = f.patiently(ctx, "list", func() error {
		all = nil
		rows, err := f.pool.QueryContext(ctx, `select shard, owner, next, beat, fence, checkpoint from leases where stream = ? order by shard`, f.stream)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // what is wrong with the rows is in rows.Err
		for rows.Next() {
			var l stream.Lease
			if err := rows.Scan(&l.Shard, &l.Owner, &l.Next, &l.Beat, &l.Fence, &l.Checkpoint); err != nil {
				return err
			}
			all = append(all, l)
		}
		return rows.Err()
	})
	return all, err
}

// Add implements stream.Leases.
func (f *File) Add(ctx context.Context, leases []stream.Lease) error {
	return f.transact(ctx, "add", func(t *sql.Tx) error {
		for _, l := range leases {
			if _, err := t.ExecContext(ctx, `insert into leases (stream, shard, checkpoint) values (?, ?, ?) on conflict do nothing`, f.stream, l.Shard, l.Checkpoint); err != nil {
				return err
			}
		}
		return nil
	})
}

// Take implements stream.Leases.
func (f *File) Take(ctx context.Context, seen stream.Lease, owner string) (stream.Lease, error) {
	l := seen
	err := f.patiently(ctx, "take", func() error {
		return taken(f.pool.QueryRowContext(ctx, `update leases set owner = ?, next = '', fence = fence + 1, beat = beat + 1
			where stream = ? and shard = ? and owner = ? and fence = ? and beat = ? returning owner, next, beat, fence, checkpoint`,
			owner, f.stream, seen.Shard, seen.Owner, seen.Fence, seen.Beat), &l)
	})
	if err != nil {
		return stream.Lease{}, err
	}
	return l, nil
}

func taken(row *sql.Row, l *stream.Lease) error {
	err := row.Scan(&l.Owner, &l.Next, &l.Beat, &l.Fence, &l.Checkpoint)
	if errors.Is(err, sql.ErrNoRows) {
		return stream.ErrLost
	}
	return err
}

// Renew implements stream.Leases.
func (f *File) Renew(ctx context.Context, held []stream.Lease) (lost []string, err error) {
	err = f.transact(ctx, "renew", func(t *sql.Tx) error {
		lost = nil
		for _, l := range held {
			switch err := change(ctx, t, `beat = beat + 1`, f.held(l)); {
			case errors.Is(err, stream.ErrLost):
				lost = append(lost, l.Shard)
			case err != nil:
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return lost, nil
}

// Ask implements stream.Leases.
func (f *File) Ask(ctx context.Context, seen stream.Lease, name string) error {
	which := f.held(seen)
	which.text += ` and owner <> '' and next = ''`
	return f.change(ctx, "ask for", `next = ?`, which, name)
}

// Save implements stream.Leases.
func (f *File) Save(ctx context.Context, held stream.Lease, checkpoint string) error {
	return f.change(ctx, "save", `checkpoint = ?, beat = beat + 1`, f.held(held), checkpoint)
}

// Release implements stream.Leases.
func (f *File) Release(ctx context.Context, held stream.Lease) error {
	return f.change(ctx, "release", `owner = '', beat = beat + 1`, f.held(held))
}

// Remove implements stream.Leases.
func (f *File) Remove(ctx context.Context, shard string) error {
	return f.patiently(ctx, "remove", func() error {
		_, err := f.pool.ExecContext(ctx, `delete from leases where stream = ? and shard = ? and checkpoint = ?`, f.stream, shard, stream.End)
		return err
	})
}

// Bury implements stream.DeadLetters.
func (f *File) Bury(ctx context.Context, l stream.DeadLetter) error {
	return f.patiently(ctx, "bury a record in", func() error {
		_, err := f.pool.ExecContext(ctx, `insert or replace into dead_letters (stream, shard, sequence, sub, key, arrived, data, error, tries, at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			f.stream, l.Shard, l.Record.Sequence, l.Record.Sub, l.Record.Key, stamp(l.Record.Arrived), l.Record.Data, l.Error, l.Tries, stamp(l.At))
		return err
	})
}

// stamp is a time as the file has it, which sorts as times do.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// condition is which rows to change.
type condition struct {
	text string
	args []any
}

// held is the row of a lease that has still the same owner and fence.
func (f *File) held(l stream.Lease) condition {
	return condition{`stream = ? and shard = ? and owner = ? and fence = ?`, []any{f.stream, l.Shard, l.Owner, l.Fence}}
}

// executor is a pool or a transaction.
type executor interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// change changes the one row of a condition, or returns stream.ErrLost.
func change(ctx context.Context, e executor, set string, which condition, args ...any) error {
	result, err := e.ExecContext(ctx, `update leases set `+set+` where `+which.text, append(args, which.args...)...)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(stream.ErrLost, err)
	}
	return nil
}

func (f *File) change(ctx context.Context, what, set string, which condition, args ...any) error {
	return f.patiently(ctx, what, func() error { return change(ctx, f.pool, set, which, args...) })
}

// transact does something in one commit.
func (f *File) transact(ctx context.Context, what string, do func(*sql.Tx) error) error {
	return f.patiently(ctx, what, func() error {
		t, err := f.pool.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if err := do(t); err != nil {
			return errors.Join(err, t.Rollback())
		}
		return t.Commit()
	})
}

// patiently does something, waits for others that have the file locked, and says in an error what it was.
func (f *File) patiently(ctx context.Context, what string, do func() error) error {
	err := f.file.Patiently(ctx, do)
	switch {
	case err == nil, errors.Is(err, stream.ErrLost):
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return fmt.Errorf("%s leases %s: %w", what, f.file.Path, err)
}
