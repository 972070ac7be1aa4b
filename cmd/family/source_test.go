package family

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils/run/news"
)

// Made-up records never stand beside real ones, whichever came first, and nothing is written by a run that is refused.
func TestSourcesAreNotMixed(t *testing.T) {
	t.Parallel()
	real := newSite(t)
	more := filepath.Join(t.TempDir(), "more.yml")
	writeFile(t, more, "- {authority: mine, platform: icon, url: '"+real+"', period: thisweek}")
	onReal := []string{"--authorities", more, "--authority", "mine", "--attempts", "1", "--no-delay"}
	onBuiltIn := []string{"--fixtures", "--authority", "kyogle", "--no-delay"}
	for _, c := range []struct {
		name          string
		first, second []string
		refused       string
	}{
		{"real sites after built-in ones", onBuiltIn, onReal, "holds made-up records of built-in sites"},
		{"built-in sites after real ones", onReal, onBuiltIn, "holds records of real sites"},
		{"real sites again", onReal, onReal, ""},
		{"built-in sites again", onBuiltIn, onBuiltIn, ""},
	} {
		path := database(t)
		scrape(t, t.Context(), nil, append(c.first, "--db", path)...)
		runs := count(t, path, "scrape_run")
		got := scrape(t, t.Context(), nil, append(c.second, "--db", path)...)
		if c.refused == "" {
			assert.NotEqual(t, cli.ExitUsage, got.code, c.name)
			continue
		}
		assert.Equal(t, cli.ExitUsage, got.code, c.name)
		assert.Contains(t, got.stderr, "scrape: "+path+" "+c.refused, c.name)
		assert.Equal(t, runs, count(t, path, "scrape_run"), c.name)
	}
}

// A database that another program has filled holds real records.
func TestUnknownRecordsAreReal(t *testing.T) {
	t.Parallel()
	path := database(t)
	executed(t, path, "CREATE TABLE data (authority_label, council_reference)")
	args := []string{"--fixtures", "--authority", "kyogle", "--no-delay", "--db", path}
	require.Equal(t, cli.ExitOK, scrape(t, t.Context(), nil, args...).code, "it is empty")
	path = database(t)
	executed(t, path, "CREATE TABLE data (authority_label, council_reference)")
	executed(t, path, "INSERT INTO data VALUES ('kyogle', 'DA/1')")
	args[len(args)-1] = path
	got := scrape(t, t.Context(), nil, args...)
	assert.Equal(t, cli.ExitUsage, got.code)
	assert.Contains(t, got.stderr, "holds records of real sites")
}

// Built-in sites have a file of their own, and what shows it says so.
func TestBuiltInSitesHaveTheirOwnFile(t *testing.T) {
	t.Chdir(t.TempDir())
	got := scrape(t, t.Context(), nil, "--fixtures", "--authority", "kyogle", "--no-delay")
	require.Equal(t, cli.ExitOK, got.code, got.stderr)
	assert.Contains(t, got.stdout, "WRN built-in sites are scraped: their records are made up\n")
	assert.NoFileExists(t, "data.sqlite")
	assert.FileExists(t, "evidence/good-fixtures/icon/kyogle.yml")
	assert.NoDirExists(t, "evidence/good", "that is of real sites")
	_, err := os.Stat("try.sqlite")
	require.NoError(t, err)
	for _, command := range []string{"list", "report"} {
		got := scrape(t, t.Context(), nil, command, "--db", "try.sqlite")
		assert.Regexp(t, "^"+news.MadeUp+"\n", got.stdout, command)
	}
	for _, out := range []string{"report.html", "pages/"} {
		got := scrape(t, t.Context(), nil, "report", "--html", "--db", "try.sqlite", "-o", out)
		require.Equal(t, cli.ExitOK, got.code, got.stderr)
	}
	for _, page := range []string{"report.html", "pages/index.html", "pages/authority/kyogle.html"} {
		assert.Contains(t, string(must(os.ReadFile(page))), news.MadeUp, page)
	}
}

// executed runs a statement on a database, as another program does.
func executed(t *testing.T, path, statement string) {
	t.Helper()
	d, err := db.Open(t.Context(), path, db.Options{})
	require.NoError(t, err)
	_, err = d.Exec(t.Context(), statement)
	require.NoError(t, err)
	require.NoError(t, d.Close())
}
