package db_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
)

// A file in which the rows of one authority would overwrite those of another is refused before anything is saved, whoever made
// it, and the error says by which index and what to do.
func TestTablesThatAreRefused(t *testing.T) {
	const rebuild = "rebuild the table with UNIQUE (a, b), or give another database"
	for name, c := range map[string]struct {
		made []string
		want string // "": it is taken
	}{
		"a constraint on one key":        {[]string{"CREATE TABLE data (a, b, v, UNIQUE (b))"}, `rows of table data would overwrite each other: the unique index "sqlite_autoindex_data_1" over b lacks a: ` + rebuild},
		"a primary key of one key":       {[]string{"CREATE TABLE data (a, b TEXT PRIMARY KEY, v)"}, `the unique index "sqlite_autoindex_data_1" over b lacks a: ` + rebuild},
		"one key that is the row id":     {[]string{"CREATE TABLE data (a, b INTEGER PRIMARY KEY, v)"}, "the primary key over b lacks a: " + rebuild},
		"keys that become numbers":       {[]string{"CREATE TABLE data (a STRING, b INT, v)"}, "table data turns text into numbers in a and b, by which its rows are told apart, and 007 and 7 would be one: declare that as TEXT, or give another database"},
		"no row ids":                     {[]string{"CREATE TABLE data (a, b PRIMARY KEY, v) WITHOUT ROWID"}, "over b lacks a: " + rebuild},
		"a constraint on other columns":  {[]string{"CREATE TABLE data (a, b, v, w, UNIQUE (v, w))"}, "over v, w lacks a and b: " + rebuild},
		"beside one on the keys":         {[]string{"CREATE TABLE data (a, b, v, UNIQUE (a, b), UNIQUE (v))"}, `"sqlite_autoindex_data_2" over v lacks a and b: ` + rebuild},
		"an index":                       {[]string{"CREATE TABLE data (a, b, v)", "CREATE UNIQUE INDEX i ON data (b)"}, `the unique index "i" over b lacks a: DROP INDEX "i", or give another database`},
		"an index of some rows":          {[]string{"CREATE TABLE data (a, b, v)", "CREATE UNIQUE INDEX i ON data (b) WHERE v > 5"}, `"i" over b lacks a: DROP INDEX "i"`},
		"an index of an expression":      {[]string{"CREATE TABLE data (a, b, v)", "CREATE UNIQUE INDEX i ON data (a, lower(b))"}, `"i" over a, an expression lacks b: DROP INDEX "i"`},
		"one that replaces":              {[]string{"CREATE TABLE data (a, b UNIQUE ON CONFLICT REPLACE, v)"}, "over b lacks a: " + rebuild},
		"a key in any case":              {[]string{"CREATE TABLE data (a, b COLLATE NOCASE, v, UNIQUE (a, b))"}, "over a, b compares b by NOCASE: " + rebuild},
		"names in another case":          {[]string{"CREATE TABLE Data (A, B UNIQUE, v)"}, "over B lacks a: " + rebuild},
		"a view":                         {[]string{"CREATE TABLE t (a, b)", "CREATE VIEW data AS SELECT * FROM t"}, "data is a view: rename it, or give another database"},
		"a table of another kind":        {[]string{"CREATE VIRTUAL TABLE data USING fts3(a, b)"}, "data is a virtual: rename it, or give another database"},
		"a key that is generated":        {[]string{"CREATE TABLE data (a, b AS (v || 'x'), v)"}, "table data generates b, by which its rows are told apart: make that an ordinary column, or give another database"},
		"rows with the same keys":        {[]string{"CREATE TABLE data (a, b)", "INSERT INTO data VALUES (1, 1), (1, 1)"}, "rows of table data have the same a and b, by which they are told apart: delete all but one of each, or give another database"},
		"another of the tables":          {[]string{"CREATE TABLE log (a UNIQUE, at)"}, "rows of table log would overwrite each other"},
		"such rows under a larger index": {[]string{"CREATE TABLE data (a, b, v, UNIQUE (a, b, v))", "INSERT INTO data VALUES (1, 1, 1), (1, 1, 2)"}, "rows of table data have the same a and b"},

		"no table":                      {nil, ""},
		"no index":                      {[]string{"CREATE TABLE data (a, b)", "INSERT INTO data VALUES (1, 1), (1, 2), (NULL, 3), (NULL, 3)"}, ""},
		"one that is not unique":        {[]string{"CREATE TABLE data (a, b)", "CREATE INDEX i ON data (b)"}, ""},
		"keys that stay text":           {[]string{"CREATE TABLE data (a VARCHAR(50), b Text, v INTEGER)"}, ""},
		"keys that stay as they are":    {[]string{"CREATE TABLE data (a BLOB, b, v REAL)"}, ""},
		"the keys in another order":     {[]string{"CREATE TABLE data (a, b, PRIMARY KEY (b, a)) WITHOUT ROWID"}, ""},
		"more than the keys":            {[]string{"CREATE TABLE data (a, b, v, UNIQUE (a, b, v))"}, ""},
		"a number for each row":         {[]string{"CREATE TABLE data (id INTEGER PRIMARY KEY AUTOINCREMENT, a, b)"}, ""},
		"keys that are missing":         {[]string{"CREATE TABLE data (v)", "INSERT INTO data VALUES (1), (1)"}, ""},
		"a table that is nobody's here": {[]string{"CREATE TABLE other (b UNIQUE)"}, ""},
		"a generated column":            {[]string{"CREATE TABLE data (a, b, v AS (a || b))"}, ""},
		"a trigger":                     {[]string{"CREATE TABLE data (a, b)", "CREATE TRIGGER t AFTER INSERT ON data BEGIN SELECT 1; END"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			run(t, another(t, path), c.made...)
			d, err := db.Open(t.Context(), path, db.Options{Tables: map[string][]string{"data": {"a", "b"}, "log": {"a", "at"}}})
			if c.want != "" {
				var refused *db.OpenError
				require.ErrorAs(t, err, &refused)
				assert.ErrorContains(t, err, c.want)
				assert.NotContains(t, err.Error(), "\n")
				open(t, path, db.Options{}) // the lock is free, and who names no tables may do as they like
				return
			}
			require.NoError(t, err)
			defer func() { require.NoError(t, d.Close()) }()
			for n := range 2 { // the second time they are the same rows
				for _, r := range []record{rec("a", "x", "b", "1"), rec("a", "y", "b", "1"), rec("a", "x", "b", "2")} {
					save(t, d.Ledger("data", "a", "b"), r.With("w", n))
				}
			}
			assert.Len(t, query(t, d, "SELECT * FROM data WHERE a IN ('x', 'y')"), 3)
		})
	}
}

