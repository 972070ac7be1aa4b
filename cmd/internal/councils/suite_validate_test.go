package councils

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
)

// validateCase tells the database of a case in words.
type validateCase struct {
	In struct {
		DB     string
		Args   string
		Other  string `json:"other_yml"`
		DotYML string `json:"dot_yml"`
	}
	Out struct {
		Exit     int
		Output   []string
		Uncaught string
	}
}

// gone is where nobody listens. No server of a test is given that port.
const gone = "http://127.0.0.1:1"

func TestSuiteValidate(t *testing.T) {
	conformance.Each(t, "validate_scraper_data_exe", "0.15.0", func(t *testing.T, c validateCase) {
		t.Chdir(t.TempDir())
		for name, text := range map[string]string{"other.yml": c.In.Other, ".scraper_validation.yml": c.In.DotYML} {
			if text != "" {
				writeFile(t, name, text)
			}
		}
		validated(t, c.In.DB, gone)
		got := scrape(t, nil, append([]string{"validate"}, strings.Fields(c.In.Args)...)...)
		assert.Equal(t, c.Out.Exit, got.code)
		said := strings.ReplaceAll(strings.TrimSuffix(got.stdout, "\n"), gone, "INFO_URL")
		assert.Equal(t, c.Out.Output, strings.Split(said, "\n"))
		uncaught, _, _ := strings.Cut(strings.TrimSuffix(got.stderr, "\n"), ": dial ") // what the gem did not catch is an error like any other
		if uncaught != "" {
			uncaught = "ScraperUtils::UnprocessableSite: " + strings.TrimPrefix(uncaught, "scrape: ")
		}
		assert.Equal(t, c.Out.Uncaught, uncaught)
	})
}

// validated makes the database data.sqlite that a case tells in words.
func validated(t *testing.T, words, gone string) {
	t.Helper()
	const path = "data.sqlite"
	switch words {
	case "", "absent":
	case "no data table":
		executed(t, path, "CREATE TABLE other (a)")
	case "empty data table":
		executed(t, path, "CREATE TABLE data (a)")
	case "10 bad addresses":
		filled(t, path, 10, func(i int) scraperutils.Record {
			return goodRecord(i, fmt.Sprint("https://e.gov.au/", i)).With("address", fmt.Sprint("nowhere ", i))
		})
	case "good rows, one global info_url that refuses connections":
		filled(t, path, 10, func(i int) scraperutils.Record { return goodRecord(i, gone) })
	default:
		require.Fail(t, "a database that nobody has translated", words)
	}
}

// executed makes a database by a statement.
func executed(t *testing.T, path, statement string) {
	t.Helper()
	d, err := db.Open(t.Context(), path, db.Options{})
	require.NoError(t, err)
	_, err = d.Exec(t.Context(), statement)
	require.NoError(t, err)
	require.NoError(t, d.Close())
}
