package family

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
)

// earlierRuns holds what a report says of the two runs of a database, of which noosa failed in the second, against their files, their server and
// the terminal.
func earlierRuns(t *testing.T, path, folder string) {
	t.Helper()
	var ids []string
	for _, r := range rows(t, path, "SELECT substr(began_at, 1, 19) AS id FROM scrape_run ORDER BY began_at") {
		ids = append(ids, r["id"])
	}
	require.Len(t, ids, 2)
	linksOfFiles(t, folder)
	history := pageIn(t, filepath.Join(folder, "history.html"))
	assert.Equal(t, []string{ids[1], ids[0]}, history.Find("table.runs tbody th").Map(func(_ int, s *goquery.Selection) string { return s.Text() }))
	assert.Equal(t, []string{"layout", "technologyone"}, history.Find("table.smalls tbody th").Map(func(_ int, s *goquery.Selection) string { return s.Text() }))
	assert.Equal(t, "noosa", pageIn(t, filepath.Join(folder, "compare.html")).Find("#is-new ~ .box tbody th").Text())

	address, _ := serving(t, "--db", path)
	linksOfServer(t, address)
	_, body := get(t, address+"run/"+ids[0], nil)
	assert.Contains(t, body, "All 2 authorities are well", "as it was then")
	_, body = get(t, address+"compare?a="+ids[1]+"&b="+ids[0], nil)
	assert.Contains(t, body, "Mended 1")
	_, body = get(t, address+"compare?b="+ids[0], nil)
	assert.Contains(t, body, "There is no run before it to compare it with.")
	for query, code := range map[string]int{
		"run/1999": http.StatusNotFound, "run/%3Cscript%3E": http.StatusNotFound, "compare?a=1999": http.StatusNotFound, "compare?percent=x": http.StatusBadRequest,
		"compare?b=" + ids[0]: http.StatusOK, "compare?percent=1000": http.StatusOK,
	} {
		got, body := get(t, address+query, nil)
		assert.Equal(t, code, got, "%s: %s", query, body)
		assert.NotContains(t, body, "<script>alert")
	}

	got := scrape(t, t.Context(), nil, "report", "--db", path, "--compare", ids[0])
	assert.Equal(t, cli.ExitOK, got.code)
	assert.Contains(t, got.stdout, "Run "+ids[1]+" beside run "+ids[0]+"\n")
	assert.Contains(t, got.stdout, "\nFailing now (1): they ended well before\n  noosa: partial (layout), ")
	got = scrape(t, t.Context(), nil, "report", "--db", path, "--compare", ids[1], "--run", ids[0], "--json")
	assert.Contains(t, got.stdout, `"recovered": [`)
	assert.Contains(t, got.stdout, `"authority": "noosa"`)
	got = scrape(t, t.Context(), nil, "report", "--db", path, "--compare", "1999")
	assert.Equal(t, cli.ExitUsage, got.code)
	assert.Contains(t, got.stderr, `can't use "1999": expected one of `+ids[0])
}

// linksOfFiles follows every link of the pages in a folder.
func linksOfFiles(t *testing.T, folder string) {
	t.Helper()
	for _, name := range []string{"index.html", "history.html", "compare.html", "authority/noosa.html", "authority/kyogle.html"} {
		pageIn(t, filepath.Join(folder, name)).Find("a[href]").Each(func(_ int, s *goquery.Selection) {
			if href := s.AttrOr("href", ""); !strings.HasPrefix(href, "#") && !strings.Contains(href, "://") {
				assert.FileExists(t, filepath.Join(folder, filepath.Dir(name), href), "%s of %s", href, name)
			}
		})
	}
}

// linksOfServer follows every link from page to page.
func linksOfServer(t *testing.T, address string) {
	t.Helper()
	base, err := url.Parse(address)
	require.NoError(t, err)
	seen, left := map[string]bool{}, []string{address}
	for len(left) > 0 {
		at := left[0]
		left = left[1:]
		code, body := get(t, at, nil)
		require.Equal(t, http.StatusOK, code, at)
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(body))
		require.NoError(t, err)
		doc.Find("a[href]").Each(func(_ int, s *goquery.Selection) {
			from, _ := url.Parse(at)
			to, err := from.Parse(s.AttrOr("href", ""))
			require.NoError(t, err)
			if to.Fragment = ""; to.Host == base.Host && !seen[to.String()] {
				seen[to.String()] = true
				left = append(left, to.String())
			}
		})
	}
	assert.Greater(t, len(seen), 8)
}
