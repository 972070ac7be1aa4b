package db_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
)

// records is an object or a list of objects, with fields in the order in which they stand there.
type records []record

func (rs *records) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return nil //nolint:nilerr // the text was checked by who called this; it has ended
		}
		switch token {
		case json.Delim('{'):
			*rs = append(*rs, record{})
		case json.Delim('}'), json.Delim('['), json.Delim(']'):
		default:
			field := scraperutils.Field{Name: token.(string)}
			if err := d.Decode(&field.Value); err != nil {
				return err
			}
			field.Value = number(field.Value)
			last := len(*rs) - 1
			(*rs)[last] = append((*rs)[last], field)
		}
	}
}

// number turns a number of JSON into that of Go which Ruby's would be.
func number(v any) any {
	n, ok := v.(json.Number)
	if !ok {
		return v
	}
	if i, err := n.Int64(); err == nil {
		return i
	}
	var u uint64
	if _, err := fmt.Sscan(n.String(), &u); err == nil && !strings.ContainsAny(n.String(), ".eE") {
		return u
	}
	f, _ := n.Float64()
	return f
}

// savesCase is a case of sqlite_contract.
type savesCase struct {
	In struct {
		Name  string
		Saves []struct {
			Keys  []string `json:"unique_keys"`
			Data  records
			Table string
		}
	}
	Out struct {
		DDL   []string
		Rows  map[string]records
		Error []string
	}
}

// instead is what holds in place of a case's outcome, because saving is an upsert and a type that SQLite lacks is an error.
type instead struct {
	why  string
	ddl  []string          // nil: as in the case
	rows map[string]string // nil: as in the case; rows as JSON, by table
	err  string            // "": none
}

var savesInstead = map[string]instead{
	"replace (rowid changes)": {why: "an upsert keeps the row id",
		rows: map[string]string{"data": `[{"_rowid_":1,"id":10,"animal":"fox2"},{"_rowid_":2,"id":20,"animal":"rabbit"}]`}},
	"replace drops missing columns": {why: "an upsert keeps the row id",
		rows: map[string]string{"data": `[{"_rowid_":1,"id":1,"a":"z","b":null}]`}},
	"two unique keys": {why: "an upsert keeps the row id",
		rows: map[string]string{"data": `[{"_rowid_":1,"authority_label":"a","council_reference":"1","v":3},` +
			`{"_rowid_":2,"authority_label":"b","council_reference":"1","v":2}]`}},
	"true and false": {why: "refused before a table is made; the text names the field",
		ddl: []string{}, rows: map[string]string{}, err: `field "t" of type bool: can't save true`},
	"big integer": {why: "an integer beyond 64 bits is an error, not a float that is nearly it",
		ddl: []string{}, rows: map[string]string{}, err: "9223372036854775808 is beyond 9223372036854775807"},
	"no unique keys": {why: "a clear text in place of a syntax error", err: "no unique keys"},
	"column with space": {why: "names are quoted, so it works",
		ddl:  []string{"CREATE TABLE data ('id','my col', UNIQUE ('id'))", "CREATE UNIQUE INDEX 'id' ON data ('id')"},
		rows: map[string]string{"data": `[{"_rowid_":1,"id":1,"my col":2}]`}},
	"column with quote": {why: "a clear text in place of a syntax error", err: `name "it's" contains a quote or a NUL`},
	"array of records with different keys": {why: "each record is saved by itself, so SQLite writes the later column behind a space",
		ddl: []string{"CREATE TABLE data ('id','a', 'b', UNIQUE ('id'))", "CREATE UNIQUE INDEX 'id' ON data ('id')"}},
	"index name equals a table name": {why: "a table whose index can't be made is not made either",
		ddl:  []string{"CREATE TABLE run_at ('id', UNIQUE ('id'))", "CREATE UNIQUE INDEX 'id' ON run_at ('id')"},
		rows: map[string]string{"run_at": `[{"_rowid_":1,"id":1}]`},
		err:  "there is already a table named run_at"},
	"unique key not in data": {why: "the record is written as JSON",
		err: `Data has nil value for unique key. Unique keys are ["id"]. Offending data: {"a":1}`},
	"empty hash": {why: "the error is of this program", // the same text
		err: `Data has nil value for unique key. Unique keys are ["id"]. Offending data: {}`},
}

// timesOf gives the case of times the values that its texts stand for.
func timesOf(r record) record {
	at := time.Date(2025, 5, 7, 1, 2, 3, 0, time.UTC)
	zoned := func(hours int) time.Time {
		return time.Date(2025, 5, 7, 1, 2, 3, 0, time.FixedZone("", hours*60*60))
	}
	return r.With("t", at).With("tz", zoned(10)).With("dt", zoned(0))
}

