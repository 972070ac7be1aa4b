package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/runlog"
)

// One run, told in three ways.
func TestReport(t *testing.T) {
	path := database(t)
	scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "kyogle,hobart", "--misbehave", "hobart=layout", "--db", path)

	text := scrape(t, t.Context(), nil, "report", "--db", path)
	assert.Equal(t, exitOK, text.code)
	assert.Contains(t, text.stdout, "1 ok, 1 failed;")
	assert.Contains(t, text.stdout, "hobart: failed (layout), 0 records")
	assert.Contains(t, text.stdout, "The run could not have been shorter because hobart took until")

	var overview runlog.Overview
	require.NoError(t, json.Unmarshal([]byte(scrape(t, t.Context(), nil, "report", "--json", "--db", path).stdout), &overview))
	assert.Equal(t, map[runlog.Verdict]int{runlog.OK: 1, runlog.Failed: 1}, overview.Run.Verdicts)
	assert.Equal(t, exitUnexpected, overview.Run.ExitCode)
	assert.Len(t, overview.Days, 30)

	page := filepath.Join(t.TempDir(), "report.html")
	got := scrape(t, t.Context(), nil, "report", "--html", "-o", page, "--db", path)
	assert.Equal(t, ended{code: exitOK}, got)
	written, err := os.ReadFile(page)
	require.NoError(t, err)
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(string(written)))
	require.NoError(t, err)
	assert.Equal(t, "1 of 2 authorities needs attention", doc.Find("h1").Text())
	assert.Contains(t, doc.Text(), overview.Authorities[0].Replay)
	assert.Zero(t, doc.Find("[src], link[href]").Length(), "it needs nothing else")
}