// Whatever stands in the file, and whenever it came there, a row never takes the place of one with other keys.
func TestRowsOfOthersStay(t *testing.T) {
	const ours = "CREATE TABLE data (a, b, v, UNIQUE (a, b))"
	for name, c := range map[string]struct{ table, made string }{
		"a unique index on one key":   {ours, "CREATE UNIQUE INDEX i ON data (b)"},
		"one of an expression":        {ours, "CREATE UNIQUE INDEX i ON data (b || 'x')"},
		"one of some rows":            {ours, "CREATE UNIQUE INDEX i ON data (b) WHERE b > ''"},
		"one on another column":       {ours, "CREATE UNIQUE INDEX i ON data (v)"},
		"one that disregards case":    {ours, "CREATE UNIQUE INDEX i ON data (a COLLATE NOCASE, b)"},
		"a key that disregards case":  {"CREATE TABLE data (a COLLATE NOCASE, b, v)", ""},
		"a trigger that keeps it out": {ours, "CREATE TRIGGER t BEFORE INSERT ON data WHEN new.a <> 'x' BEGIN SELECT raise(IGNORE); END"},
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			run(t, another(t, path), c.table)
			d := open(t, path, db.Options{})
			mine, others := d.Ledger("data", "a", "b"), d.Ledger("data", "a", "b")
			save(t, mine, rec("a", "x", "b", "1", "v", "same"))
			run(t, another(t, path), c.made) // while the run goes on
			require.NoError(t, others.Save(rec("a", "X", "b", "1", "v", "same")))
			assert.ErrorContains(t, others.Settle(t.Context()), "save a X, b 1 to table data: a row with other keys stands in its way, or a trigger keeps it out")
			assert.Equal(t, 0, others.Saved())
			save(t, mine, rec("a", "x", "b", "1", "v", "same"))
			assert.Equal(t, []record{rec("a", "x", "b", "1", "v", "same")}, query(t, d, "SELECT * FROM data"))
		})
	}
}
