package family

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/multiscraper/multiscraper/"

// importsOf returns what each package of the project imports, tests left out.
func importsOf(t *testing.T) map[string][]string {
	t.Helper()
	command := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...")
	out, err := command.Output()
	require.NoError(t, err)
	all := map[string][]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else {
			require.NoError(t, err)
		}
		all[strings.TrimPrefix(p.ImportPath, module)] = p.Imports
	}
}

// Imports run one way: cmd → authorities, db, report → runlog, agent → scheduler, fetch, pace → robots → scraperutils.
func TestImportsRunOneWay(t *testing.T) {
	// What a package may import of this project; a name ending in / stands for all below it, "*" for everything.
	may := map[string][]string{
		"scraperutils":                      {},
		"scheduler":                         {"scraperutils"},
		"scraperutils/web/pace":             {"scraperutils"},
		"scraperutils/web/robots":           {"scraperutils"},
		"scraperutils/web/secret":           {},
		"scraperutils/web/cassette":         {"scraperutils", "scraperutils/web/secret"},
		"scraperutils/site/dates":           {"scraperutils"},
		"scraperutils/leash":                {},
		"scraperutils/browser":              {"scraperutils", "scraperutils/web/robots", "scraperutils/browser/"},
		"scraperutils/browser/cdp":          {},
		"scraperutils/browser/behavior":     {},
		"scraperutils/conformance":          {},
		"scraperutils/web/wire":             {},
		"scraperutils/web/fetch":            {"scraperutils", "scraperutils/web/robots", "scraperutils/web/wire"},
		"scraperutils/web/agent":            {"scraperutils", "scheduler", "scraperutils/web/fetch", "scraperutils/web/robots"},
		"scraperutils/web/agent/actions":    {"scraperutils", "scraperutils/web/agent"},
		"scraperutils/site/listing":         {"scraperutils", "scraperutils/web/agent"},
		"scraperutils/site/tables":          {"scraperutils", "scraperutils/web/agent"},
		"scraperutils/site/money":           {"scraperutils"},
		"scraperutils/site":                 {"scraperutils", "scraperutils/web/agent", "scraperutils/site/dates"},
		"scraperutils/site/registry":        {"scraperutils", "scraperutils/site"},
		"scraperutils/run/quality":          {"scraperutils"},
		"scraperutils/run/timetable":        {"scraperutils"},
		"scraperutils/run/feed":             {},
		"scraperutils/run/guard":            {},
		"scraperutils/run/status":           {"scraperutils"},
		"scraperutils/run/workers":          {"scraperutils", "scraperutils/run/status"},
		"scraperutils/run/guard/guardtest":  {},
		"scraperutils/run/board":            {"scraperutils", "scraperutils/run/guard", "scraperutils/run/history", "scraperutils/run/report", "scraperutils/run/runlog", "scraperutils/run/workers"},
		"scraperutils/run/live":             {"scraperutils", "scraperutils/run/feed", "scraperutils/run/report"},
		"scraperutils/testsize":             {},
		"scraperutils/pagetest":             {},
		"scraperutils/run/trace":            {"scraperutils"},
		"scraperutils/run/runlog":           {"scraperutils", "scraperutils/run/trace"},
		"scraperutils/run/news":             {"scraperutils", "scraperutils/run/runlog"},
		"scraperutils/run/history":          {"scraperutils", "scraperutils/run/news", "scraperutils/run/runlog"},
		"scraperutils/run/metrics":          {"scraperutils", "scraperutils/run/feed", "scraperutils/run/news", "scraperutils/run/runlog", "scraperutils/run/trace"},
		"scraperutils/run/metricstest":      {},
		"scraperutils/run/notify":           {},
		"scraperutils/run/look":             {"scraperutils", "scraperutils/web/agent", "scraperutils/web/agent/actions", "scraperutils/web/cassette", "scraperutils/web/fetch"},
		"scraperutils/run/exhibit":          {"scraperutils", "scraperutils/web/agent", "scraperutils/web/cassette", "scraperutils/web/fetch"},
		"scraperutils/run/report":           {"scraperutils", "scraperutils/site/dates", "scraperutils/run/exhibit", "scraperutils/run/history", "scraperutils/run/news", "scraperutils/run/runlog", "scraperutils/run/trace"},
		"db":                                {"scraperutils"},
		"fixtures":                          {"fixtures/"},
		"fixtures/web":                      {"fixtures/web/seed"},
		"fixtures/web/seed":                 {},
		"fixtures/web/reply":                {},
		"fixtures/web/session":              {"fixtures/web/reply", "fixtures/web/seed"},
		"fixtures/misbehave":                {"fixtures/web/reply"},
		"fixtures/council":                  {"fixtures/web/reply", "fixtures/web/seed"},
		"fixtures/council/aspnet":           {"fixtures/web/reply"},
		"fixtures/council/counciltest":      {"fixtures/council", "fixtures/council/aspnet", "fixtures/web/reply", "fixtures/web/seed"},
		"fixtures/stories":                  {"fixtures/web", "fixtures/web/reply", "fixtures/web/seed"},
		"fixtures/pages":                    {"fixtures/web", "fixtures/web/reply"},
		"fixtures/PLATFORM":                 {"fixtures/council", "fixtures/council/aspnet", "fixtures/web/reply", "fixtures/web/seed", "fixtures/web/session"},
		"scraperutils/crawl":                {"scraperutils", "scraperutils/web/pace", "scheduler", "scraperutils/crawl/urls", "scraperutils/crawl/extract", "scraperutils/crawl/scope"},
		"scraperutils/crawl/scope":          {"scraperutils", "scraperutils/crawl/urls"},
		"scraperutils/crawl/urls":           {"scraperutils"},
		"scraperutils/crawl/extract":        {"scraperutils"},
		"scraperutils/crawl/intake":         {"scraperutils", "scraperutils/crawl", "scraperutils/crawl/urls", "scraperutils/crawl/extract"},
		"scraperutils/crawl/durable":        {},
		"scraperutils/crawl/jsonl":          {"scraperutils/crawl", "scraperutils/crawl/durable"},
		"scraperutils/crawl/sinktest":       {"scraperutils", "scraperutils/crawl"},
		"scraperutils/crawl/frontiertest":   {"scraperutils", "scraperutils/crawl", "scraperutils/testsize"},
		"scraperutils/crawl/warc":           {"scraperutils", "scraperutils/crawl", "scraperutils/crawl/durable"},
		"scraperutils/amqp":                 {"scraperutils", "scraperutils/crawl", "scraperutils/crawl/jsonl", "scraperutils/crawl/intake", "scraperutils/crawl/urls"},
		"scraperutils/amqp/amqptest":        {"scraperutils/leash"},
		"scraperutils/browser/umbra":        {"scraperutils/amqp"},
		"scraperutils/browser/render":       {"scraperutils"},
		"db/frontier":                       {"scraperutils", "scraperutils/crawl", "db"},
		"db/frontier/postgres":              {"scraperutils", "scraperutils/crawl"},
		"db/frontier/postgres/postgrestest": {"scraperutils/leash"},
		"scraperutils/stream":               {},
		"scraperutils/stream/kinesis":       {"scraperutils/stream"},
		"scraperutils/stream/dynamo":        {"scraperutils/stream"},
		"scraperutils/stream/leasestest":    {"scraperutils/stream"},
		"scraperutils/stream/streamtest":    {"scraperutils/leash"},
		"db/leases":                         {"db", "scraperutils/stream"},
		"authorities/register":              {"scraperutils", "scraperutils/web/agent", "scraperutils/site", "scraperutils/site/tables"},
		"authorities/validate":              {"scraperutils", "scraperutils/site/dates", "authorities/register"},
		"authorities/register/registertest": {"scraperutils", "scraperutils/web/agent", "scraperutils/web/cassette", "scraperutils/site/dates", "scraperutils/web/fetch", "scraperutils/site", "authorities/register"},
		"authorities/aspnet":                {"scraperutils/web/agent"},
		"authorities":                       {"scraperutils/site/registry", "authorities/"},
		"authorities/PLATFORM":              {"scraperutils", "scraperutils/web/agent", "scraperutils/site/dates", "scraperutils/site", "authorities/register", "authorities/aspnet"},
		"cmd/internal/cli":                  {"scraperutils", "scraperutils/run/guard", "scraperutils/run/status", "scheduler"},
		"cmd/internal/egress":               {"scraperutils", "scraperutils/"},
		"cmd/family":                        {"scraperutils", "scraperutils/", "scheduler", "db", "fixtures/misbehave", "fixtures/web", "cmd/internal/cli", "cmd/internal/egress", "cmd/internal/panel", "cmd/internal/viewer"},
		"cmd/":                              {"*"},
	}
	all := importsOf(t)
	require.Contains(t, all, "scheduler")
	for name, imports := range all {
		allowed, ok := may[name]
		switch {
		case ok:
		case strings.HasPrefix(name, "cmd/"):
			allowed = may["cmd/"]
		case strings.HasPrefix(name, "authorities/"):
			allowed = may["authorities/PLATFORM"]
		case strings.HasPrefix(name, "fixtures/"):
			allowed = may["fixtures/PLATFORM"]
		default:
			t.Errorf("package %s has no place in the house", name)
		}
		for _, path := range imports {
			if own, ok := strings.CutPrefix(path, module); ok {
				assert.True(t, allows(allowed, own), "%s must not import %s", name, own)
				assert.NotEqual(t, "scraperutils/conformance", own, "%s imports it, which is for tests alone", name)
			}
		}
	}
}

