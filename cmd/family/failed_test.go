package family

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
)

// --failed runs what failed last time, and nothing else.
func TestFailed(t *testing.T) {
	t.Parallel()
	path := database(t)
	got := scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "noosa,kyogle,hobart,swan", "--misbehave", "noosa=missing", "--misbehave", "hobart=layout", "--db", path)
	assert.Equal(t, cli.ExitUnexpected, got.code)
	got = scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--failed", "--misbehave", "hobart=layout", "--db", path)
	assert.Equal(t, cli.ExitUnexpected, got.code)
	for label, ran := range map[string]bool{"noosa": true, "hobart": true, "kyogle": false, "swan": false} {
		assert.Equal(t, ran, strings.Contains(got.stdout, "authority="+label+" "), label)
	}
	got = scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--failed", "--db", path)
	assert.Equal(t, cli.ExitOK, got.code)
	assert.Contains(t, got.stdout, "authority=hobart verdict=ok")
	assert.NotContains(t, got.stdout, "authority=noosa ")
	got = scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--failed", "--db", path)
	assert.Equal(t, cli.ExitOK, got.code)
	assert.Contains(t, got.stdout, "nothing failed last time")
	got = scrape(t, t.Context(), nil, "--fixtures", "--failed", "--log-format", "json", "--db", path)
	var line map[string]any
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &line))
	assert.Equal(t, "nothing failed last time", line["message"])
}

// What failed last time and has no row now is named: its file was forgotten.
func TestFailedWithoutItsRow(t *testing.T) {
	t.Parallel()
	path := database(t)
	more := filepath.Join(filepath.Dir(path), "more.yml")
	writeFile(t, more, "- {authority: mine, platform: atdis, url: 'http://127.0.0.1:1/atdis'}\n")
	args := []string{"--fixtures", "--no-delay", "--attempts", "1", "--db", path}
	scrape(t, t.Context(), nil, append(args, "--authorities", more, "--authority", "mine")...)

	const missing = "--failed: no row is known of what failed last time: mine; give the file of rows, --authorities FILE"
	got := scrape(t, t.Context(), nil, append(args, "--failed")...)
	assert.Equal(t, ended{code: cli.ExitUsage, stderr: "scrape: " + missing + "\n"}, got)
	got = scrape(t, t.Context(), nil, append(args, "--failed", "--authority", "kyogle")...)
	assert.Equal(t, cli.ExitOK, got.code)
	assert.Contains(t, got.stdout, "nothing failed last time", "of what is selected")

	scrape(t, t.Context(), nil, append(args, "--authority", "kyogle", "--misbehave", "kyogle=missing")...)
	got = scrape(t, t.Context(), nil, append(args, "--failed")...)
	assert.Equal(t, cli.ExitOK, got.code)
	assert.Contains(t, got.stdout, missing)
	assert.Contains(t, got.stdout, "authority=kyogle verdict=ok")
	got = scrape(t, t.Context(), nil, append(args, "--failed", "--authorities", more)...)
	assert.Contains(t, got.stdout, "authority=mine verdict=failed")
}
