package metrics_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/run/feed"
	"github.com/multiscraper/multiscraper/scraperutils/run/metrics"
	"github.com/multiscraper/multiscraper/scraperutils/run/metricstest"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// The dashboard and the alerts ask for metrics that are there, and for all of them.
func TestMetricsAreDocumented(t *testing.T) {
	over := metrics.Last{Run: sample(), Runs: []runlog.Run{{At: began}}}
	_, text := ask(metrics.Handler(metrics.Config{
		Last: known(over, nil), Now: func() feed.Picture { return feed.Picture{Run: &feed.Run{At: began}} },
		Workers: func() map[string]bool { return map[string]bool{"http://a/": true} },
	}))
	var own, process []string
	for line := range strings.Lines(text) {
		if told, found := strings.CutPrefix(line, "# HELP "); found {
			told, _, _ = strings.Cut(told, " ")
			if strings.HasPrefix(told, "multiscraper_") {
				own = append(own, told)
			} else {
				process = append(process, told)
			}
		}
	}
	metricstest.Documented(t, "multiscraper_", own)
	for _, q := range append(metricstest.Dashboard(t), metricstest.Alerts(t)...) {
		require.NotEmpty(t, q.Used(), "%s asks for no metric of ours: %s", q.Place, q.Expression)
		for _, used := range q.Used() {
			if strings.HasPrefix(used, "go_") || strings.HasPrefix(used, "process_") {
				assert.Contains(t, process, used, q.Place)
			}
		}
	}
}

// promtool runs Prometheus' own tool.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	path, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed (Debian's package prometheus)")
	}
	out, err := exec.Command(path, args...).CombinedOutput()
	assert.NoError(t, err, "%s", out)
}

// Prometheus can read the queries of the dashboard, the alerts and the configuration.
func TestPrometheusReadsTheDocs(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	rules := "groups:\n- name: dashboard\n  rules:\n"
	for i, q := range metricstest.Dashboard(t) {
		text, err := json.Marshal(q.Expression) // which YAML reads, too
		require.NoError(t, err)
		rules += fmt.Sprintf("  - {record: panel:query:%d, expr: %s}\n", i, text)
	}
	promtool(t, "check", "rules", write("dashboard.yml", rules), write("alerts.yml", metricstest.Block(t, "groups:")))
	promtool(t, "check", "config", "--syntax-only", write("prometheus.yml", metricstest.Block(t, "scrape_configs:")))
}

// An alert is raised when it should be, and not before.
func TestAlerts(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "alerts.yml"), []byte(metricstest.Block(t, "groups:")), 0o600))
	cases := map[string]string{"hours.yml": `rule_files: [alerts.yml]
evaluation_interval: 20m
tests:
- interval: 20m
  input_series:
  - {series: 'multiscraper_last_run_start_timestamp_seconds{source="network"}', values: '0x85'}
  alert_rule_test:
  - {alertname: NoRunSinceYesterday, eval_time: 25h}
  - {alertname: NoRunSinceYesterday, eval_time: 27h, exp_alerts: [{exp_labels: {source: network}, exp_annotations: {summary: the last run began 1d 3h 0m 0s ago}}]}
`, "minutes.yml": `rule_files: [alerts.yml]
evaluation_interval: 1m
tests:
- interval: 1m
  input_series:
  - {series: 'multiscraper_last_run_changes{change="new",platform="icon"}', values: '2x100 3x100'}
  - {series: 'multiscraper_worker_up{url="http://a/"}', values: '1x10 0x100'}
  - {series: 'crawl_pages_total{instance="a"}', values: '0+5x30 150x100'}
  - {series: 'crawl_queue{instance="a",state="ready"}', values: '7x200'}
  alert_rule_test:
  - {alertname: PlatformHasChanged, eval_time: 90m}
  - {alertname: PlatformHasChanged, eval_time: 110m, exp_alerts: [{exp_labels: {change: new, platform: icon}, exp_annotations: {summary: "3 sites of icon fail since the last run: the vendor has probably changed its software"}}]}
  - {alertname: WorkerDoesNotAnswer, eval_time: 12m}
  - {alertname: WorkerDoesNotAnswer, eval_time: 14m, exp_alerts: [{exp_labels: {url: "http://a/"}, exp_annotations: {summary: http://a/ does not answer}}]}
  - {alertname: CrawlStandsStill, eval_time: 40m}
  - {alertname: CrawlStandsStill, eval_time: 70m, exp_alerts: [{exp_labels: {instance: a}}]}
`}
	var paths []string
	for name, text := range cases {
		paths = append(paths, filepath.Join(folder, name))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	promtool(t, append([]string{"test", "rules"}, paths...)...)
}

// The dashboard is one that Grafana can show: panels with names of their own, side by side, that ask the data source of the variable.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("../../../docs/grafana.json")
	require.NoError(t, err)
	type source struct{ Type, UID string }
	var board struct {
		Title, UID    string
		SchemaVersion int
		Templating    struct{ List []struct{ Name, Type string } }
		Panels        []struct {
			ID          int
			Type, Title string
			Datasource  source
			GridPos     struct{ X, Y, W, H int }
			Targets     []struct {
				RefID, Expr string
				Datasource  source
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &board))
	assert.NotEmpty(t, board.Title)
	assert.Greater(t, board.SchemaVersion, 30)
	assert.Equal(t, []struct{ Name, Type string }{{"datasource", "datasource"}, {"job", "query"}}, board.Templating.List)
	ids, cells := map[int]bool{}, map[[2]int]string{}
	for _, p := range board.Panels {
		assert.False(t, ids[p.ID], "two panels have the id %d", p.ID)
		ids[p.ID] = true
		assert.Contains(t, []string{"row", "stat", "timeseries"}, p.Type, p.Title)
		assert.NotEmpty(t, p.Title)
		assert.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				cell := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				assert.Empty(t, cells[cell], "%s lies on it", p.Title)
				cells[cell] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		assert.Equal(t, source{"prometheus", "${datasource}"}, p.Datasource, p.Title)
		require.NotEmpty(t, p.Targets, p.Title)
		var refs []string
		for _, target := range p.Targets {
			assert.Equal(t, p.Datasource, target.Datasource, p.Title)
			assert.Contains(t, target.Expr, `job=~"$job"`, p.Title)
			refs = append(refs, target.RefID)
		}
		assert.Len(t, slices.Compact(refs), len(p.Targets), p.Title)
	}
}
