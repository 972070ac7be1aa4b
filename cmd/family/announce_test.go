package family

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
)

// A webhook on loopback is told when a site begins to fail and when it works again, and not in between, unless it is always told.
func TestWebhookIsToldOfChanges(t *testing.T) {
	t.Parallel()
	told := make(chan map[string]any, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var object map[string]any
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&object))
		told <- object
	}))
	defer server.Close()
	args := []string{"--fixtures", "--no-delay", "--attempts", "1", "--authority", "kyogle,noosa", "--db", database(t)}
	env := []string{"MORPH_WEBHOOK=" + server.URL + "/services/secretkey"}
	labels := func(list any) (all []string) {
		for _, a := range list.([]any) {
			all = append(all, a.(map[string]any)["authority"].(string))
		}
		return all
	}
	for _, c := range []struct {
		name                  string
		args                  []string
		text                  string // "": nobody is told
		new, still, recovered []string
	}{
		{name: "all well"},
		{"one fails", []string{"--misbehave", "noosa=layout"}, "1 ok · 1 new failure · ", []string{"noosa"}, nil, nil},
		{name: "it still fails", args: []string{"--misbehave", "noosa=layout"}},
		{"told all the same", []string{"--misbehave", "noosa=layout", "--notify-always"}, "1 ok · 1 still failing · ", nil, []string{"noosa"}, nil},
		{"it works again", nil, "2 ok · 1 recovered · ", nil, nil, []string{"noosa"}},
		{name: "all well again"},
	} {
		got := scrape(t, t.Context(), env, append(c.args, args...)...)
		assert.NotContains(t, got.stdout+got.stderr, "secretkey", c.name)
		if c.text == "" {
			assert.Empty(t, told, c.name)
			continue
		}
		require.Len(t, told, 1, c.name)
		object := <-told
		assert.Contains(t, object["text"], "BUILT-IN SITES, INVENTED RECORDS: "+c.text, c.name)
		assert.Equal(t, c.new, labels(object["new"]), c.name)
		assert.Equal(t, c.still, labels(object["still"]), c.name)
		assert.Equal(t, c.recovered, labels(object["recovered"]), c.name)
	}
}

// Who can't be told is a warning before the report, and changes no exit code.
func TestNobodyIsThere(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	folder := t.TempDir()
	got := scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "kyogle", "--db", database(t), "--notify-always",
		"--webhook", server.URL+"/secretkey", "--metrics", filepath.Join(folder, "missing", "a.prom"))
	assert.Equal(t, cli.ExitOK, got.code)
	assert.Empty(t, got.stderr)
	log, _, _ := strings.Cut(got.stdout, "Scraping Summary")
	assert.Contains(t, log, "WRN nobody was notified error=\"the webhook at "+strings.TrimPrefix(server.URL, "http://")+": it answered 404 Not Found\"")
	assert.Contains(t, log, "WRN the metrics are not whole")
	assert.NotContains(t, got.stdout, "secretkey")
	refused := scrape(t, t.Context(), []string{"MORPH_WEBHOOK=hooks.example/secretkey"}, "--fixtures", "--db", database(t))
	assert.Equal(t, cli.ExitUsage, refused.code)
	assert.Contains(t, refused.stderr, "MORPH_WEBHOOK: can't use \"(not shown)\"")
	assert.NotContains(t, refused.stderr, "secretkey")
}

// A command reads what a person is told, and the metrics of the same run are what promtool accepts.
func TestCommandAndMetrics(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	text, object, metrics := filepath.Join(folder, "text"), filepath.Join(folder, "json"), filepath.Join(folder, "scrape.prom")
	got := scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--attempts", "1", "--authority", "kyogle,noosa", "--misbehave", "noosa=broken", "--db", database(t),
		"--notify", "cat >"+text+"; cp $SCRAPE_JSON "+object, "--metrics", metrics)
	require.Equal(t, cli.ExitUnexpected, got.code, got.stderr)
	assert.Contains(t, string(must(os.ReadFile(text))), "\nNew: noosa (technologyone) http-5xx: ")
	var told struct{ Records int }
	readJSON(t, object, &told)
	assert.Equal(t, 15, told.Records)
	written := string(must(os.ReadFile(metrics)))
	for _, line := range []string{
		`multiscraper_runs{exit_code="1",source="fixtures"} 1`,
		`multiscraper_last_run_authorities{class="http-5xx",platform="technologyone",verdict="failed"} 1`,
		`multiscraper_last_run_records{platform="icon"} 15`,
		`multiscraper_last_run_wait_seconds{rule="`,
	} {
		assert.Contains(t, written, "\n"+line)
	}
	assert.Regexp(t, `multiscraper_last_run_page_bytes\{platform="icon"\} [1-9]`, written)
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed (Debian's package prometheus): the file was not checked by it")
	}
	check := exec.Command(promtool, "check", "metrics")
	check.Stdin = strings.NewReader(written)
	out, err := check.CombinedOutput()
	assert.NoError(t, err)
	assert.Empty(t, string(out))
}