func TestWhatRubySaved(t *testing.T) {
	seen := 0
	conformance.Each(t, "sqlite_contract", "", func(t *testing.T, c savesCase) {
		want, replaced := savesInstead[c.In.Name]
		if replaced {
			seen++
			conformance.Differs(t, want.why)
		} else {
			require.Empty(t, c.Out.Error, "an error that is not listed")
		}
		d := open(t, newPath(t), db.Options{})
		var failed error
		for _, s := range c.In.Saves {
			table := s.Table
			if table == "" {
				table = "data"
			}
			l := d.Ledger(table, s.Keys...)
			for _, r := range s.Data {
				if c.In.Name == "date, time, datetime" {
					r = timesOf(r)
				}
				if err := l.Save(r); failed == nil {
					failed = err
				}
			}
			if err := l.Settle(t.Context()); failed == nil {
				failed = err
			}
		}
		if want.err == "" {
			require.NoError(t, failed)
		} else {
			require.ErrorContains(t, failed, want.err)
		}
		wantDDL, wantRows := c.Out.DDL, c.Out.Rows
		if want.ddl != nil {
			wantDDL = want.ddl
		}
		if want.rows != nil {
			wantRows = map[string]records{}
			for table, text := range want.rows {
				var rs records
				require.NoError(t, json.Unmarshal([]byte(text), &rs))
				wantRows[table] = rs
			}
		}
		assert.Equal(t, append([]string{}, wantDDL...), append([]string{}, ddl(t, d)...))
		assert.Len(t, query(t, d, "SELECT 1 FROM sqlite_schema WHERE type = 'table'"), len(wantRows))
		for table, rows := range wantRows {
			assert.Equal(t, []record(rows), query(t, d, fmt.Sprintf("SELECT _rowid_ AS _rowid_, * FROM %q ORDER BY _rowid_", table)), table)
		}
	})
	assert.Equal(t, len(savesInstead), seen, "every listed difference is of a case that exists")
}

// diffCase is a case of morph_diff: what a run changed, as people are shown it, told by row ids.
type diffCase struct {
	In struct {
		Name   string
		Before []string
	}
	Out struct{ Records, Tables changes }
}

type changes struct{ Added, Removed, Changed, Unchanged int }

// diffRuns does with this package what the case does with statements.
var diffRuns = map[string]struct {
	run     func(t *testing.T, d *db.DB)
	instead *changes // of the records, where saving is an upsert and the case replaces
}{
	"replace all three, same values": {saving("A", 1, "B", 1, "C", 1), &changes{Unchanged: 3}},
	"replace one, new value":         {saving("A", 2), &changes{Changed: 1, Unchanged: 2}},
	"upsert all three, same values":  {saving("A", 1, "B", 1, "C", 1), nil},
	"upsert one, new value":          {saving("A", 2), nil},
	"insert one new":                 {saving("D", 1), nil},
	"delete first then VACUUM": {func(t *testing.T, d *db.DB) {
		for _, s := range []string{"DELETE FROM data WHERE council_reference='A'", "VACUUM"} {
			_, err := d.Exec(t.Context(), s)
			require.NoError(t, err)
		}
	}, nil},
	"new table scrape_log": {func(t *testing.T, d *db.DB) { save(t, d.Ledger("scrape_log", "a"), rec("a", 1)) }, nil},
}

func saving(referencesAndValues ...any) func(t *testing.T, d *db.DB) {
	return func(t *testing.T, d *db.DB) {
		l := d.Ledger("data", "council_reference")
		for i := 0; i < len(referencesAndValues); i += 2 {
			save(t, l, rec("council_reference", referencesAndValues[i], "v", referencesAndValues[i+1]))
		}
	}
}

// tables returns the file's tables: a row's content by its row id.
func tables(t *testing.T, d *db.DB) map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, table := range query(t, d, "SELECT name FROM sqlite_schema WHERE type = 'table'") {
		rows := map[string]string{}
		for _, r := range query(t, d, "SELECT _rowid_ AS _rowid_, * FROM "+table.Text("name")) {
			rows[r.Text("_rowid_")] = fmt.Sprint(r)
		}
		all[table.Text("name")] = rows
	}
	return all
}

func (c *changes) compare(before, after map[string]string) {
	for id, content := range before {
		switch now, ok := after[id]; {
		case !ok:
			c.Removed++
		case now != content:
			c.Changed++
		default:
			c.Unchanged++
		}
	}
	for id := range after {
		if _, ok := before[id]; !ok {
			c.Added++
		}
	}
}

func TestWhatARunIsShownToHaveChanged(t *testing.T) {
	conformance.Each(t, "morph_diff", "", func(t *testing.T, c diffCase) {
		path := newPath(t)
		run(t, another(t, path), c.In.Before...)
		d := open(t, path, db.Options{})
		run, ok := diffRuns[c.In.Name]
		require.True(t, ok, "a case that nobody has translated")
		before := tables(t, d)
		run.run(t, d)
		after := tables(t, d)

		var found struct{ Records, Tables changes }
		schema := func(all map[string]map[string]string) map[string]string {
			names := map[string]string{}
			for name := range all {
				names[name] = ""
			}
			return names
		}
		found.Tables.compare(schema(before), schema(after))
		for name := range after {
			found.Records.compare(before[name], after[name])
		}
		want := c.Out
		if run.instead != nil {
			want.Records = *run.instead
		}
		assert.Equal(t, want.Records, found.Records)
		assert.Equal(t, want.Tables, found.Tables)
	})
}
