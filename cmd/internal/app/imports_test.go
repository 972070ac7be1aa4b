package app

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

// Imports run one way: cmd → authorities, db, runlog → agent → scheduler, pace, robots → scraperutils.
func TestImportsRunOneWay(t *testing.T) {
	// What a package may import of this project; a name ending in / stands for all below it, "*" for everything.
	may := map[string][]string{
		"scraperutils":                      {},
		"scheduler":                         {"scraperutils"},
		"scraperutils/pace":                 {"scraperutils"},
		"scraperutils/robots":               {"scraperutils"},
		"scraperutils/secret":               {},
		"scraperutils/cassette":             {"scraperutils", "scraperutils/secret"},
		"scraperutils/dates":                {"scraperutils"},
		"scraperutils/conformance":          {},
		"scraperutils/agent":                {"scraperutils", "scheduler", "scraperutils/robots"},
		"scraperutils/validate":             {"scraperutils", "scraperutils/dates"},
		"scraperutils/quality":              {"scraperutils"},
		"scraperutils/runlog":               {"scraperutils"},
		"scraperutils/crawl":                {"scraperutils", "scraperutils/pace", "scheduler"},
		"scraperutils/crawl/durable":        {},
		"scraperutils/crawl/jsonl":          {"scraperutils/crawl", "scraperutils/crawl/durable"},
		"scraperutils/crawl/sinktest":       {"scraperutils", "scraperutils/crawl"},
		"scraperutils/warc":                 {"scraperutils/crawl", "scraperutils/crawl/durable"},
		"scraperutils/amqp":                 {"scraperutils", "scraperutils/crawl", "scraperutils/crawl/jsonl"},
		"scraperutils/amqp/amqptest":        {},
		"db":                                {"scraperutils"},
		"fixtures":                          {},
		"authorities/register":              {"scraperutils", "scraperutils/agent", "scraperutils/dates"},
		"authorities/register/registertest": {"scraperutils", "scraperutils/agent", "scraperutils/cassette", "scraperutils/dates", "authorities/register"},
		"authorities/aspnet":                {"scraperutils/agent"},
		"authorities":                       {"scraperutils", "authorities/"},
		"authorities/PLATFORM":              {"scraperutils", "scraperutils/agent", "scraperutils/dates", "authorities/register", "authorities/aspnet"},
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
			allowed = may["fixtures"]
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
	homes := map[string][]string{
		"github.com/mattn/go-sqlite3":    {"db"},
		"github.com/go-resty/resty/v2":   {"scraperutils/agent"},
		"github.com/rabbitmq/amqp091-go": {"scraperutils/amqp", "scraperutils/amqp/amqptest"},
		"github.com/alecthomas/kong":     {"cmd/"},
		"github.com/rs/zerolog":          {"cmd/"},
		"github.com/stretchr/testify":    {"authorities/register/registertest"},
	}
	for name, imports := range importsOf(t) {
		for _, path := range imports {
			for library, home := range homes {
				if path == library || strings.HasPrefix(path, library+"/") {
					assert.True(t, allows(home, name), "%s imports %s, which only %s may", name, library, home)
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
