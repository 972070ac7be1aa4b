package history_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/run/history"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// manyNights is a database of 90 nights of so many authorities. The last one is written as runs write it, and repeated on the days before.
func manyNights(t testing.TB, authorities int) nights {
	n := newNights(t)
	var outcomes []runlog.Outcome
	for i := range authorities {
		o := filled(fmt.Sprintf("authority_%d", i), 10)
		if i%20 == 3 {
			o = broken(o.Authority, strings.Repeat("no table.grid in https://da.council.example/Common/Common/terms.aspx ", 6))
		}
		outcomes = append(outcomes, o)
	}
	n.run(0, nil, outcomes...)
	for _, table := range []struct {
		name, dated string
		nights      int
	}{{"scrape_run", "began_at", 90}, {"authority_run", "run_at", 90}, {"authority_yield", "run_at", 90}, {"scrape_log", "run_at", runlog.KeepDays}} {
		var values []string
		for row, err := range n.Query(t.Context(), "SELECT name FROM pragma_table_info(?)", table.name) {
			require.NoError(t, err)
			name := row.Text("name")
			value := name
			switch name {
			case table.dated, "ended_at", "day":
				value = "date(substr(" + name + ", 1, 10), '-' || night || ' days') || substr(" + name + ", 11)"
			}
			values = append(values, value)
		}
		_, err := n.Exec(t.Context(), fmt.Sprintf(`WITH RECURSIVE nights(night) AS (SELECT 1 UNION ALL SELECT night + 1 FROM nights WHERE night < %d)
			INSERT INTO %s SELECT %s FROM %s, nights`, table.nights-1, table.name, strings.Join(values, ", "), table.name))
		require.NoError(t, err)
	}
	return n
}

// A page of 90 nights is read in less than a second, whatever it shows.
func BenchmarkRead(b *testing.B) {
	for _, authorities := range []int{143, 1000} {
		n := manyNights(b, authorities)
		h, err := history.Read(b.Context(), n, view)
		require.NoError(b, err)
		require.Len(b, h.Runs, 90)
		require.Equal(b, authorities, h.Runs[0].Asked)
		require.Positive(b, h.Runs[0].Bad)
		require.Equal(b, h.Runs[0].Records, h.Runs[89].Records)
		for name, read := range map[string]func() error{
			"history":   func() error { _, err := history.Read(b.Context(), n, view); return err },
			"compare":   func() error { _, err := history.Compare(b.Context(), n, view, history.Question{}); return err },
			"authority": func() error { _, err := history.ReadPast(b.Context(), n, "authority_3"); return err },
			"last":      func() error { _, err := report.Read(b.Context(), n, report.View{Now: time.Now()}); return err },
			"one of long ago": func() error {
				_, err := report.Read(b.Context(), n, report.View{Now: time.Now(), Run: h.Runs[2].Name})
				return err
			},
		} {
			b.Run(fmt.Sprintf("%s of %d", name, authorities), func(b *testing.B) {
				for b.Loop() {
					require.NoError(b, read())
				}
			})
		}
	}
}
