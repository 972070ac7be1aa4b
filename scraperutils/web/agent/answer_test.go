package agent_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

// outcomes is a Pacer that waits for nothing and keeps what it is told.
type outcomes []scraperutils.Outcome

func (all *outcomes) Pace(scraperutils.Host) scraperutils.Pace { return all }
func (*outcomes) Sent(time.Time)                               {}
func (*outcomes) Revive()                                      {}
func (*outcomes) Earliest() scraperutils.Wait                  { return scraperutils.Wait{} }
func (all *outcomes) Observe(o scraperutils.Outcome) bool {
	*all = append(*all, o)
	return false
}

// scheduled runs a scraper alone and returns its error.
func scheduled(t *testing.T, p scheduler.Pacer, scrape func(ctx context.Context) error) error {
	t.Helper()
	s := scheduler.New(scheduler.Config{Pacer: p})
	require.NoError(t, s.Register("kyogle", scrape))
	r, err := s.Run(t.Context())
	require.NoError(t, err)
	return r.Operations[0].Err
}

// Whatever the host answered is told beside the error, with the crawl-delay.
func TestAnswersBesideErrors(t *testing.T) {
	for path, c := range map[string]struct {
		status int // 0: none
		class  scraperutils.Class
	}{
		"/403":       {403, scraperutils.ClassBlocked},
		"/large":     {200, scraperutils.ClassOther},
		"/encoded":   {200, scraperutils.ClassProtocol},
		"/half":      {200, scraperutils.ClassConnect},
		"/leads":     {302, scraperutils.ClassRobots},
		"/loop":      {302, scraperutils.ClassHTTP3xx},
		"/to/reset":  {302, scraperutils.ClassConnect},
		"/reset":     {0, scraperutils.ClassConnect},
		"/forbidden": {0, scraperutils.ClassRobots},
	} {
		t.Run(path, func(t *testing.T) {
			_, base := site(t, func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/robots.txt":
					io.WriteString(w, "User-agent: *\nDisallow: /forbidden\nCrawl-delay: 4")
				case "/403":
					w.WriteHeader(403)
				case "/large":
					w.Header().Set("Content-Encoding", "gzip")
					w.Write(gzipped(make([]byte, fetch.DefaultMaxBody+1)))
				case "/encoded":
					w.Header().Set("Content-Encoding", "br")
					io.WriteString(w, "xx")
				case "/half":
					w.Header().Set("Content-Length", "100")
				case "/leads":
					http.Redirect(w, r, "/forbidden", http.StatusFound)
				case "/loop":
					http.Redirect(w, r, "/loop", http.StatusFound)
				case "/to/reset":
					http.Redirect(w, r, "/reset", http.StatusFound)
				case "/reset":
					panic(http.ErrAbortHandler)
				}
			})
			a := newAgent(t, agent.Config{Fetch: fetch.Config{Robots: newCache(t)}})
			var seen outcomes
			err := scheduled(t, &seen, func(ctx context.Context) error { _, err := a.Get(ctx, base+path); return err })
			assert.Equal(t, c.class, scraperutils.ClassOf(err), "%v", err)
			require.Len(t, seen, 1)
			assert.Equal(t, c.status, seen[0].Status())
			require.NotNil(t, seen[0].Response)
			assert.Equal(t, 4*time.Second, seen[0].Response.CrawlDelay)
			assert.Equal(t, c.status != 0, seen[0].Response.Took > 0)
			assert.Equal(t, seen[0].Err == nil, seen[0].Response.Body != nil)
		})
	}
}

// visits is a host in a bubble that answers at once, and keeps when it was asked for what, in seconds.
type visits struct {
	began  time.Time
	answer func(n int, r *http.Request) *http.Response // the nth visit, from 1
	seen   []string
}

func (v *visits) RoundTrip(r *http.Request) (*http.Response, error) {
	v.seen = append(v.seen, fmt.Sprintf("%g %s", time.Since(v.began).Seconds(), r.URL.Path))
	response := v.answer(len(v.seen), r)
	if response == nil {
		return nil, errors.New("no answer")
	}
	response.Request = r
	return response, nil
}

