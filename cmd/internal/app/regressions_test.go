package app

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
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
)

// facts are what a case says, by name.
type facts map[string]any

// key tells scenarios apart: the names of what they are about.
func (f facts) key() string { return strings.Join(slices.Sorted(maps.Keys(f)), " ") }

func (f facts) number(name string) int { n, _ := f[name].(float64); return int(n) }

// Scenarios that went wrong with the gem, and what is required instead. Those that are not here belong to the scheduler, which
// refuses one that nobody has translated.
func TestSuiteRegressions(t *testing.T) {
	done := map[string]bool{}
	conformance.Each(t, "scheduler_regressions", "0.8.2", func(t *testing.T, c struct {
		In  facts
		Out struct{ Required facts }
	}) {
		holds := regressions[c.In.key()]
		if holds == nil {
			t.Skip("not of the command")
		}
		done[c.In.key()] = true
		holds(t, c.In, c.Out.Required)
	})
	assert.Len(t, done, len(regressions))
}

var regressions = map[string]func(t *testing.T, in, required facts){
	"block env": func(t *testing.T, in, _ facts) {
		env := []string{"DEBUG=" + in["env"].(map[string]any)["DEBUG"].(string)}
		got := scrape(t, t.Context(), env, "--fixtures", "--no-delay", "--authority", "kyogle", "--db", database(t))
		assert.Equal(t, exitOK, got.code, got.stdout)
		assert.Empty(t, got.stderr)
		assert.Contains(t, got.stdout, " DBG ")
	},
	"env": testRunTimeoutSetting,
	"timeout_hits": func(t *testing.T, _, required facts) {
		got, path := scrapeWith(t, t.Context(), &runCommand{}, defaults(t, "MORPH_RUN_TIMEOUT=0.2"), map[string]scraperFunc{
			"saves": saving(1),
			"hangs": func(ctx context.Context, _ *register.Visit) error { <-ctx.Done(); return context.Cause(ctx) },
		})
		assert.Equal(t, required.number("exit"), got.code)
		assert.Len(t, rows(t, path, "SELECT * FROM data"), required.number("data_rows"))
		assert.Len(t, rows(t, path, "SELECT * FROM scrape_log"), required.number("scrape_log_rows"))
		assert.Equal(t, required["summary_printed"], strings.Contains(got.stdout, "Scraping Summary:"))
	},
	"max_workers operations": func(t *testing.T, in, _ facts) {
		scrapers := map[string]scraperFunc{}
		for i := range in.number("operations") {
			scrapers[fmt.Sprint(i)] = saving(1)
		}
		got, _ := scrapeWith(t, t.Context(), &runCommand{}, defaults(t, fmt.Sprint("MORPH_MAX_WORKERS=", in.number("max_workers"))), scrapers)
		assert.Equal(t, 1, strings.Count(got.stdout, "Scheduler processed "))
		assert.Contains(t, got.stdout, fmt.Sprintf("Scheduler processed 0 calls for %d registrations", len(scrapers)))
	},
	"MORPH_EXPECT_BAD authorities processes version": func(t *testing.T, in, required facts) {
		site := newSite(t)
		s := defaults(t, "MORPH_EXPECT_BAD="+in["MORPH_EXPECT_BAD"].(string))
		got, path := scrapeWith(t, t.Context(), &runCommand{NoDelay: true}, s, map[string]scraperFunc{
			"good1": saving(3), "good2": saving(3),
			"blocked": func(ctx context.Context, v *register.Visit) error {
				_, err := v.Agent.Get(ctx, site+"/forbidden")
				return err
			},
		})
		assert.Equal(t, required.number("exit"), got.code, got.stdout)
		assert.Len(t, rows(t, path, "SELECT * FROM data"), required.number("data_rows"))
		assert.Equal(t, "blocked", outcome(t, path, "blocked")["failure_class"])
	},
	"authorities_finished authorities_running look_after_seconds version": func(t *testing.T, in, required facts) {
		site, n := newSite(t), in.number("authorities_finished")
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
			scrapers[fmt.Sprint("good", i)] = func(ctx context.Context, v *register.Visit) error {
				if err := saving(3)(ctx, v); err != nil {
					return err
				}
				_, err := v.Agent.Get(ctx, site+fmt.Sprint("/", i)) // its answer comes when what was saved is on the disk
				saved <- struct{}{}
				return err
			}
		}
		var seen []map[string]string
		c := &runCommand{NoDelay: true}
		scrapers["running"] = func(ctx context.Context, v *register.Visit) error {
			_, err := v.Agent.Get(ctx, slow.URL)
			seen = rows(t, c.DB, "SELECT * FROM data")
			return err
		}
		got, _ := scrapeWith(t, t.Context(), c, defaults(t), scrapers)
		assert.Equal(t, exitOK, got.code, got.stdout)
		assert.Len(t, seen, required.number("data_rows"), "what anybody may read while the run goes on")
	},
}

func testRunTimeoutSetting(t *testing.T, in, required facts) {
	value := in["env"].(map[string]any)["MORPH_RUN_TIMEOUT"].(string)
	if required["rejected_at_start"] == true || required["rejected_or_means_no_limit"] == true {
		path := database(t)
		got := scrape(t, t.Context(), []string{"MORPH_RUN_TIMEOUT=" + value}, "--fixtures", "--db", path)
		assert.Equal(t, exitUsage, got.code)
		assert.Contains(t, got.stderr, "MORPH_RUN_TIMEOUT: can't use ")
		assert.NoFileExists(t, path)
		return
	}
	s, err := readSettings(flagValues{}, variables{"MORPH_RUN_TIMEOUT": value}.get, time.Now())
	require.NoError(t, err)
	switch {
	case required["treated_as_unset"] == true:
		assert.Zero(t, s.runTimeout)
	case required["parsed_as_6_hours_or_rejected"] == true:
		assert.Equal(t, 6*time.Hour, s.runTimeout)
	default:
		assert.Fail(t, "a case that nobody has translated")
	}
}

// saving is a scraper that saves some records.
func saving(n int) scraperFunc {
	return func(ctx context.Context, v *register.Visit) error {
		for i := range n {
			if err := v.Save(ctx, application(i)); err != nil {
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
