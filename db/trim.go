package db

import (
	"context"
	"fmt"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Trim deletes the rows of a table whose column is before a day. The column holds days (YYYY-MM-DD), or times that begin with one. Trim
// returns how many rows it deleted, and the column's value in the oldest of them. It writes only if there is something to delete. A table
// that does not exist, or lacks the column, has no old rows.
func (d *DB) Trim(ctx context.Context, table, column, before string) (rows int64, oldest string, err error) {
	rows, oldest, err = d.trim(ctx, table, column, before)
	if err != nil {
		return 0, "", fmt.Errorf("trim table %s: %w", table, err)
	}
	return rows, oldest, nil
}

func (d *DB) trim(ctx context.Context, table, column, before string) (rows int64, oldest string, err error) {
	if dated, err := d.Has(ctx, table, column); err != nil || !dated {
		return 0, "", err
	}
	where := " FROM " + quoted(table) + " WHERE " + quoted(column) + " < ?"
	old, err := d.one(ctx, "SELECT min("+quoted(column)+") AS oldest"+where, before)
	if v, _ := old.Get("oldest"); err != nil || v == nil {
		return 0, "", err
	}
	rows, err = d.Exec(ctx, "DELETE"+where, before)
	return rows, old.Text("oldest"), err
}

// Vacuum returns the space of deleted rows to the file system.
func (d *DB) Vacuum(ctx context.Context) error {
	_, err := d.Exec(ctx, "VACUUM")
	return err
}

// Has reports whether a table exists and has a column.
func (d *DB) Has(ctx context.Context, table, column string) (bool, error) {
	r, err := d.one(ctx, "SELECT count(*) AS n FROM sqlite_schema AS t, pragma_table_info(t.name) AS c "+
		"WHERE t.type = 'table' AND t.name = ? COLLATE NOCASE AND c.name = ? COLLATE NOCASE", table, column)
	return r.Text("n") == "1", err
}

// one returns the only row of a query.
func (d *DB) one(ctx context.Context, query string, args ...any) (row scraperutils.Record, err error) {
	for r, err := range d.Query(ctx, query, args...) {
		if err != nil {
			return nil, err
		}
		row = r
	}
	return row, nil
}
