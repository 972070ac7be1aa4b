package agent_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

func TestSuiteMaintenance(t *testing.T) {
	conformance.Each(t, "maintenance", "0.8.2", func(t *testing.T, c struct {
		In  struct{ HTML string }
		Out *string
	}) {
		p, _ := served(t, utf8HTML, c.In.HTML)
		err := p.Missing("table")
		if c.Out == nil {
			assert.Equal(t, scraperutils.ClassLayout, scraperutils.ClassOf(err))
			return
		}
		assert.EqualError(t, err, *c.Out+" ("+p.URL.String()+")")
	})
}

// What the checks of a finished database make of a page is tested with them; here is what a scraper does.
func TestSuiteBotProtection(t *testing.T) {
	conformance.Each(t, "bot_protection", "0.15.0", func(t *testing.T, c struct {
		In struct {
			Code string
			Body *string
		}
		Out struct {
			Detected    bool
			NotExpected string `json:"bot_check_not_expected"` // is of the check
			Expected    string `json:"bot_check_expected"`
		}
	}) {
		status, err := strconv.Atoi(c.In.Code)
		require.NoError(t, err)
		a, base := site(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", utf8HTML)
			w.WriteHeader(status)
			if c.In.Body != nil {
				io.WriteString(w, *c.In.Body)
			}
		})
		p, err := a.Get(t.Context(), base)
		if err == nil {
			err = p.Missing("table") // an ordinary page may speak of such things
		}
		assert.Equal(t, c.Out.Detected, scraperutils.ClassOf(err) == scraperutils.ClassBlocked, "%v", err)
	})
}

// A robots.txt is read once, under the name of the pages, and what it forbids is not asked for.
func TestSuiteRegressions(t *testing.T) {
	type required struct {
		RobotsRequests int      `json:"robots_txt_requests"`
		RobotsAgent    string   `json:"robots_user_agent"`
		ServerSaw      []string `json:"server_saw"`
	}
	conformance.Each(t, "scheduler_regressions", "0.8.2", func(t *testing.T, c struct {
		In struct {
			RobotsStatus int `json:"robots_status"`
			Pages        int
			Robots, Get  string
		}
		Out struct {
			Upstream any // what the gem did
			Required required
		}
	}) {
		a, base, seen := robotsSite(t, agent.Config{Fetch: fetch.Config{Robots: newCache(t)}}, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				w.WriteHeader(max(c.In.RobotsStatus, http.StatusOK))
				io.WriteString(w, strings.ReplaceAll(c.In.Robots, `\n`, "\n"))
			}
		})
		for range c.In.Pages {
			_, err := a.Get(t.Context(), base+"/page")
			require.NoError(t, err)
		}
		if c.In.Get != "" {
			_, err := a.Get(t.Context(), base+c.In.Get)
			assert.Equal(t, scraperutils.ClassRobots, scraperutils.ClassOf(err))
			assert.Equal(t, c.Out.Required, required{ServerSaw: paths(*seen)})
			return
		}
		found := required{RobotsAgent: "same as pages"}
		for i, path := range paths(*seen) {
			if path == "/robots.txt" {
				found.RobotsRequests++
			}
			if !strings.HasSuffix((*seen)[i], " as TestBrowser/1") {
				found.RobotsAgent = (*seen)[i]
			}
		}
		assert.Equal(t, c.Out.Required, found)
		assert.Len(t, *seen, found.RobotsRequests+c.In.Pages)
	})
}

// paths are those of "PATH as NAME".
func paths(seen []string) (all []string) {
	for _, s := range seen {
		path, _, _ := strings.Cut(s, " as ")
		all = append(all, path)
	}
	return all
}
