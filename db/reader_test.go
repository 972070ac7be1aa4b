package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
)

func TestQuery(t *testing.T) {
	d := open(t, newPath(t), db.Options{})
	save(t, d.Ledger("data", "id"), rec("id", 1), rec("id", 2), rec("id", 3))
	for r, err := range d.Query(t.Context(), "SELECT id FROM data WHERE id > ?", 1) {
		require.NoError(t, err)
		assert.Equal(t, "2", r.Text("id"))
		break // ends the reading
	}
	save(t, d.Ledger("data", "id"), rec("id", 4))

	for name, c := range map[string]struct{ query, want string }{
		"no table":     {"SELECT * FROM nowhere", "no such table: nowhere"},
		"writing":      {"DELETE FROM data", "attempt to write a readonly database"},
		"a late error": {"SELECT id FROM data UNION ALL SELECT abs(-9223372036854775807 - 1)", "integer overflow"},
	} {
		t.Run(name, func(t *testing.T) {
			var last error
			for _, err := range d.Query(t.Context(), c.query) {
				require.NoError(t, last, "nothing comes after an error")
				last = err
			}
			assert.ErrorContains(t, last, c.want)
		})
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range d.Query(ended, "SELECT 1") {
		assert.ErrorIs(t, err, context.Canceled)
	}
}

// Columns that others have declared as times and booleans come out as values that a record may hold.
func TestQueryOfDeclaredColumns(t *testing.T) {
	path := newPath(t)
	run(t, another(t, path), "CREATE TABLE data (d date, b boolean, c boolean)", "INSERT INTO data VALUES ('2025-05-07', 1, 0)")
	d := open(t, path, db.Options{})
	assert.Equal(t, []record{rec("d", "2025-05-07T00:00:00", "b", int64(1), "c", int64(0))}, query(t, d, "SELECT * FROM data"))
	assert.Equal(t, []record{rec("d", "2025-05-07")}, query(t, d, "SELECT CAST(d AS TEXT) AS d FROM data"))
}
