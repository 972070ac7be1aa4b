package family

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/fixtures"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

// scrapeSites scrapes built-in sites and returns what they saw.
func scrapeSites(t *testing.T, c *runCommand, s settings, labels ...string) []fixtures.Request {
	t.Helper()
	known, err := authorities.Load()
	require.NoError(t, err)
	entries, err := known.Select(labels)
	require.NoError(t, err)
	clock := site.Clock{Now: time.Now()}
	sites, err := councils.startBuiltIn(clock, known, nil)
	require.NoError(t, err)
	defer sites.Close()
	c.DB, c.LogFormat = database(t), "text"
	d, err := db.Open(t.Context(), c.DB, db.Options{})
	require.NoError(t, err)
	code, err := c.scrape(t.Context(), cli.Console{Env: os.Getenv, Stdout: io.Discard, Stderr: io.Discard}, s, clock, entries, store{d, &commitLog{}}, sites)
	require.NoError(t, err)
	require.NoError(t, d.Close())
	require.Equal(t, cli.ExitOK, code)
	return sites.(*fixtures.Server).Log()
}

// byHost sorts what was seen by host.
func byHost(log []fixtures.Request) map[string][]fixtures.Request {
	hosts := map[string][]fixtures.Request{}
	for _, r := range log {
		hosts[r.Host] = append(hosts[r.Host], r)
	}
	for _, requests := range hosts {
		slices.SortFunc(requests, func(a, b fixtures.Request) int { return a.Began.Compare(b.Began) })
	}
	return hosts
}

// Every host sees its robots.txt asked for first and once, one request at a time, and a rest after each answer that is as long
// as the answer took (the running average of what it took, to be exact; the first is the answer's own).
func TestWhatHostsSee(t *testing.T) {
	t.Parallel()
	log := scrapeSites(t, &runCommand{family: councils}, defaults(t), "cowra", "liverpool_plains", "uralla", "walcha", "weddin", "kyogle", "noosa", "kiama", "ballarat")
	hosts := byHost(log)
	assert.GreaterOrEqual(t, len(hosts), 5)
	for host, requests := range hosts {
		assert.Equal(t, "/robots.txt", requests[0].URL, host)
		robots := 0
		for i, r := range requests {
			if r.URL == "/robots.txt" {
				robots++
			}
			if i == 0 {
				continue
			}
			gap := r.Began.Sub(requests[i-1].Ended)
			assert.GreaterOrEqual(t, gap, time.Duration(0), "%s: two requests at once", host)
			if i == 2 { // after the first page
				took := requests[1].Ended.Sub(requests[1].Began)
				assert.GreaterOrEqual(t, gap, took, "%s: rests less than its answer took", host)
			}
		}
		assert.Equal(t, 1, robots, host)
	}
	shared := hosts["myhorizon.solorient.com.au:80"]
	assert.Len(t, shared, 1+5*2, "five councils on one host, one robots.txt")
}

// Of fifty operations that start on one host at once, one fetches its robots.txt, and no page that it forbids is ever asked for.
func TestOneRobotsForFiftyOperations(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.URL.Path)
		if r.URL.Path == "/robots.txt" {
			io.WriteString(w, "User-agent: ScraperUtils\nDisallow: /secret\n")
		}
	}))
	defer server.Close()
	scrapers := map[string]scraperFunc{}
	for i := range 50 {
		path := map[bool]string{true: "/secret/", false: "/open/"}[i%2 == 0]
		scrapers["council"+string(rune('a'+i/26))+string(rune('a'+i%26))] = func(ctx context.Context, v *site.Visit) error {
			_, err := v.Agent.Get(ctx, server.URL+path)
			return err
		}
	}
	got, database := scrapeWith(t, t.Context(), &runCommand{family: councils, NoDelay: true}, defaults(t), scrapers)
	assert.Equal(t, cli.ExitUnexpected, got.code)
	assert.Equal(t, "/robots.txt", seen[0])
	assert.Equal(t, 1, strings.Count(strings.Join(seen, "\n"), "/robots.txt"))
	assert.Equal(t, 25, strings.Count(strings.Join(seen, "\n"), "/open/"))
	assert.NotContains(t, seen, "/secret/")
	assert.Len(t, rows(t, database, "SELECT * FROM scrape_log WHERE failure_class = 'robots'"), 25)
}

// MORPH_NOT_COMPLIANT lifts the ban and nothing else, and the report says so.
func TestNotCompliant(t *testing.T) {
	t.Parallel()
	path := database(t)
	got := scrape(t, t.Context(), []string{"MORPH_NOT_COMPLIANT=1"}, "--fixtures", "--no-delay", "--authority", "noosa", "--misbehave", "noosa=robots", "--db", path)
	assert.Equal(t, cli.ExitOK, got.code)
	assert.Contains(t, got.stdout, "WARNING: MORPH_NOT_COMPLIANT is set: pages that a robots.txt forbids are fetched all the same")
}

