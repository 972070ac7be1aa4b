package family

import (
	"context"
	"encoding/json"
	"fmt"
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

var cleanUpDay = time.Date(2025, 5, 7, 0, 0, 0, 0, time.UTC)

// aged opens a database with a row of the table data for each age in days: A31 was scraped 31 days ago.
func aged(t *testing.T, ages ...int) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), filepath.Join(t.TempDir(), "data.sqlite"), db.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	rows := d.Ledger("data", "council_reference")
	for _, age := range ages {
		require.NoError(t, rows.Save(scraperutils.Record{
			{Name: "council_reference", Value: fmt.Sprint("A", age)},
			{Name: "date_scraped", Value: daysAgo(age)},
			{Name: "description", Value: strings.Repeat("x", 100_000)}, // so that its space is worth something
		}))
	}
	require.NoError(t, rows.Settle(t.Context()))
	return d
}

func daysAgo(n int) string { return cleanUpDay.AddDate(0, 0, -n).Format(time.DateOnly) }

// readColumn reads the only column of a query.
func readColumn(t *testing.T, d *db.DB, query string) []string {
	t.Helper()
	values := []string{}
	for r, err := range d.Query(t.Context(), query) {
		require.NoError(t, err)
		values = append(values, r.Text(r[0].Name))
	}
	return values
}

func TestSuiteCleanUp(t *testing.T) {
	conformance.Each(t, "cleanup_old_records", "0.15.0", func(t *testing.T, c struct {
		In struct {
			Ages  []int `json:"ages_in_days"`
			Env   map[string]string
			Force bool
			Table string
		}
		Out json.RawMessage
	}) {
		var want struct {
			Remaining []string
			Stdout    string
		}
		if c.In.Table == "absent" {
			conformance.Decode(t, c.Out, &want.Stdout)
		} else {
			conformance.Decode(t, c.Out, &want)
		}
		d := aged(t, c.In.Ages...)
		line, err := councils.Table.cleanUp(t.Context(), d, cleanUpDay, runlog.KeepDays, c.In.Force || c.In.Env["VACUUM"] != "")
		require.NoError(t, err)
		assert.Equal(t, strings.TrimSuffix(want.Stdout, "\n"), line)
		if c.In.Table == "absent" {
			return
		}
		assert.Equal(t, want.Remaining, readColumn(t, d, "SELECT council_reference FROM data ORDER BY date_scraped DESC"))
		reclaimed := len(want.Remaining) == len(c.In.Ages) || strings.Contains(want.Stdout, "VACUUM")
		assert.Equal(t, reclaimed, readColumn(t, d, "PRAGMA freelist_count")[0] == "0", "whether the space of what went is given back")
	})
}

func TestCleanUpGivesSpaceBack(t *testing.T) {
	d := aged(t, 0, 31)
	line, err := councils.Table.cleanUp(t.Context(), d, cleanUpDay, runlog.KeepDays, true)
	require.NoError(t, err)
	assert.Equal(t, "Deleting 1 applications scraped between 2025-04-06 and 2025-04-07\n  Running VACUUM to reclaim space...", line)
	assert.Equal(t, []string{"0"}, readColumn(t, d, "PRAGMA freelist_count"))
}

// What was rejected goes as what was saved does, whether there is a table data or not.
func TestCleanUpOfRejected(t *testing.T) {
	for name, ages := range map[string][]int{"beside data": {0, 31}, "alone": nil} {
		t.Run(name, func(t *testing.T) {
			d := aged(t, ages...)
			rejected := d.Ledger("rejected", "council_reference")
			for _, age := range []int{0, 30, 31} {
				require.NoError(t, rejected.Save(scraperutils.Record{
					{Name: "council_reference", Value: fmt.Sprint("R", age)},
					{Name: "run_at", Value: daysAgo(age) + "T12:00:00+00:00"},
				}))
			}
			require.NoError(t, rejected.Settle(t.Context()))
			for range 2 { // the second time there is nothing to do
				_, err := councils.Table.cleanUp(t.Context(), d, cleanUpDay, runlog.KeepDays, false)
				require.NoError(t, err)
				assert.Equal(t, []string{"R0", "R30"}, readColumn(t, d, "SELECT council_reference FROM rejected ORDER BY run_at DESC"))
			}
		})
	}
}

// Tables without the columns that say how old a row is have no old rows.
func TestCleanUpOfUndatedTables(t *testing.T) {
	d := aged(t)
	for _, s := range []string{"CREATE TABLE data (a)", "INSERT INTO data VALUES (1)", "CREATE TABLE rejected (a)", "INSERT INTO rejected VALUES (1)"} {
		_, err := d.Exec(t.Context(), s)
		require.NoError(t, err)
	}
	line, err := councils.Table.cleanUp(t.Context(), d, cleanUpDay, runlog.KeepDays, true)
	require.NoError(t, err)
	assert.Empty(t, line)
	assert.Equal(t, []string{"1", "1"}, readColumn(t, d, "SELECT a FROM data UNION ALL SELECT a FROM rejected"))
}

func TestCleanUpThatCannotRead(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := councils.Table.cleanUp(ctx, aged(t, 31), cleanUpDay, runlog.KeepDays, false)
	assert.ErrorIs(t, err, context.Canceled)
}

// Who wants to keep records longer, or less long, says so.
func TestCleanUpKeeps(t *testing.T) {
	for keepDays, want := range map[int][]string{30: {"A0", "A30"}, 7: {"A0"}, 40: {"A0", "A30", "A31", "A40"}, 0: {"A0", "A30", "A31", "A40", "A4000"}} {
		d := aged(t, 0, 30, 31, 40, 4000)
		_, err := councils.Table.cleanUp(t.Context(), d, cleanUpDay, keepDays, false)
		require.NoError(t, err)
		assert.Equal(t, want, readColumn(t, d, "SELECT council_reference FROM data ORDER BY date_scraped DESC"), keepDays)
	}
}
