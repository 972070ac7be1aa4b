package agent_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

// A page that lacks something says why, if it does.
func TestPageThatIsNotTheOneExpected(t *testing.T) {
	for name, c := range map[string]struct {
		html, want string
		class      scraperutils.Class
	}{
		"maintenance in the heading": {"<title>X</title><h1>Scheduled\n Maintenance</h1>", "Maintenance: Scheduled Maintenance (", scraperutils.ClassMaintenance},
		"maintenance in the title":   {"<title>MAINTENANCE mode</title><h1>Hi</h1>", "Maintenance: MAINTENANCE mode (", scraperutils.ClassMaintenance},
		"maintenance further down":   {"<h1>Ok</h1><h2>maintenance</h2><p>maintenance", "no table in ", scraperutils.ClassLayout},
		"a wall":                     {"<p>Please complete the reCAPTCHA", `the page says "recaptcha"`, scraperutils.ClassBlocked},
		"another wall":               {"<p>Are you human?", `the page says "are you human"`, scraperutils.ClassBlocked},
		"a word in a script":         {"<script>load('recaptcha')</script><p>Hello", "no table in ", scraperutils.ClassLayout},
		"a word in a long page":      {strings.Repeat("<p>A register.", 500) + "<p>Blocked drain", "no table in ", scraperutils.ClassLayout},
		"nothing":                    {"", "no table in ", scraperutils.ClassLayout},
	} {
		t.Run(name, func(t *testing.T) {
			a, base := site(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", utf8HTML)
				io.WriteString(w, c.html)
			})
			p, err := a.Get(t.Context(), base)
			require.NoError(t, err)
			err = p.Missing("table")
			assert.ErrorContains(t, err, c.want)
			assert.Equal(t, c.class, scraperutils.ClassOf(err))
		})
	}
}

func TestStatusThatMeansMore(t *testing.T) {
	for name, c := range map[string]struct {
		status     int
		body       string
		retryAfter string
		class      scraperutils.Class
	}{
		"403":                             {403, "x", "", scraperutils.ClassBlocked},
		"429":                             {429, "slow down, says cloudflare", "", scraperutils.ClassRateLimited},
		"503":                             {503, "x", "", scraperutils.ClassHTTP5xx},
		"503 for maintenance":             {503, "<h1>Maintenance</h1>", "", scraperutils.ClassMaintenance},
		"500 for maintenance":             {500, "<h1>Maintenance</h1>", "", scraperutils.ClassMaintenance},
		"503 of a wall":                   {503, "<p>CLOUDFLARE Ray", "", scraperutils.ClassBlocked},
		"503 of a wall, but only for now": {503, "<p>CLOUDFLARE Ray", "7", scraperutils.ClassHTTP5xx},
		"404 of a page about maintenance": {404, "<h1>Maintenance</h1>", "", scraperutils.ClassHTTP4xx},
	} {
		t.Run(name, func(t *testing.T) {
			a, base := site(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", utf8HTML)
				if c.retryAfter != "" {
					w.Header().Set("Retry-After", c.retryAfter)
				}
				w.WriteHeader(c.status)
				io.WriteString(w, c.body)
			})
			_, err := a.Get(t.Context(), base)
			assert.Equal(t, c.class, scraperutils.ClassOf(err), "%v", err)
			assert.ErrorContains(t, err, base)
		})
	}
}

func newCache(t *testing.T) *robots.Cache {
	t.Helper()
	return robots.NewCache(robots.Config{})
}

// robotsSite serves a robots.txt and pages, and keeps what was asked for.
func robotsSite(t *testing.T, c agent.Config, handler http.HandlerFunc) (a *agent.Agent, base string, seen *[]string) {
	t.Helper()
	seen = &[]string{}
	_, base = site(t, func(w http.ResponseWriter, r *http.Request) {
		*seen = append(*seen, r.URL.RequestURI()+" as "+strings.SplitN(r.UserAgent(), " ", 2)[0])
		handler(w, r)
	})
	c.Fetch.UserAgent = "TestBrowser/1 (ScraperUtils)"
	return newAgent(t, c), base, seen
}

