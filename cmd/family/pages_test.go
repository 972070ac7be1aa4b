package family

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
)

func pageIn(t *testing.T, path string) *goquery.Document {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(string(text)))
	require.NoError(t, err)
	return doc
}

// A folder of pages: an index, and what is to be known of each authority, with the page that its scraper could not read.
func TestReportAsPages(t *testing.T) {
	t.Parallel()
	path := database(t)
	scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "noosa,kyogle", "--db", path)
	scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "noosa,kyogle", "--misbehave", "noosa=layout-later", "--db", path)

	folder := filepath.Join(t.TempDir(), "pages") + "/"
	require.Equal(t, ended{code: cli.ExitOK}, scrape(t, t.Context(), nil, "report", "--html", "-o", folder, "--db", path))
	index := pageIn(t, filepath.Join(folder, "index.html"))
	assert.Equal(t, []string{"authority/noosa.html"}, index.Find(".items h4 a").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("href", "") }))
	index.Find("#table tbody th a").Each(func(_ int, s *goquery.Selection) { assert.FileExists(t, filepath.Join(folder, s.AttrOr("href", ""))) })
	assert.Equal(t, 2, index.Find("#table tbody th a").Length())

	noosa := pageIn(t, filepath.Join(folder, "authority", "noosa.html"))
	assert.Equal(t, "noosa", noosa.Find("h1").Text())
	assert.Contains(t, noosa.Find(".facts").Text(), "technologyone")
	assert.Equal(t, 2, noosa.Find(".runs tbody tr").Length())
	assert.Contains(t, noosa.Find(".exhibit[open] .missing").Text(), "no table.grid in ")
	assert.Contains(t, noosa.Find(".exhibit[open] iframe").AttrOr("srcdoc", ""), "Our new web site", "the page as it looked")
	assert.Contains(t, noosa.Find(".worked").Text(), "When it last worked: 200 ")
	assert.Contains(t, noosa.Find(".worked + iframe").AttrOr("srcdoc", ""), "grid", "the page as it looked then")
	assert.Contains(t, noosa.Find(".command code").Text(), "scrape page noosa --diff --db "+path)
	evidence := outcome(t, path, "noosa")["evidence"]
	good := filepath.Join(filepath.Dir(evidence), "good-fixtures")
	require.NoError(t, os.RemoveAll(good))
	scrape(t, t.Context(), nil, "report", "--html", "-o", folder, "--db", path)
	assert.NotContains(t, pageIn(t, filepath.Join(folder, "authority", "noosa.html")).Text(), "--diff", "there is no good recording to compare it with")

	kyogle := pageIn(t, filepath.Join(folder, "authority", "kyogle.html"))
	assert.Zero(t, kyogle.Find("#evidence").Length())

	earlierRuns(t, path, folder)

	require.NoError(t, os.RemoveAll(evidence))
	require.Equal(t, ended{code: cli.ExitOK}, scrape(t, t.Context(), nil, "report", "--html", "-o", strings.TrimSuffix(folder, "/"), "--db", path), "a folder that is there needs no slash")
	assert.Contains(t, pageIn(t, filepath.Join(folder, "authority", "noosa.html")).Text(), "The recording is not there any more")

	got := scrape(t, t.Context(), nil, "report", "--html", "-o", path+"/", "--db", path)
	assert.Equal(t, cli.ExitUnexpected, got.code)
	assert.Contains(t, got.stderr, "not a directory")
}