// Through the proxy go those that need it, with its name and password, which are seen nowhere else.
func TestAustralianProxy(t *testing.T) {
	t.Parallel()
	const password = "s3cr3t-pass"
	var mu sync.Mutex
	var through []string
	var authorization, language string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		through = append(through, r.URL.Host)
		authorization, language = r.Header.Get("Proxy-Authorization"), r.Header.Get("Accept-Language")
		io.WriteString(w, "nothing here")
	}))
	defer proxy.Close()
	address := "http://user:" + password + "@" + strings.TrimPrefix(proxy.URL, "http://")
	more := database(t) + ".yml"
	writeFile(t, more, `
- {authority: needs_it, platform: icon, url: "http://needs-it.example", period: thisweek, australian_proxy: true}
- {authority: does_not, platform: icon, url: "http://127.0.0.1:1", period: thisweek}
`)
	folder := t.TempDir()
	path := folder + "/data.sqlite"
	env := []string{"MORPH_AUSTRALIAN_PROXY=" + address, "MORPH_DEBUG=3"}
	got := scrape(t, t.Context(), env, "--authorities", more, "--authority", "needs_it,does_not", "--db", path, "--attempts", "1", "--record", folder+"/tapes")
	assert.Equal(t, cli.ExitUnexpected, got.code)
	assert.Contains(t, through, "needs-it.example")
	assert.NotContains(t, through, "127.0.0.1:1")
	assert.Equal(t, "Basic dXNlcjpzM2NyM3QtcGFzcw==", authorization)
	assert.Equal(t, "en-AU,en-US;q=0.9,en;q=0.8", language)
	assert.Equal(t, "connect", outcome(t, path, "does_not")["failure_class"])

	// The password is in nothing that was printed or stored.
	assert.NotContains(t, got.stdout+got.stderr, password)
	assert.NotContains(t, got.stdout+got.stderr, "dXNlcjpzM2NyM3QtcGFzcw")
	files := 0
	for _, name := range filesBelow(t, folder) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.NotContains(t, string(text), password, name)
		assert.NotContains(t, string(text), "dXNlcjpzM2NyM3QtcGFzcw", name)
		files++
	}
	assert.GreaterOrEqual(t, files, 3, "a database, a recording and the evidence")

	t.Run("for all", func(t *testing.T) {
		through = nil
		scrape(t, t.Context(), append(env, "MORPH_USE_PROXY=1"), "--authorities", more, "--authority", "does_not", "--db", database(t), "--attempts", "1")
		assert.Contains(t, through, "127.0.0.1:1")
	})
	t.Run("that is gone", func(t *testing.T) {
		u, err := url.Parse(address)
		require.NoError(t, err)
		u.Host = "127.0.0.1:1"
		path := database(t)
		got := scrape(t, t.Context(), []string{"MORPH_AUSTRALIAN_PROXY=" + u.String()}, "--authorities", more, "--authority", "needs_it", "--db", path, "--attempts", "1")
		assert.Equal(t, "connect", outcome(t, path, "needs_it")["failure_class"])
		assert.Contains(t, got.stdout, "the proxy 127.0.0.1:1 can't be reached")
	})
}

// Built-in sites and recordings are on no network, so there is no way through a proxy to them.
func TestFixturesNeedNoProxy(t *testing.T) {
	t.Parallel()
	env := []string{"MORPH_AUSTRALIAN_PROXY=http://127.0.0.1:1", "MORPH_USE_PROXY=1"}
	got := scrape(t, t.Context(), env, "--fixtures", "--no-delay", "--authority", "kyogle", "--db", database(t))
	assert.Equal(t, cli.ExitOK, got.code, got.stdout)
}

// Without a proxy, those that need one are asked directly, with a warning.
func TestNoProxy(t *testing.T) {
	t.Parallel()
	more := database(t) + ".yml"
	writeFile(t, more, `- {authority: needs_it, platform: icon, url: "http://127.0.0.1:1", period: thisweek, australian_proxy: true}`)
	got := scrape(t, t.Context(), nil, "--authorities", more, "--authority", "needs_it", "--db", database(t), "--attempts", "1")
	assert.Contains(t, got.stdout, "MORPH_AUSTRALIAN_PROXY is not set")
}

// Why a request waits is in the debug log: host, rule, until when.
func TestDebugLogTellsWhyItWaits(t *testing.T) {
	t.Parallel()
	got := scrape(t, t.Context(), []string{"MORPH_DEBUG=1"}, "--fixtures", "--authority", "cowra,weddin", "--db", database(t))
	assert.Regexp(t, `waiting authority=\w+ host=myhorizon.solorient.com.au request="GET [^"]+" rule="busy host"`, got.stdout)
	assert.Regexp(t, `waiting authority=\w+ host=myhorizon.solorient.com.au request="GET [^"]+" rule=(max_load|crawl-delay) until=\d\d:\d\d:\d\d\.\d{3}`, got.stdout)
}

func filesBelow(t testing.TB, folder string) (names []string) {
	t.Helper()
	for _, e := range must(os.ReadDir(folder)) {
		if name := folder + "/" + e.Name(); e.IsDir() {
			names = append(names, filesBelow(t, name)...)
		} else {
			names = append(names, name)
		}
	}
	return names
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
