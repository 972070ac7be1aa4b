package family

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

// A full disk is everybody's: it ends the run at once and is told once; all have their row where a row still fits.
func TestFullDiskEndsTheRun(t *testing.T) {
	t.Parallel()
	tries := 0
	large := func(ctx context.Context, v *site.Visit) error {
		tries++
		r := scraperutils.Record{{Name: "council_reference", Value: "DA/1"}, {Name: "address", Value: "1 High St, Town NSW 2000"},
			{Name: "description", Value: strings.Repeat("x", 1_000_000)}, {Name: "info_url", Value: "http://a.example/"}, {Name: "date_scraped", Value: "2026-05-07"}}
		if err := v.Sink.Save(ctx, r); err != nil { // past the limit that a visit has for texts
			return err
		}
		<-ctx.Done()
		return context.Cause(ctx)
	}
	waits := func(ctx context.Context, _ *site.Visit) error { <-ctx.Done(); return context.Cause(ctx) }
	got, path := scrapeWith(t, t.Context(), &runCommand{family: councils}, defaults(t), map[string]scraperFunc{"large": large, "waits": waits}, "PRAGMA max_page_count = 60")
	assert.Equal(t, cli.ExitUnexpected, got.code)
	assert.Equal(t, fmt.Sprintf("ERROR: database %q: there is no room on the disk: make some, or give another path (database or disk is full)\n", path), got.stderr)
	assert.Equal(t, 1, tries, "no second attempt")
	for _, label := range []string{"large", "waits"} {
		assert.Equal(t, "interrupted", outcome(t, path, label)["status"], label)
	}
	assert.Equal(t, "1", rows(t, path, "SELECT CAST(exit_code AS TEXT) AS code FROM scrape_run")[0]["code"])
}

// Whatever becomes of the file under a run, there is one line about it, even at the very end.
func TestDatabaseTakenAwayEndsTheRun(t *testing.T) {
	t.Parallel()
	for name, scrape := range map[string]func(path *string) scraperFunc{
		"before a record is saved": func(path *string) scraperFunc {
			return func(ctx context.Context, v *site.Visit) error {
				if err := os.Remove(*path); err != nil {
					return err
				}
				return register.Save(ctx, v, application(1))
			}
		},
		"before the last rows": func(path *string) scraperFunc {
			return func(context.Context, *site.Visit) error { return os.Remove(*path) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := &runCommand{family: councils}
			got, path := scrapeWith(t, t.Context(), c, defaults(t), map[string]scraperFunc{"a": scrape(&c.DB)})
			assert.Equal(t, cli.ExitUnexpected, got.code)
			assert.Regexp(t, "^ERROR: database .* it was deleted, moved or replaced while it was in use: nothing more can be saved to it.*\n$", got.stderr)
			assert.NoFileExists(t, path)
		})
	}
}

// A database that is damaged where the run begins to read it is refused as one that does not open.
func TestDamagedDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	path := database(t)
	require.Equal(t, cli.ExitOK, scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "kyogle", "--db", path).code)
	root := rows(t, path, "SELECT CAST(rootpage AS TEXT) AS page FROM sqlite_schema WHERE name = 'authority_history'")[0]["page"]
	var page int64
	_, err := fmt.Sscan(root, &page)
	require.NoError(t, err)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = file.WriteAt([]byte(strings.Repeat("\xaa", 4096)), (page-1)*4096)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	for _, args := range [][]string{{"--fixtures", "--no-delay", "--authority", "kyogle", "--db", path}, {"list", "--db", path}, {"report", "--db", path}} {
		got := scrape(t, t.Context(), nil, args...)
		assert.Contains(t, got.stderr, "it is damaged: move it away, or bring back a copy", args)
		assert.Equal(t, 1, strings.Count(got.stderr, "\n"), args)
	}
	got := scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "kyogle", "--db", path)
	assert.Equal(t, cli.ExitUsage, got.code, "nothing ran")
}

// A table in which councils would overwrite each other is refused before anything runs.
func TestTableOfOneKeyIsRefused(t *testing.T) {
	t.Parallel()
	for table, made := range map[string]string{
		"data":              "CREATE TABLE data (authority_label, council_reference UNIQUE)",
		"rejected":          "CREATE TABLE rejected (authority_label UNIQUE, run_at, record)",
		"scrape_log":        "CREATE TABLE scrape_log (authority_label UNIQUE, run_at)",
		"scrape_summary":    "CREATE TABLE scrape_summary (run_at, attempt UNIQUE)",
		"scrape_run":        "CREATE TABLE scrape_run (began_at, day UNIQUE)",
		"scrape_timeline":   "CREATE TABLE scrape_timeline (authority_label, run_at UNIQUE)",
		"authority_history": "CREATE TABLE authority_history (authority_label, last_verdict UNIQUE)",
	} {
		t.Run(table, func(t *testing.T) {
			path := database(t)
			d, err := db.Open(t.Context(), path, db.Options{})
			require.NoError(t, err)
			_, err = d.Exec(t.Context(), made)
			require.NoError(t, err)
			require.NoError(t, d.Close())
			got := scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "kyogle", "--db", path)
			assert.Equal(t, cli.ExitUsage, got.code)
			assert.Empty(t, got.stdout)
			assert.Contains(t, got.stderr, fmt.Sprintf(`rows of table %s would overwrite each other: the unique index "sqlite_autoindex_%s_1" over `, table, table))
			assert.Equal(t, 1, strings.Count(got.stderr, "\n"))
		})
	}
}
