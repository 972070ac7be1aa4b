package db_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// A table in which nothing tells rows apart gets the index that a table of ours has, so that a row saved again is one row.
func TestTablesWithoutIdentity(t *testing.T) {
	for name, c := range map[string]struct {
		made []string
		want string
	}{
		"no index":                  {[]string{"CREATE TABLE data (a, b, v)"}, "CREATE UNIQUE INDEX 'a_b' ON data ('a','b')"},
		"one that is not unique":    {[]string{"CREATE TABLE data (a, b, v)", "CREATE INDEX i ON data (a, b)"}, "CREATE UNIQUE INDEX 'a_b' ON data ('a','b')"},
		"one of some rows":          {[]string{"CREATE TABLE data (a, b, v)", "CREATE UNIQUE INDEX i ON data (a, b) WHERE v > 5"}, "CREATE UNIQUE INDEX 'a_b' ON data ('a','b')"},
		"one of an expression":      {[]string{"CREATE TABLE data (a, b, v)", "CREATE UNIQUE INDEX i ON data (a, v || b)"}, "CREATE UNIQUE INDEX 'a_b' ON data ('a','b')"},
		"a number for each row":     {[]string{"CREATE TABLE data (id INTEGER PRIMARY KEY, a, b, v)"}, "CREATE UNIQUE INDEX 'a_b' ON data ('a','b')"},
		"one of more than the keys": {[]string{"CREATE TABLE data (a, b, v, UNIQUE (a, b, v))"}, "CREATE UNIQUE INDEX 'a_b' ON data ('a','b')"},
		"a column that is missing":  {[]string{"CREATE TABLE data (b, v)"}, "CREATE UNIQUE INDEX 'a_b' ON data ('a','b')"},
		"a name that is taken":      {[]string{"CREATE TABLE data (a, b, v)", "CREATE TABLE A_b (x)"}, "CREATE UNIQUE INDEX 'data_a_b' ON data ('a','b')"},
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			run(t, another(t, path), c.made...)
			d := open(t, path, db.Options{})
			for n := range 2 {
				save(t, d.Ledger("data", "a", "b"), rec("a", 1, "b", 1, "v", n), rec("a", 1, "b", 2, "v", n))
			}
			assert.Equal(t, []record{rec("a", int64(1), "b", int64(1), "v", int64(1)), rec("a", int64(1), "b", int64(2), "v", int64(1))},
				query(t, d, "SELECT a, b, v FROM data ORDER BY rowid"))
			assert.Contains(t, ddl(t, d), c.want)
		})
	}
}

// Rows that are there twice keep the index from being made: that is said, with what to do, and nothing else is lost.
func TestTableWithDuplicates(t *testing.T) {
	path := newPath(t)
	run(t, another(t, path), "CREATE TABLE data (a, b)", "INSERT INTO data VALUES (1, 1), (1, 1), (2, 2)")
	d := open(t, path, db.Options{CommitWithin: time.Hour})
	data, log := d.Ledger("data", "a", "b"), d.Ledger("log", "a")
	require.NoError(t, log.Save(rec("a", 1)))
	require.NoError(t, data.Save(rec("a", 3, "b", 3)))
	require.NoError(t, log.Save(rec("a", 2)))
	err := data.Settle(t.Context())
	var refused *scraperutils.UnprocessableRecord
	require.ErrorAs(t, err, &refused)
	assert.ErrorContains(t, err, "save a 3, b 3 to table data: rows of table data have the same a and b, by which they are told apart: "+
		"delete all but one of each, or give another database")
	require.NoError(t, log.Settle(t.Context()))
	assert.Len(t, query(t, d, "SELECT * FROM log"), 2)
	assert.Len(t, query(t, d, "SELECT * FROM data"), 3)

	_, err = d.Exec(t.Context(), "DELETE FROM data WHERE rowid = 2")
	require.NoError(t, err)
	save(t, data, rec("a", 3, "b", 3))
	assert.Len(t, query(t, d, "SELECT * FROM data"), 3)
}
