package db_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
)

func TestLedgersThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		table string
		keys  []string
		want  string
	}{
		"no keys":          {"data", nil, `save to table "data": no unique keys`},
		"a key twice":      {"data", []string{"id", "ID"}, `names "id" and "ID" are one column`},
		"key with a quote": {"data", []string{"i'd"}, `name "i'd" contains a quote`},
		"no table":         {"", []string{"id"}, `a name is empty`},
		"table with quote": {`da"ta`, []string{"id"}, `name "da\"ta" contains a quote`},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, newPath(t), db.Options{})
			l := d.Ledger(c.table, c.keys...)
			err := l.Save(rec("id", 1))
			assert.ErrorContains(t, err, c.want)
			var ofRecord *scraperutils.UnprocessableRecord
			assert.NotErrorAs(t, err, &ofRecord, "it is not the record's fault")
			require.NoError(t, l.Settle(t.Context()))
			assert.Empty(t, ddl(t, d))
		})
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct{ table, key, field string }{
		{"data", "id", "café"},
		{"data", "id", "my col"},
		{"data", "the key", "select"},
		{"my table", "id", "a[b]`c`"},
		{"data", "rowid", "oid"},
		{"data", "ä%s?:x@y$z", "?1"},
		{"1st", "id", "-- no comment"},
	} {
		t.Run(c.table+" "+c.key+" "+c.field, func(t *testing.T) {
			d := open(t, newPath(t), db.Options{})
			l := d.Ledger(c.table, c.key)
			save(t, l, rec(c.key, "k"))
			save(t, l, rec(c.key, "k", c.field, 5))
			assert.Equal(t, []record{rec(c.key, "k", c.field, int64(5))}, query(t, d, fmt.Sprintf(`SELECT * FROM "%s"`, c.table)))
		})
	}
}

// Columns and tables that differ in the case of ASCII letters are one, as they are to SQLite.
func TestCaseOfNames(t *testing.T) {
	d := open(t, newPath(t), db.Options{})
	save(t, d.Ledger("data", "ID"), rec("Id", 1, "Name", "a", "Äb", 1))
	save(t, d.Ledger("DATA", "id"), rec("iD", 1, "nAME", "b", "äb", 2))
	assert.Equal(t, []record{rec("Id", int64(1), "Name", "b", "Äb", nil, "äb", int64(2))}, query(t, d, "SELECT * FROM data"))
}
