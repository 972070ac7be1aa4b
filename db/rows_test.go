package db_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// Rows come in their order, whichever were written first, and the file can be written meanwhile.
func TestRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.sqlite")
	d, err := db.Open(t.Context(), path, db.Options{})
	require.NoError(t, err)
	defer d.Close()
	ledger := d.Ledger("data", "label", "number")
	save := func(label string, n int, day any) {
		require.NoError(t, ledger.Save(scraperutils.Record{{Name: "label", Value: label}, {Name: "number", Value: n}, {Name: `the day`, Value: day}}))
	}
	for n := 1199; n >= 0; n-- {
		save([]string{"a", "b", "c"}[n%3], n, fmt.Sprintf("2026-11-%02d", n%30+1))
	}
	save("a", 5000, nil)
	require.NoError(t, ledger.Settle(t.Context()))

	reader, err := db.OpenReader(t.Context(), path)
	require.NoError(t, err)
	defer reader.Close()
	columns, err := reader.Columns(t.Context(), "data")
	require.NoError(t, err)
	assert.Equal(t, []string{"label", "number", "the day"}, columns)
	none, err := reader.Columns(t.Context(), "no such table")
	require.NoError(t, err)
	assert.Empty(t, none)

	read := func(q db.Rows, each func()) (all []string) {
		q.Table, q.Order = "data", []string{"label", "number"}
		for r, err := range reader.Rows(t.Context(), q, []string{"number", "label"}) {
			require.NoError(t, err)
			require.Len(t, r, 2)
			all = append(all, r.Text("label")+r.Text("number"))
			each()
		}
		return all
	}
	all := read(db.Rows{}, func() {})
	require.Len(t, all, 1201)
	assert.Equal(t, []string{"a0", "a3", "a6"}, all[:3])
	assert.Equal(t, []string{"a1197", "a5000", "b1"}, all[399:402])
	assert.Equal(t, "c1199", all[1200])
	assert.Len(t, read(db.Rows{Column: "label", Values: []string{"b", "x"}}, func() {}), 400)
	assert.Empty(t, read(db.Rows{Column: "label", Values: []string{}}, func() {}))
	assert.Len(t, read(db.Rows{From: "the day", Least: "2026-11-30"}, func() {}), 40, "those without a day are left out")

	written := 0
	during := read(db.Rows{}, func() {
		if written++; written%300 == 0 {
			save("d", written, nil)
			require.NoError(t, ledger.Settle(t.Context()), "a reader does not hold a writer up")
		}
	})
	assert.Equal(t, all, during)

	for _, err := range reader.Rows(t.Context(), db.Rows{Table: `no "such" table`}, nil) {
		assert.ErrorContains(t, err, `no such table: no "such" table`)
	}
}
