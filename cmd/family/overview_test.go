package family

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// One run, told in three ways.
func TestReport(t *testing.T) {
	t.Parallel()
	path := database(t)
	scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "kyogle,hobart", "--misbehave", "hobart=layout", "--db", path)

	text := scrape(t, t.Context(), nil, "report", "--db", path)
	assert.Equal(t, cli.ExitOK, text.code)
	assert.Contains(t, text.stdout, "1 ok, 1 failed;")
	assert.Contains(t, text.stdout, "hobart: failed (layout), 0 records")
	assert.Contains(t, text.stdout, "The run could not have been shorter because hobart took until")

	var overview report.Overview
	require.NoError(t, json.Unmarshal([]byte(scrape(t, t.Context(), nil, "report", "--json", "--db", path).stdout), &overview))
	assert.Equal(t, map[runlog.Verdict]int{runlog.OK: 1, runlog.Failed: 1}, overview.Run.Verdicts)
	assert.Equal(t, cli.ExitUnexpected, overview.Run.ExitCode)
	assert.Len(t, overview.Days, 30)
	var sections struct{ Sections map[string][]string }
	require.NoError(t, json.Unmarshal([]byte(scrape(t, t.Context(), nil, "report", "--json", "--db", path).stdout), &sections))
	assert.Equal(t, map[string][]string{"new": {"hobart"}}, sections.Sections)

	page := filepath.Join(t.TempDir(), "report.html")
	got := scrape(t, t.Context(), nil, "report", "--html", "-o", page, "--db", path)
	assert.Equal(t, ended{code: cli.ExitOK}, got)
	written, err := os.ReadFile(page)
	require.NoError(t, err)
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(string(written)))
	require.NoError(t, err)
	assert.Equal(t, "1 of 2 authorities needs attention", doc.Find("h1").Text())
	assert.Contains(t, doc.Text(), overview.Authorities[0].Replay)
	assert.Zero(t, doc.Find("[src], link[href]").Length(), "it needs nothing else")

	got = scrape(t, t.Context(), nil, "report", "-o", "/dev/full", "--db", path)
	assert.Equal(t, ended{cli.ExitUnexpected, "", "scrape: write /dev/full: no space left on device\n"}, got)
}

// Three fail in the night. After one is mended, the two others still fail, and --failed runs these.
func TestMorning(t *testing.T) {
	t.Parallel()
	path := database(t)
	base := []string{"--fixtures", "--no-delay", "--attempts", "1", "--db", path}
	night := scrape(t, t.Context(), nil, append(base, "--authority", "kyogle,hobart,noosa,byron", "--misbehave", "kyogle=layout", "--misbehave", "hobart=missing", "--misbehave", "noosa=layout")...)
	assert.Equal(t, cli.ExitUnexpected, night.code)
	assert.Equal(t, 2, strings.Count(night.stdout, "kyogle")-strings.Count(night.stdout, "etrack.kyogle")-strings.Count(night.stdout, "in: kyogle"), "a line of the log, one of the table:\n"+night.stdout)
	assert.Equal(t, cli.ExitOK, scrape(t, t.Context(), nil, append(base, "--authority", "noosa")...).code)

	report := scrape(t, t.Context(), nil, "report", "--db", path).stdout
	for _, want := range []string{"\n1 ok; ", "\nEarlier (2): not in this run, and as they were left by an earlier one\n", "\n  hobart: failed (http-4xx), 0 records, in the run of ", "\n  kyogle: failed (layout), 0 records, in the run of ",
		"replay it: scrape --authority kyogle --replay "} {
		assert.Contains(t, report, want)
	}
	assert.Contains(t, report, "\nRecovered (1): bad the time before, well now\n  noosa: ok, ")
	first := rows(t, path, "SELECT began_at FROM scrape_run ORDER BY began_at LIMIT 1")[0]["began_at"][:len("2006-01-02T15:04:05")]
	assert.Contains(t, scrape(t, t.Context(), nil, "report", "--run", first, "--db", path).stdout, "\n  noosa: failed (layout), 0 records, in its only run\n")
	bad := scrape(t, t.Context(), nil, "report", "--run", "1999", "--db", path)
	assert.Equal(t, cli.ExitUsage, bad.code)
	assert.Contains(t, bad.stderr, `scrape: --run: can't use "1999": expected one of `+first+", ")

	again := scrape(t, t.Context(), nil, append(base, "--failed")...)
	assert.Equal(t, cli.ExitOK, again.code)
	var labels []string
	for _, r := range rows(t, path, "SELECT authority_label FROM scrape_log ORDER BY rowid DESC LIMIT 2") {
		labels = append(labels, r["authority_label"])
	}
	assert.ElementsMatch(t, []string{"hobart", "kyogle"}, labels)
	assert.Contains(t, scrape(t, t.Context(), nil, append(base, "--failed")...).stdout, "nothing failed last time")
}

// An authority whose failure is expected and that works makes the exit code 1, and the report says so.
func TestReportSaysWhyTheCodeIsOne(t *testing.T) {
	t.Parallel()
	path := database(t)
	got := scrape(t, t.Context(), []string{"MORPH_EXPECT_BAD=kyogle"}, "--fixtures", "--no-delay", "--authority", "kyogle", "--db", path)
	assert.Equal(t, cli.ExitUnexpected, got.code)
	for _, format := range []string{"", "--html", "--json"} {
		args := []string{"report", "--db", path}
		if format != "" {
			args = append(args, format)
		}
		assert.Contains(t, scrape(t, t.Context(), nil, args...).stdout, "WARNING: Remove kyogle from MORPH_EXPECT_BAD as it now works!", format)
	}
}