func TestRobotsBeforeTheFirstPage(t *testing.T) {
	const as = " as TestBrowser/1"
	rules := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				io.WriteString(w, text)
			}
			if r.URL.Path == "/leads" {
				http.Redirect(w, r, "/secret/2", http.StatusFound)
			}
		}
	}
	t.Run("allowed", func(t *testing.T) {
		a, base, seen := robotsSite(t, agent.Config{Fetch: fetch.Config{Robots: newCache(t)}}, rules("User-agent: ScraperUtils\nDisallow: /secret"))
		for range 2 {
			_, err := a.Get(t.Context(), base+"/page?x=1")
			require.NoError(t, err)
		}
		assert.Equal(t, []string{"/robots.txt" + as, "/page?x=1" + as, "/page?x=1" + as}, *seen)
	})
	t.Run("forbidden", func(t *testing.T) {
		a, base, seen := robotsSite(t, agent.Config{Fetch: fetch.Config{Robots: newCache(t)}}, rules("User-agent: ScraperUtils\nDisallow: /secret"))
		_, err := a.Get(t.Context(), base+"/secret/1")
		var useless *scraperutils.UnprocessableSite
		require.ErrorAs(t, err, &useless)
		assert.Equal(t, scraperutils.ClassRobots, scraperutils.ClassOf(err))
		assert.ErrorContains(t, err, "forbids "+base+"/secret/1")
		_, err = a.Get(t.Context(), base+"/leads")
		assert.Equal(t, scraperutils.ClassRobots, scraperutils.ClassOf(err), "nor where a redirect leads there")
		assert.Equal(t, []string{"/robots.txt" + as, "/leads" + as}, *seen)
	})
	t.Run("forbidden, but not compliant", func(t *testing.T) {
		a, base, seen := robotsSite(t, agent.Config{Fetch: fetch.Config{Robots: newCache(t), NotCompliant: true}}, rules("User-agent: *\nDisallow: /"))
		_, err := a.Get(t.Context(), base+"/secret/1")
		require.NoError(t, err)
		assert.Equal(t, []string{"/robots.txt" + as, "/secret/1" + as}, *seen)
	})
	t.Run("redirected to another host", func(t *testing.T) {
		_, other, otherSeen := robotsSite(t, agent.Config{}, rules("User-agent: *\nDisallow: /x"))
		a, base, _ := robotsSite(t, agent.Config{Fetch: fetch.Config{Robots: newCache(t)}}, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				http.Redirect(w, r, other+"/robots.txt", http.StatusMovedPermanently)
			}
		})
		_, err := a.Get(t.Context(), base+"/x")
		assert.Equal(t, scraperutils.ClassRobots, scraperutils.ClassOf(err))
		assert.Equal(t, []string{"/robots.txt" + as}, *otherSeen)
	})
	for _, hops := range []int{5, 6} {
		t.Run(fmt.Sprintf("redirected %d times", hops), func(t *testing.T) {
			left := hops
			a, base, _ := robotsSite(t, agent.Config{Fetch: fetch.Config{Robots: newCache(t)}}, func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasPrefix(r.URL.Path, "/robots.txt") {
					return
				}
				if left--; left >= 0 {
					http.Redirect(w, r, fmt.Sprintf("/robots.txt/%d", left), http.StatusFound)
					return
				}
				io.WriteString(w, "User-agent: *\nDisallow: /x")
			})
			_, err := a.Get(t.Context(), base+"/x")
			assert.Equal(t, hops == 5, err != nil, "five are followed, more are as if there were none")
		})
	}
	t.Run("missing", func(t *testing.T) {
		a, base, seen := robotsSite(t, agent.Config{Fetch: fetch.Config{Robots: newCache(t)}}, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				w.WriteHeader(404)
			}
		})
		for range 3 {
			_, err := a.Get(t.Context(), base+"/x")
			require.NoError(t, err)
		}
		assert.Equal(t, []string{"/robots.txt" + as, "/x" + as, "/x" + as, "/x" + as}, *seen)
	})
}
