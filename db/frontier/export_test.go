package frontier

import (
	"context"
	"database/sql"
)

// Do has the writer do something, with a function that runs a statement.
func (f *Frontier) Do(ctx context.Context, do func(exec func(string, ...any) (int64, error)) error) error {
	return f.write(ctx, "test", func(t *tx) error { return do(t.exec) })
}

// Setting returns a setting of the connection that writes.
func (f *Frontier) Setting(name string) (value string, err error) {
	err = f.write(context.Background(), "test", func(t *tx) error {
		return t.query(func(rows *sql.Rows) error { return rows.Scan(&value) }, "PRAGMA "+name)
	})
	return value, err
}
