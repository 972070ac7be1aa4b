package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
)

// A row goes by the day that it has, whatever the time of day and its zone; what has no day stays.
func TestTrim(t *testing.T) {
	d := open(t, newPath(t), db.Options{})
	log := d.Ledger("log", "at")
	for _, at := range []any{"2025-04-05", "2025-04-06T23:59:59+10:00", "2025-04-07", "2025-04-07T00:30:00+10:00", "2025-05-07T10:00:00+10:00", "unknown"} {
		save(t, log, rec("at", at))
	}
	save(t, d.Ledger("log", "key"), rec("key", "none"))
	rows, oldest, err := d.Trim(t.Context(), "log", "at", "2025-04-07")
	require.NoError(t, err)
	assert.Equal(t, int64(2), rows)
	assert.Equal(t, "2025-04-05", oldest)
	assert.Equal(t, []record{rec("at", "2025-04-07"), rec("at", "2025-04-07T00:30:00+10:00"), rec("at", "2025-05-07T10:00:00+10:00"), rec("at", "unknown"), rec("at", nil)},
		query(t, d, "SELECT at FROM log ORDER BY at IS NULL, at"))

	for name, c := range map[string]struct{ table, column string }{
		"nothing is old":          {"log", "at"},
		"there is no such table":  {"other", "at"},
		"there is no such column": {"log", "when"},
	} {
		rows, oldest, err := d.Trim(t.Context(), c.table, c.column, "2025-04-07")
		require.NoError(t, err, name)
		assert.Zero(t, rows, name)
		assert.Empty(t, oldest, name)
	}
}

func TestTrimThatCannotRead(t *testing.T) {
	d := open(t, newPath(t), db.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := d.Trim(ctx, "log", "at", "2025-04-07")
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorContains(t, err, "trim table log: ")
}
