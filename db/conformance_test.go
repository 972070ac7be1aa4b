package db_test

import (
	"bytes"
	"cmp"
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
			name, ok := token.(string)
			if !ok || len(*rs) == 0 {
				return fmt.Errorf("%v is in the place of a record", token)
			}
			field := scraperutils.Field{Name: name}
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
		Error string
	}
}

// timesOf gives the case of times the values that its texts stand for.
func timesOf(r record) record {
	at := time.Date(2025, 5, 7, 1, 2, 3, 0, time.UTC)
	zoned := func(hours int) time.Time {
		return time.Date(2025, 5, 7, 1, 2, 3, 0, time.FixedZone("", hours*60*60))
	}
	return r.With("t", at).With("tz", zoned(10)).With("dt", zoned(0))
}

func TestSuiteSaves(t *testing.T) {
	conformance.Each(t, "sqlite_contract", "fc50176", func(t *testing.T, c savesCase) {
		d := open(t, newPath(t), db.Options{})
		failed := ""
		note := func(err error) {
			if err != nil && failed == "" {
				failed = err.Error()
			}
		}
		for _, s := range c.In.Saves {
			l := d.Ledger(cmp.Or(s.Table, "data"), s.Keys...)
			for _, r := range s.Data {
				if c.In.Name == "date, time, datetime" {
					r = timesOf(r)
				}
				note(l.Save(r))
			}
			note(l.Settle(t.Context()))
		}
		assert.Equal(t, c.Out.Error, failed)
		assert.Equal(t, c.Out.DDL, append([]string{}, ddl(t, d)...))
		assertTables(t, c.Out.Rows, d)
	})
}

// assertTables checks all tables, with their rows in order, each with its row id.
func assertTables(t *testing.T, want map[string]records, d *db.DB) {
	t.Helper()
	assert.Len(t, query(t, d, "SELECT 1 FROM sqlite_schema WHERE type = 'table'"), len(want))
	for table, rows := range want {
		assert.Equal(t, []record(rows), query(t, d, fmt.Sprintf("SELECT _rowid_ AS _rowid_, * FROM %q ORDER BY _rowid_", table)), table)
	}
}

// What the gem saves as a good record is saved alike, by the same keys. Whether it is good is package validate's.
func TestSuiteSaveRecord(t *testing.T) {
	conformance.Each(t, "save_record", "0.8.2", func(t *testing.T, c struct {
		In  records
		Out struct {
			Saved bool
			Rows  records
			DDL   []string
			Error any
			Class string `json:"error_class"`
		}
	}) {
		if !c.Out.Saved {
			assert.Equal(t, "ScraperUtils::UnprocessableRecord", c.Out.Class)
			return
		}
		keys := []string{"council_reference"}
		if c.In[0].Text("authority_label") != "" {
			keys = []string{"authority_label", "council_reference"}
		}
		d := open(t, newPath(t), db.Options{})
		save(t, d.Ledger("data", keys...), c.In[0])
		assert.Equal(t, c.Out.DDL, ddl(t, d))
		assert.Equal(t, []record(c.Out.Rows), query(t, d, "SELECT * FROM data"))
	})
}

// diffCase is a case of morph_diff: what a run changed, as people are shown it, told by row ids.
type diffCase struct {
	In struct {
		Name   string
		Before []string
		Run    []string `json:"run_statements"` // diffRuns does the same
	}
	Out struct{ Records, Tables changes }
}

type changes struct{ Added, Removed, Changed, Unchanged int }

// diffRuns does with this package what the case does with statements.
var diffRuns = map[string]func(t *testing.T, d *db.DB){
	"replace all three, same values": saving("A", 1, "B", 1, "C", 1),
	"replace one, new value":         saving("A", 2),
	"upsert all three, same values":  saving("A", 1, "B", 1, "C", 1),
	"upsert one, new value":          saving("A", 2),
	"insert one new":                 saving("D", 1),
	"delete first then VACUUM": func(t *testing.T, d *db.DB) {
		for _, s := range []string{"DELETE FROM data WHERE council_reference='A'", "VACUUM"} {
			_, err := d.Exec(t.Context(), s)
			require.NoError(t, err)
		}
	},
	"new table scrape_log": func(t *testing.T, d *db.DB) { save(t, d.Ledger("scrape_log", "a"), rec("a", 1)) },
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

func TestSuiteChanges(t *testing.T) {
	conformance.Each(t, "morph_diff", "d18c9dbe", func(t *testing.T, c diffCase) {
		path := newPath(t)
		run(t, another(t, path), c.In.Before...)
		d := open(t, path, db.Options{})
		change := diffRuns[c.In.Name]
		require.NotNil(t, change, "a case that nobody has translated")
		before := tables(t, d)
		change(t, d)
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
		assert.Equal(t, c.Out.Records, found.Records)
		assert.Equal(t, c.Out.Tables, found.Tables)
	})
}