func reply(status int, retryAfter, body string) *http.Response {
	h := http.Header{}
	if retryAfter != "" {
		h.Set("Retry-After", retryAfter)
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

// A busy page that speaks of bots is waited for like any other, and is a wall only when it stays.
func TestWallThatMayPass(t *testing.T) {
	for name, c := range map[string]struct {
		retryAfter string
		busy       int // answers
		seen       []string
		class      scraperutils.Class
	}{
		"it passes":               {"", 2, []string{"0 /", "5 /", "15 /"}, ""},
		"it stays":                {"", 9, []string{"0 /", "5 /", "15 /", "35 /"}, scraperutils.ClassBlocked},
		"it says how long":        {"7", 1, []string{"0 /", "7 /"}, ""},
		"it says so all the time": {"7", 9, []string{"0 /", "7 /", "14 /", "21 /"}, scraperutils.ClassHTTP5xx},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := &visits{began: time.Now(), answer: func(n int, _ *http.Request) *http.Response {
					if n <= c.busy {
						return reply(503, c.retryAfter, "<p>Blocked by Cloudflare")
					}
					return reply(200, "", "")
				}}
				a := agent.New(agent.Config{Fetch: fetch.Config{Transport: host}})
				err := scheduled(t, pace.New(pace.Config{}), func(ctx context.Context) error { _, err := a.Get(ctx, "http://a.example/"); return err })
				assert.Equal(t, c.class, scraperutils.ClassOf(err), "%v", err)
				assert.Equal(t, c.seen, host.seen)
			})
		})
	}
}

// A robots.txt that is to be asked for later holds its host as a page would.
func TestRobotsLater(t *testing.T) {
	for name, c := range map[string]struct {
		busy   int // answers
		status int
		seen   []string
		warned []int
	}{
		"once":        {1, 429, []string{"0 /robots.txt", "7 /robots.txt", "7 /x"}, nil},
		"all tries":   {4, 503, []string{"0 /robots.txt", "7 /robots.txt", "14 /robots.txt", "21 /robots.txt", "28 /x"}, []int{503}},
		"all the day": {99, 429, []string{"0 /robots.txt", "7 /robots.txt", "14 /robots.txt", "21 /robots.txt", "28 /x"}, []int{429}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := &visits{began: time.Now(), answer: func(n int, r *http.Request) *http.Response {
					if r.URL.Path == "/robots.txt" && n <= c.busy {
						return reply(c.status, "7", "")
					}
					return reply(200, "", "")
				}}
				var warned []int
				cache := robots.NewCache(robots.Config{OnUnread: func(_ scraperutils.Host, _ error, status int) { warned = append(warned, status) }})
				a := agent.New(agent.Config{Fetch: fetch.Config{Transport: host, Robots: cache}})
				require.NoError(t, scheduled(t, pace.New(pace.Config{}), func(ctx context.Context) error { _, err := a.Get(ctx, "http://a.example/x"); return err }))
				assert.Equal(t, c.seen, host.seen)
				assert.Equal(t, c.warned, warned)
			})
		})
	}
}

// A page that is forbidden stays unasked for where the robots.txt could not be read at first.
func TestRobotsUnreadAtFirst(t *testing.T) {
	host := &visits{answer: func(n int, r *http.Request) *http.Response {
		if n == 1 {
			return nil
		}
		return reply(200, "", "User-agent: *\nDisallow: /secret")
	}}
	a := agent.New(agent.Config{Fetch: fetch.Config{Transport: host, Robots: newCache(t)}})
	_, err := a.Get(t.Context(), "http://a.example/open")
	require.NoError(t, err)
	_, err = a.Get(t.Context(), "http://a.example/secret")
	assert.Equal(t, scraperutils.ClassRobots, scraperutils.ClassOf(err))
}

// Of a robots.txt that is far too large the beginning counts.
func TestLargeRobots(t *testing.T) {
	a, base, _ := robotsSite(t, agent.Config{Fetch: fetch.Config{Robots: newCache(t)}}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			io.WriteString(w, "User-agent: *\nDisallow: /secret\n")
			line := []byte("# " + strings.Repeat("x", 1<<20) + "\n")
			for range fetch.DefaultMaxBody>>20 + 1 {
				w.Write(line)
			}
		}
	})
	_, err := a.Get(t.Context(), base+"/secret")
	assert.Equal(t, scraperutils.ClassRobots, scraperutils.ClassOf(err))
}
