package leases

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
)

// What marks a file as one of leases.
const (
	applicationID = 0x4d736c73 // "Msls"
	version       = 1
)

// tables is the schema.
var tables = []string{
	`create table leases (
		stream     text   not null,
		shard      text   not null,            -- start: where shards start that have no checkpoint
		owner      text   not null default '', -- '': nobody
		next       text   not null default '', -- who asked for it
		beat       bigint not null default 0,
		fence      bigint not null default 0,
		checkpoint text   not null default '', -- a sequence number, END, or '': none
		primary key (stream, shard)) without rowid`,
	`create table dead_letters (
		stream   text    not null,
		shard    text    not null,
		sequence text    not null,
		sub      integer not null, -- place in an aggregated record
		key      text    not null,
		arrived  text    not null,
		data     blob    not null,
		error    text    not null,
		tries    integer not null,
		at       text    not null,
		primary key (stream, shard, sequence, sub))`,
}

// SchemaError says that a file does not hold leases.
type SchemaError struct {
	Path  string
	Found string
}

func (e *SchemaError) Error() string {
	return "database " + strconv.Quote(e.Path) + ": expected leases of version " + strconv.Itoa(version) + ", found " + e.Found + ": give another path, or move that file away"
}

// prepare makes a new file one of leases.
func (f *File) prepare(ctx context.Context) error {
	if empty, err := f.check(ctx, f.pool); err != nil || !empty {
		return err
	}
	if _, err := f.pool.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
		return err
	}
	t, err := f.pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	empty, err := f.check(ctx, t) // another process may have been first
	if err == nil && empty {
		err = create(ctx, t)
	}
	if err != nil {
		return errors.Join(err, t.Rollback())
	}
	return t.Commit()
}

func create(ctx context.Context, t *sql.Tx) error {
	for _, statement := range append(tables, fmt.Sprintf("PRAGMA application_id = %d", applicationID), fmt.Sprintf("PRAGMA user_version = %d", version)) {
		if _, err := t.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// asker is a pool or a transaction.
type asker interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// check reports whether the file has nothing in it.
func (f *File) check(ctx context.Context, a asker) (empty bool, err error) {
	var application, found, has, all int
	row := a.QueryRowContext(ctx, `select (select application_id from pragma_application_id), (select user_version from pragma_user_version),
		(select count(*) from sqlite_schema where name in ('leases', 'dead_letters')), (select count(*) from sqlite_schema where type = 'table')`)
	if err := row.Scan(&application, &found, &has, &all); err != nil {
		return false, err
	}
	wrong := &SchemaError{Path: f.file.Path}
	switch {
	case application == 0 && found == 0 && all == 0:
		return true, nil
	case application != applicationID:
		wrong.Found = "another program's database"
	case found != version:
		wrong.Found = fmt.Sprintf("version %d", found)
	case has != len(tables):
		wrong.Found = "leases without some of their tables"
	default:
		return false, nil
	}
	return false, wrong
}