func allows(allowed []string, name string) bool {
	for _, a := range allowed {
		if a == "*" || a == name || strings.HasSuffix(a, "/") && strings.HasPrefix(name, a) {
			return true
		}
	}
	return false
}

// Some libraries have one home.
func TestLibrariesHaveOneHome(t *testing.T) {
	homes := map[string]string{ // with spaces between them
		"github.com/mattn/go-sqlite3":         "db",
		"github.com/jackc/pgx/v5":             "db/frontier/postgres db/frontier/postgres/postgrestest",
		"github.com/go-resty/resty/v2":        "scraperutils/web/fetch",
		"github.com/antchfx/htmlquery":        "scraperutils/web/agent/actions",
		"github.com/rabbitmq/amqp091-go":      "scraperutils/amqp scraperutils/amqp/amqptest",
		"github.com/chromedp/cdproto":         "scraperutils/browser scraperutils/browser/cdp",
		"github.com/nlnwa/whatwg-url":         "scraperutils/crawl/urls",
		"github.com/prometheus/client_golang": "scraperutils/run/metrics scraperutils/run/metricstest cmd/internal/browsecmd cmd/internal/crawlcmd cmd/internal/streamcmd",
		"github.com/prometheus/common":        "scraperutils/run/metrics",
		"github.com/aws":                      "scraperutils/stream/kinesis scraperutils/stream/dynamo scraperutils/stream/streamtest",
		"google.golang.org/protobuf":          "scraperutils/stream/kinesis",
		"github.com/klauspost/compress":       "scraperutils/crawl/warc scraperutils/crawl/extract",
		"github.com/alecthomas/kong":          "cmd/internal/cli cmd/bench cmd/internal/crawlcmd cmd/internal/streamcmd",
		"github.com/rs/zerolog":               "cmd/",
		"github.com/mattn/go-isatty":          "cmd/internal/cli",
		"golang.org/x/term":                   "cmd/internal/viewer cmd/internal/cli",
		"github.com/netresearch/go-cron":      "scraperutils/run/timetable",
		"github.com/stretchr/testify":         "authorities/register/registertest scraperutils/crawl/frontiertest scraperutils/crawl/sinktest scraperutils/stream/leasestest scraperutils/run/guard/guardtest scraperutils/pagetest scraperutils/run/metricstest",
	}
	for name, imports := range importsOf(t) {
		for _, path := range imports {
			for library, home := range homes {
				if path == library || strings.HasPrefix(path, library+"/") {
					assert.True(t, allows(strings.Fields(home), name), "%s imports %s, which only %s may", name, library, home)
				}
			}
		}
		if name == "scraperutils" {
			for _, path := range imports {
				assert.NotContains(t, strings.SplitN(path, "/", 2)[0], ".", "scraperutils imports the standard library alone")
			}
		}
	}
}

// The command that a nightly run needs stays small: of what joins the house for other commands it has nothing.
func TestScrapeStaysSmall(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module+"cmd/scrape").Output()
	require.NoError(t, err)
	deps := strings.Fields(string(out))
	require.Contains(t, deps, module+"cmd/family")
	for _, path := range deps {
		if own, ok := strings.CutPrefix(path, module); ok {
			rooms := []string{"scraperutils/crawl", "scraperutils/crawl/", "scraperutils/crawl/warc", "scraperutils/crawl/warc/", "scraperutils/amqp", "scraperutils/browser",
				"scraperutils/browser/umbra", "scraperutils/stream", "scraperutils/stream/", "db/frontier", "db/frontier/", "db/leases"}
			assert.False(t, allows(rooms, own), "cmd/scrape has %s", own)
			continue
		}
		for _, other := range []string{"chromedp", "go-rod", "playwright", "amqp", "rabbitmq", "aws", "kinesis", "cloud.google.com", "azure", "pgx", "lib/pq"} {
			assert.NotContains(t, path, other, "cmd/scrape has a browser, a broker, a cloud's library or another database")
		}
	}
}
