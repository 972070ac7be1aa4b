package db_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
)

// A file that other programs have made is used as it is.
func TestTablesOfOthers(t *testing.T) {
	for name, c := range map[string]struct {
		made []string
		keys []string
		save []record
		want []record
	}{
		"another order of columns": {
			[]string{"CREATE TABLE data ('v','id', UNIQUE ('id'))", "INSERT INTO data VALUES ('old', 1)"},
			[]string{"id"},
			[]record{rec("id", 1, "v", "new")},
			[]record{rec("rowid", int64(1), "v", "new", "id", int64(1))},
		},
		"a unique index without a constraint": {
			[]string{"CREATE TABLE data (id, v)", "CREATE UNIQUE INDEX i ON data (id)", "INSERT INTO data VALUES (1, 'old')"},
			[]string{"id"},
			[]record{rec("id", 1, "v", "new")},
			[]record{rec("rowid", int64(1), "id", int64(1), "v", "new")},
		},
		"other keys than the ledger's": {
			[]string{"CREATE TABLE data ('id','k', UNIQUE ('id'))", "INSERT INTO data VALUES (1, 'x')"},
			[]string{"k"},
			[]record{rec("id", 2, "k", "x"), rec("id", 1, "k", "x")},
			[]record{rec("rowid", int64(1), "id", int64(1), "k", "x"), rec("rowid", int64(2), "id", int64(2), "k", "x")},
		},
		"a column that names the row id": {
			[]string{"CREATE TABLE data (n INTEGER PRIMARY KEY, id UNIQUE, v)", "INSERT INTO data VALUES (7, 'a', 'old')"},
			[]string{"id"},
			[]record{rec("id", "a", "v", "new"), rec("id", "b")},
			[]record{rec("n", int64(7), "n", int64(7), "id", "a", "v", "new"), rec("n", int64(8), "n", int64(8), "id", "b", "v", nil)},
		},
		"a generated column": {
			[]string{"CREATE TABLE data (id UNIQUE, v, w AS (v || '!'))"},
			[]string{"id"},
			[]record{rec("id", 1, "v", "a"), rec("id", 1, "v", "b")},
			[]record{rec("rowid", int64(1), "id", int64(1), "v", "b", "w", "b!")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			run(t, another(t, path), c.made...)
			d := open(t, path, db.Options{})
			before := ddl(t, d)
			save(t, d.Ledger("data", c.keys...), c.save...)
			assert.Equal(t, c.want, query(t, d, "SELECT rowid, * FROM data ORDER BY rowid"))
			assert.Equal(t, before, ddl(t, d), "the tables stay as they were")
		})
	}
}

func TestOpeningChangesNothing(t *testing.T) {
	path := newPath(t)
	run(t, another(t, path), "CREATE TABLE data (id UNIQUE)", "PRAGMA user_version = 7")
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, open(t, path, db.Options{}).Close())
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before, after)
}

// Somebody else may change the tables between two commits.
func TestTablesChangedByOthers(t *testing.T) {
	path := newPath(t)
	d := open(t, path, db.Options{})
	l := d.Ledger("data", "id")
	save(t, d.Ledger("log", "id"), rec("id", 1))
	run(t, another(t, path), "CREATE TABLE data (v, id UNIQUE)")
	save(t, l, rec("id", 1, "v", "a"))
	assert.Equal(t, []record{rec("v", "a", "id", int64(1))}, query(t, d, "SELECT * FROM data"))
	run(t, another(t, path), "ALTER TABLE data ADD COLUMN extra", "UPDATE data SET extra = 1")
	save(t, l, rec("id", 1, "v", "b"))
	assert.Equal(t, []record{rec("v", "b", "id", int64(1), "extra", nil)}, query(t, d, "SELECT * FROM data"))
	run(t, another(t, path), "DROP TABLE data")
	save(t, l, rec("id", 1, "v", "c"))
	assert.Equal(t, []record{rec("id", int64(1), "v", "c")}, query(t, d, "SELECT * FROM data"))
}
