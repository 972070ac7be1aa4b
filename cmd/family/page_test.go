package family

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// The recordings of councils of all platforms can be looked at: each has a page, and its list of exchanges is whole.
func TestPageOfRecordings(t *testing.T) {
	t.Parallel()
	cassettes := filepath.Join(shared(t, "councils"), "cassettes")
	for label, want := range map[string]string{
		"kyogle":         `elements  (?s:.*)tables|elements  `,
		"bayside_vic":    `headings  .*Planning Application Register`,
		"ballarat":       `tables    table`,
		"cowra":          `elements  .*root \| run_query_action_return`,
		"broken_hill":    `elements  draw \| recordsTotal`,
		"cockburn":       `tables    table#ctl00_Content_cusResultsGrid_repWebGrid_ctl00_grdWebGridTabularView.grid`,
		"ashfield_empty": `elements  response`,
	} {
		got := scrape(t, t.Context(), nil, "page", label, "--replay", cassettes)
		if assert.Equal(t, cli.ExitOK, got.code, label+got.stderr) {
			assert.Regexp(t, `(?m)^   1  [23]\d\d  GET  http`, got.stdout, label)
			assert.Regexp(t, want, got.stdout, label)
		}
	}
}

// From "noosa failed" to the element that is missing, and to the selector that finds what is there now, it is three commands.
func TestPageOfAFailure(t *testing.T) {
	t.Parallel()
	path := database(t)
	args := []string{"--fixtures", "--no-delay", "--attempts", "1", "--authority", "noosa", "--db", path}
	page := func(flags ...string) ended {
		return scrape(t, t.Context(), nil, append([]string{"page", "noosa", "--db", path}, flags...)...)
	}
	none := page()
	assert.Equal(t, cli.ExitUsage, none.code)
	assert.Contains(t, none.stderr, "scrape: no failure of technologyone/noosa is kept in ")
	assert.Contains(t, none.stderr, "--live asks the site now")
	require.Equal(t, cli.ExitOK, scrape(t, t.Context(), nil, args...).code)
	require.Equal(t, cli.ExitUnexpected, scrape(t, t.Context(), nil, append(args, "--misbehave", "noosa=layout")...).code)

	first := page()
	assert.Equal(t, cli.ExitOK, first.code, first.stderr)
	assert.Contains(t, first.stdout, "\n  failed (layout): no table.grid in https://")
	assert.Contains(t, first.stdout, "\n  headings  Our new web site\n")
	second := page("--diff")
	assert.Equal(t, cli.ExitUnexpected, second.code)
	assert.Contains(t, second.stdout, "The first page that differs is page 2: GET https://noo-web")
	assert.Contains(t, second.stdout, "\n  tables    gone: table#ctl00_Content_cusResultsGrid_repWebGrid_ctl00_grdWebGridTabularView.grid")
	third := page("--select", "h1", "-p", "2")
	assert.Equal(t, cli.ExitOK, third.code)
	assert.Contains(t, third.stdout, "page 2: 1 match\n  <h1> Our new web site\n")

	for _, c := range []struct {
		flags []string
		code  int
		says  string
	}{
		{[]string{"--good"}, cli.ExitOK, "the last good recording"},
		{[]string{"--good", "--select", "table.grid tr", "--html", "-p", "2"}, cli.ExitOK, "<tr"},
		{[]string{"--select", "table.grid"}, cli.ExitUnexpected, "table.grid finds nothing on page 2"},
		{[]string{"--select", "[["}, cli.ExitUsage, "expected a CSS selector"},
		{[]string{"-p", "9"}, cli.ExitUsage, "there is no page 9"},
		{[]string{"--good", "--live"}, cli.ExitUsage, "can't be used together"},
		{[]string{"--live", "--fixtures"}, cli.ExitOK, "asked now, for 5 records"},
		{[]string{"--live", "--fixtures", "--diff"}, cli.ExitOK, "No page differs from the good recording"},
		{[]string{"--live", "--fixtures", "--misbehave", "noosa=layout", "--diff"}, cli.ExitUnexpected, "it ended with: layout"},
	} {
		got := page(c.flags...)
		assert.Equal(t, c.code, got.code, "%s %s", c.flags, got.stderr)
		assert.Contains(t, got.stdout+got.stderr, c.says, c.flags)
	}
}

// Any page can be looked at, and what stays of it is what a scraper reads, in UTF-8.
func TestPageOfAnyURL(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			w.Header().Set("Content-Type", "text/html; charset=windows-1252")
			fmt.Fprint(w, "<title>Caf\xe9 ", hostile, "</title>")
		case "/robots.txt":
			fmt.Fprint(w, "User-agent: *\nDisallow: /secret")
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	out := filepath.Join(t.TempDir(), "page.html")
	got := scrape(t, t.Context(), nil, "page", server.URL+"/page", "-o", out)
	require.Equal(t, cli.ExitOK, got.code, got.stderr)
	assert.True(t, strings.HasPrefix(string(must(os.ReadFile(out))), "<title>Café "))
	got = scrape(t, t.Context(), nil, "page", server.URL+"/page")
	assert.Equal(t, cli.ExitOK, got.code)
	assert.Contains(t, got.stdout, "Café ")
	onlyText(t, got.stdout)
	got = scrape(t, t.Context(), nil, "page", strings.Replace(server.URL, "://", "://user:hidden@", 1)+"/secret")
	assert.Contains(t, got.stdout, "robots - ")
	assert.NotContains(t, got.stdout+got.stderr, "hidden")
	got = scrape(t, t.Context(), nil, "page", server.URL+"/missing")
	assert.Contains(t, got.stdout, "http-4xx - ")
	assert.Equal(t, cli.ExitUsage, scrape(t, t.Context(), nil, "page", server.URL, "--good").code)
}

// What a browser is shown runs no script and asks for nothing, whatever the page says.
func TestConfinedPage(t *testing.T) {
	testsize.SkipUnlessFull(t) // report's TestEvidenceAsksNobody shows a browser such pages
	long(t)
	t.Parallel()
	program, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		t.Skip("chromium-headless-shell is not installed (Debian's package of that name)")
	}
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	page := strings.ReplaceAll(`<title>x</title><link rel=stylesheet href="URL/css"><link rel=preload as=image href="URL/preload"><h1>Seen</h1><img src="URL/img">
		<iframe src="URL/frame"></iframe><script src="URL/script"></script><script>fetch("URL/fetch"); parent.location = "URL/parent"</script>
		<meta http-equiv=refresh content="0; url=URL/refresh"><form action="URL/form"><button autofocus onfocus="this.click()"></form>"></iframe><img src="URL/out">`, "URL", server.URL)
	shown := func(text string) string {
		path := filepath.Join(t.TempDir(), "page.html")
		writeFile(t, path, text)
		out, err := exec.Command(program, "--no-sandbox", "--disable-gpu", "--timeout=1500", "--dump-dom", "file://"+path).Output()
		require.NoError(t, err)
		return string(out)
	}
	assert.Contains(t, shown(confined(page)), "&lt;h1&gt;Seen")
	assert.Zero(t, asked.Load())
	shown(page)
	assert.NotZero(t, asked.Load(), "the same page by itself asks")
}
