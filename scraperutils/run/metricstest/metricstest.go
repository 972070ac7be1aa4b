// Package metricstest holds docs/grafana.json and docs/monitoring.md against what programs really tell Prometheus.
package metricstest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Query is an expression of the dashboard, or of an alert, and where it stands.
type Query struct{ Place, Expression string }

// name is one that a program of this project may have told.
var name = regexp.MustCompile(`\b(multiscraper|crawl|browse|stream|go|process)_[a-z_]+`)

// Used returns the names of metrics in a query.
func (q Query) Used() []string { return name.FindAllString(q.Expression, -1) }

// Documented checks that every name with a prefix, such as "crawl_", in the dashboard and the alerts is of a metric that is told, and that
// each of these is in one of them.
func Documented(t *testing.T, prefix string, told []string) {
	t.Helper()
	require.NotEmpty(t, told)
	shown := map[string]bool{}
	for _, q := range append(Dashboard(t), Alerts(t)...) {
		for _, used := range q.Used() {
			if !strings.HasPrefix(used, prefix) {
				continue
			}
			used = strings.TrimSuffix(used, "_bucket") // of a histogram
			assert.Contains(t, told, used, "%s asks for what nobody tells: %s", q.Place, q.Expression)
			shown[used] = true
		}
	}
	for _, n := range told {
		assert.True(t, shown[n], "neither the dashboard nor an alert has %s", n)
	}
}

// described is the name in the text of a prometheus.Desc.
var described = regexp.MustCompile(`fqName: "([^"]*)"`)

// Names returns the names that collectors describe, whether they have values yet or not.
func Names(collectors ...prometheus.Collector) (all []string) {
	for _, c := range collectors {
		descriptions := make(chan *prometheus.Desc)
		go func() {
			c.Describe(descriptions)
			close(descriptions)
		}()
		for d := range descriptions {
			all = append(all, described.FindStringSubmatch(d.String())[1])
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Dashboard returns the queries of docs/grafana.json as Prometheus gets them.
func Dashboard(t *testing.T) (all []Query) {
	t.Helper()
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal(doc(t, "grafana.json"), &board))
	variables := strings.NewReplacer("$job", ".*", "$__rate_interval", "5m")
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			all = append(all, Query{"docs/grafana.json, " + p.Title, variables.Replace(target.Expr)})
		}
	}
	return all
}

// Block returns the part of docs/monitoring.md in YAML that begins with a line.
func Block(t *testing.T, first string) string {
	t.Helper()
	_, rest, found := strings.Cut(string(doc(t, "monitoring.md")), "```yaml\n"+first+"\n")
	require.True(t, found, "docs/monitoring.md has no YAML that begins with %s", first)
	block, _, _ := strings.Cut(rest, "```")
	return first + "\n" + block
}

// Alerts returns the queries of the alerts in docs/monitoring.md.
func Alerts(t *testing.T) (all []Query) {
	t.Helper()
	for line := range strings.Lines(Block(t, "groups:")) {
		if _, expression, found := strings.Cut(line, " expr: "); found {
			all = append(all, Query{"docs/monitoring.md", strings.TrimSpace(expression)})
		}
	}
	return all
}

// doc returns a file of the folder docs.
func doc(t *testing.T, name string) []byte {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(here), "../../../docs", name))
	require.NoError(t, err)
	return text
}
