package runlog_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// exception is an error as Ruby has it: class, text and, in some suites, backtrace.
type exception struct {
	class, text string
	backtrace   []string
}

func (e *exception) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&e.class, &e.text, &e.backtrace})
}

func (e *exception) Error() string { return e.text }

func (e *exception) Class() scraperutils.Class { return scraperutils.Class(e.class) } // stands where ours do

func (e *exception) StackLines() []string { return e.backtrace }

// attempted is what became of authorities.
type attempted struct {
	Authorities []string
	Stats       map[string]struct{ Saved, Unprocessed int }
	Exceptions  map[string]*exception
}

func (a attempted) outcomes() (all []runlog.Outcome) {
	for _, label := range a.Authorities {
		o := runlog.Outcome{Authority: label, Attempt: 1, Saved: a.Stats[label].Saved, Unprocessable: a.Stats[label].Unprocessed}
		if e := a.Exceptions[label]; e != nil {
			o.Err = e
		}
		all = append(all, runlog.Judge(o, runlog.History{}, runAt))
	}
	return all
}

// ourColumns are those that stand behind the gem's.
var ourColumns = []string{"verdict", "failure_class", "duration", "requests", "evidence", "authorities_file", "remark", "source"}

// tables are the two tables of a run as the gem has them, with the statements that made them.
type tables struct {
	Log     []map[string]any `json:"scrape_log"`
	Summary []map[string]any `json:"scrape_summary"`
	DDL     []string
}

func (h house) gemTables(t *testing.T) tables {
	t.Helper()
	found := tables{Log: h.rows(t, "SELECT * FROM scrape_log ORDER BY authority_label"), Summary: h.rows(t, "SELECT * FROM scrape_summary")}
	for _, r := range h.rows(t, "SELECT sql FROM sqlite_schema WHERE tbl_name IN ('scrape_log', 'scrape_summary') AND sql IS NOT NULL ORDER BY tbl_name, type DESC") {
		sql := r["sql"].(string)
		for _, name := range ourColumns {
			if strings.HasPrefix(sql, "CREATE TABLE scrape_log ") {
				require.Contains(t, sql, "'"+name+"'")
				sql = strings.NewReplacer(",'"+name+"'", "", ", '"+name+"'", "").Replace(sql)
			}
		}
		found.DDL = append(found.DDL, sql)
	}
	for _, row := range found.Log {
		for _, name := range ourColumns {
			delete(row, name)
		}
	}
	text, err := json.Marshal(found) // so that numbers are those of JSON
	require.NoError(t, err)
	found = tables{}
	require.NoError(t, json.Unmarshal(text, &found))
	return found
}

type logCase struct {
	In struct {
		Start     string
		NowOffset float64 `json:"now_offset"`
		Attempt   int
		attempted
		Existing [][3]string `json:"existing_rows"` // table, authority, when
		FreshDDL bool        `json:"ddl_on_fresh_db"`
	}
	Out json.RawMessage
}

func TestSuiteLog(t *testing.T) {
	conformance.Each(t, "log_scraping_run", "0.8.2", func(t *testing.T, c logCase) {
		path := filepath.Join(t.TempDir(), "data.sqlite")
		d, err := db.Open(t.Context(), path, db.Options{})
		require.NoError(t, err)
		for _, row := range c.In.Existing {
			l := d.Ledger(row[0], "authority_label", "run_at")
			require.NoError(t, l.Save(scraperutils.Record{{Name: "authority_label", Value: row[1]}, {Name: "run_at", Value: row[2]}}))
			require.NoError(t, l.Settle(t.Context()))
		}
		require.NoError(t, d.Close())

		began := runAt
		if c.In.Start != "" {
			began, err = time.Parse(time.RFC3339, c.In.Start)
			require.NoError(t, err)
		}
		h := open(t, path, began)
		if c.In.FreshDDL {
			c.In.Authorities = []string{"good"}
		}
		outcomes := c.In.outcomes()
		for _, o := range outcomes {
			_, err := h.log.Ended(began, o)
			require.NoError(t, err)
		}
		require.NoError(t, h.log.Summarise(t.Context(), began, 1, time.Duration(c.In.NowOffset*float64(time.Second)), outcomes))
		found := h.gemTables(t)
		if c.In.FreshDDL {
			var want []string
			conformance.Decode(t, c.Out, &want)
			assert.Equal(t, want, found.DDL)
			return
		}
		var want tables
		conformance.Decode(t, c.Out, &want)
		assert.Equal(t, want, found)
	})
}

func TestSuiteBacktrace(t *testing.T) {
	conformance.Each(t, "backtrace", "0.8.2", func(t *testing.T, c struct {
		In  struct{ Backtrace []string }
		Out struct {
			Meaningful           *string
			ProjectLine          *string `json:"project_line"`
			ProjectLineFormatted *string `json:"project_line_formatted"`
		}
	}) {
		err := &exception{backtrace: c.In.Backtrace}
		text := func(s *string) string {
			if s == nil {
				return ""
			}
			return *s
		}
		line := runlog.ProjectLine(err)
		assert.Equal(t, text(c.Out.Meaningful), strings.Join(runlog.BacktraceOf(err), "\n"))
		assert.Equal(t, text(c.Out.ProjectLineFormatted), line)
		assert.Equal(t, text(c.Out.ProjectLine), strings.Trim(line, " []"))
	})
}
