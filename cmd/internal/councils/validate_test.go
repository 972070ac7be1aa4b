package councils

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// filled makes a database with n records.
func filled(t *testing.T, path string, n int, record func(i int) scraperutils.Record) {
	t.Helper()
	d, err := db.Open(t.Context(), path, db.Options{})
	require.NoError(t, err)
	ledger := d.Ledger("data", "council_reference")
	for i := range n {
		require.NoError(t, ledger.Save(record(i)))
	}
	require.NoError(t, ledger.Settle(t.Context()))
	require.NoError(t, d.Close())
}

func goodRecord(i int, url string) scraperutils.Record {
	return scraperutils.Record{
		{Name: "council_reference", Value: fmt.Sprintf("DA/%d", i)}, {Name: "address", Value: fmt.Sprintf("%d Hill St, Lismore NSW 2480", i)},
		{Name: "description", Value: fmt.Sprintf("Construction of shed %d", i)}, {Name: "info_url", Value: url}, {Name: "date_scraped", Value: "2025-05-07"},
	}
}

func TestValidate(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		i := strings.TrimPrefix(r.URL.Path, "/")
		fmt.Fprintf(w, "<p>DA/%s %s Hill St, Lismore NSW 2480 Construction of shed %s", i, i, i)
	}))
	defer server.Close()

	t.Run("no database", func(t *testing.T) {
		t.Chdir(t.TempDir())
		got := scrape(t, nil, "validate")
		assert.Equal(t, ended{1, "Error: Database file 'data.sqlite' not found\n", ""}, got)
	})
	t.Run("no table", func(t *testing.T) {
		t.Chdir(t.TempDir())
		d, err := db.Open(t.Context(), "data.sqlite", db.Options{})
		require.NoError(t, err)
		_, err = d.Exec(t.Context(), "CREATE TABLE other (a)")
		require.NoError(t, err)
		require.NoError(t, d.Close())
		assert.Equal(t, ended{1, "Error reading database: no such table: data\n", ""}, scrape(t, nil, "validate"))
	})
	t.Run("an empty table", func(t *testing.T) {
		t.Chdir(t.TempDir())
		filled(t, "data.sqlite", 1, func(i int) scraperutils.Record { return goodRecord(i, server.URL) })
		d, err := db.Open(t.Context(), "data.sqlite", db.Options{})
		require.NoError(t, err)
		_, err = d.Exec(t.Context(), "DELETE FROM data")
		require.NoError(t, err)
		require.NoError(t, d.Close())
		assert.Equal(t, ended{1, "No data found in database\n", ""}, scrape(t, nil, "validate"))
	})
	t.Run("bad addresses", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "data.sqlite")
		filled(t, path, 10, func(i int) scraperutils.Record {
			return goodRecord(i, server.URL).With("address", fmt.Sprint("nowhere ", i))
		})
		got := scrape(t, nil, "validate", path)
		assert.Equal(t, 1, got.code)
		assert.Equal(t, "Validating 10 records from "+path+"...\n\nFound 0 out of 10 unique geocodable addresses (0.0%)\n", got.stdout)
		assert.Equal(t, "scrape: Expected at least 2.0 (50% - 3) geocodable addresses, got 0\n", got.stderr)
		got = scrape(t, nil, "validate", path, "--geocodable-percentage", "10", "--geocodable-variation", "10")
		assert.Contains(t, got.stderr, "Expected at least 1 (10% - 10) geocodable addresses, got 0")
	})
	t.Run("a page that is gone", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "data.sqlite")
		filled(t, path, 10, func(i int) scraperutils.Record { return goodRecord(i, gone) })
		got := scrape(t, nil, "validate", path)
		assert.Equal(t, 1, got.code)
		assert.Contains(t, got.stderr, "connection refused")
	})
	t.Run("all is well", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "data.sqlite")
		filled(t, path, 4, func(i int) scraperutils.Record { return goodRecord(i, fmt.Sprintf("%s/%d", server.URL, i)) })
		got := scrape(t, nil, "validate", path)
		assert.Equal(t, 0, got.code, got.stdout+got.stderr)
		assert.Contains(t, got.stdout, "100.0% detail checks passed (0/12 failed)!")
	})
	t.Run("a file of settings", func(t *testing.T) {
		t.Chdir(t.TempDir())
		writeFile(t, "other.yml", "database: nope.sqlite")
		want := "Loaded config from other.yml\nError: Database file 'nope.sqlite' not found\n"
		assert.Equal(t, want, scrape(t, nil, "validate", "-c", "other.yml").stdout)
		writeFile(t, ".scraper_validation.yml", "database: mine.sqlite")
		assert.Equal(t, strings.ReplaceAll(strings.ReplaceAll(want, "nope", "mine"), "other.yml", ".scraper_validation.yml"), scrape(t, nil, "validate").stdout)
		assert.Contains(t, scrape(t, nil, "validate", "flag.sqlite").stdout, "'flag.sqlite' not found", "flags win")
	})
}

func TestNew(t *testing.T) {
	t.Parallel()
	got := scrape(t, nil, "new", "knox2", "--platform", "epathway", "--url", "https://eservices.knox.vic.gov.au/ePathway/Production", "--state", "VIC", "--fixtures", "--records", "2")
	assert.Equal(t, cli.ExitOK, got.code, got.stdout)
	for _, want := range []string{
		"Trying {authority: knox2, platform: epathway, url: https://eservices.knox.vic.gov.au/ePathway/Production, list: last_30_days, state: VIC}\n",
		"    a table: OUR REFERENCE: = council_reference | SUBMITTED: = date_received | DESCRIPTION: = description | ",
		"\nrecord 1\n  council_reference ",
		"\nrecord 2\n",
		"\n- {authority: knox2, platform: epathway, url: https://eservices.knox.vic.gov.au/ePathway/Production, list: advertising, state: VIC}\n",
	} {
		assert.Contains(t, got.stdout, want)
	}
	assert.NotContains(t, got.stdout, "record 3")

	got = scrape(t, nil, "new", "x", "--platform", "technologyone", "--url", "https://eservices.knox.vic.gov.au/ePathway/Production", "--fixtures")
	assert.Equal(t, cli.ExitUnexpected, got.code)
	assert.Contains(t, got.stdout, "it ended with: http-5xx - ")
	assert.Contains(t, got.stdout, "No record was found.")
}
