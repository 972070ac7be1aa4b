package family

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

// facts are what a case says, by name.
type facts map[string]any

// key tells scenarios apart: the names of what they are about.
func (f facts) key() string { return strings.Join(slices.Sorted(maps.Keys(f)), " ") }

func (f facts) number(name string) int { n, _ := f[name].(float64); return int(n) }

// Scenarios that went wrong with the gem, and what is required instead.
func TestSuiteRegressions(t *testing.T) {
	conformance.Each(t, "scheduler_regressions", "0.8.2", func(t *testing.T, c struct {
		In  facts
		Out struct {
			Upstream any // what the gem did
			Required facts
		}
	}) {
		find := regressions[c.In.key()]
		require.NotNil(t, find, "a case that nobody has translated: %s", c.In.key())
		assert.Equal(t, c.Out.Required, find(t, c.In))
	})
}

// regressions play scenarios, and return what they find under the names of what is required. Numbers are those of JSON.
var regressions = map[string]func(t *testing.T, in facts) facts{
	"block env": func(t *testing.T, in facts) facts {
		env := []string{"DEBUG=" + in["env"].(map[string]any)["DEBUG"].(string)}
		got := scrape(t, t.Context(), env, "--fixtures", "--no-delay", "--authority", "kyogle", "--db", database(t))
		assert.Contains(t, got.stdout, " DBG ")
		return facts{"no_error": got.code == cli.ExitOK && got.stderr == ""}
	},
	"env": runTimeoutSetting,
	"timeout_hits": func(t *testing.T, _ facts) facts {
		got, path := scrapeWith(t, t.Context(), &runCommand{family: councils}, defaults(t, "MORPH_RUN_TIMEOUT=1"), map[string]scraperFunc{
			"saves":  saving(1),
			"stands": func(ctx context.Context, _ *site.Visit) error { <-ctx.Done(); return context.Cause(ctx) },
		})
		return facts{
			"exit": float64(got.code), "data_rows": count(t, path, "data"), "scrape_log_rows": count(t, path, "scrape_log"),
			"summary_printed": strings.Contains(got.stdout, "Scraping Summary:"),
		}
	},
	"MORPH_EXPECT_BAD authorities processes version": func(t *testing.T, in facts) facts {
		served := newSite(t)
		s := defaults(t, "MORPH_EXPECT_BAD="+in["MORPH_EXPECT_BAD"].(string))
		got, path := scrapeWith(t, t.Context(), &runCommand{family: councils, NoDelay: true}, s, map[string]scraperFunc{
			"good1": saving(3), "good2": saving(3),
			"blocked": func(ctx context.Context, v *site.Visit) error {
				_, err := v.Agent.Get(ctx, served+"/forbidden")
				return err
			},
		})
		assert.Equal(t, "blocked", outcome(t, path, "blocked")["failure_class"])
		return facts{"exit": float64(got.code), "data_rows": count(t, path, "data")}
	},
	"authorities_finished authorities_running look_after_seconds version": func(t *testing.T, in facts) facts {
		served, n := newSite(t), in.number("authorities_finished")
		saved := make(chan struct{}, n)
		slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			for i := 0; i < n && r.URL.Path != "/robots.txt"; i++ {
				select {
				case <-saved:
				case <-r.Context().Done():
				}
			}
		}))
		t.Cleanup(slow.Close)
		scrapers := map[string]scraperFunc{}
		for i := range n {
			scrapers[fmt.Sprint("good", i)] = func(ctx context.Context, v *site.Visit) error {
				if err := saving(3)(ctx, v); err != nil {
					return err
				}
				_, err := v.Agent.Get(ctx, served+fmt.Sprint("/", i)) // its answer comes when what was saved is on the disk
				saved <- struct{}{}
				return err
			}
		}
		var seen any
		c := &runCommand{family: councils, NoDelay: true}
		scrapers["running"] = func(ctx context.Context, v *site.Visit) error {
			_, err := v.Agent.Get(ctx, slow.URL)
			seen = count(t, c.DB, "data")
			return err
		}
		got, _ := scrapeWith(t, t.Context(), c, defaults(t), scrapers)
		assert.Equal(t, cli.ExitOK, got.code, got.stdout)
		return facts{"data_rows": seen} // for anybody to read while the run goes on
	},
}

// count returns the number of a table's rows, as JSON has numbers.
func count(t *testing.T, path, table string) any {
	t.Helper()
	return float64(len(rows(t, path, "SELECT * FROM "+table)))
}

// runTimeoutSetting finds how a value of MORPH_RUN_TIMEOUT is taken.
func runTimeoutSetting(t *testing.T, in facts) facts {
	value := in["env"].(map[string]any)["MORPH_RUN_TIMEOUT"].(string)
	s, err := councils.readSettings(variables{"MORPH_RUN_TIMEOUT": value}.console(), time.Now())
	found := map[string]facts{
		"0":  {"rejected_or_means_no_limit": err != nil},
		"-1": {"rejected_at_start": err != nil},
		"":   {"treated_as_unset": err == nil && s.runTimeout == 0},
		"6h": {"parsed_as_6_hours_or_rejected": err == nil && s.runTimeout == 6*time.Hour},
	}[value]
	if err != nil {
		path := database(t)
		got := scrape(t, t.Context(), []string{"MORPH_RUN_TIMEOUT=" + value}, "--fixtures", "--db", path)
		assert.Equal(t, cli.ExitUsage, got.code)
		assert.Contains(t, got.stderr, "MORPH_RUN_TIMEOUT: can't use ")
		assert.NoFileExists(t, path)
	}
	return found
}

// However many begin as others end, a run has one summary.
func TestOneSummaryOfARun(t *testing.T) {
	t.Parallel()
	scrapers := map[string]scraperFunc{"0": saving(1), "1": saving(1), "2": saving(1)}
	got, _ := scrapeWith(t, t.Context(), &runCommand{family: councils}, defaults(t, "MORPH_MAX_WORKERS=1"), scrapers)
	assert.Equal(t, 1, strings.Count(got.stdout, "Scheduler processed "))
	assert.Contains(t, got.stdout, "Scheduler processed 0 calls for 3 registrations")
}

// saving is a scraper that saves some records.
func saving(n int) scraperFunc {
	return func(ctx context.Context, v *site.Visit) error {
		for i := range n {
			if err := register.Save(ctx, v, application(i)); err != nil {
				return err
			}
		}
		return nil
	}
}

// newSite is a site with nothing but a page that is forbidden.
func newSite(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/forbidden" {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}
