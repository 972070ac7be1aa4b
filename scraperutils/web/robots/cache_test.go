package robots_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

func answer(status int, body string) *scraperutils.Response {
	return &scraperutils.Response{Status: status, Body: []byte(body)}
}

func parse(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	require.NoError(t, err)
	return u
}

// Of fifty that ask for a host at once, one fetches.
func TestOneFetchAHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := robots.NewCache(robots.Config{Product: "foobot"})
		var mu sync.Mutex
		var fetched []string
		fetch := func(_ context.Context, u *url.URL) (*scraperutils.Response, error) {
			time.Sleep(time.Second)
			mu.Lock()
			defer mu.Unlock()
			fetched = append(fetched, u.String())
			return answer(200, "User-agent: *\nDisallow: /x"), nil
		}
		var wg sync.WaitGroup
		for range 50 {
			for _, host := range []string{"http://a.example", "http://A.example:80", "https://a.example", "http://a.example:8080"} {
				wg.Go(func() {
					u := parse(t, host+"/x?y")
					r, err := c.Rules(t.Context(), u, fetch)
					assert.NoError(t, err)
					assert.False(t, r.Allowed(u))
				})
			}
		}
		wg.Wait()
		assert.Len(t, fetched, 3, "a host is a name and a port")
	})
}

func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		status  int
		err     error
		allowed bool
		warned  bool
	}{
		"200":                {200, nil, false, false},
		"404":                {404, nil, true, false},
		"403":                {403, nil, true, false},
		"redirects for ever": {302, nil, true, false},
		"500":                {500, nil, true, true},
		"503":                {503, nil, true, true},
		"no answer":          {0, errors.New("connection refused"), true, true},
	} {
		t.Run(name, func(t *testing.T) {
			var warned []string
			fetches := 0
			cache := robots.NewCache(robots.Config{Product: "foobot", OnUnread: func(h scraperutils.Host, why error, status int) {
				assert.Equal(t, c.err, why)
				assert.Equal(t, c.status, status)
				warned = append(warned, h.String())
			}})
			u := parse(t, "http://a.example/x")
			for range 2 {
				r, err := cache.Rules(t.Context(), u, func(context.Context, *url.URL) (*scraperutils.Response, error) {
					fetches++
					return answer(c.status, "User-agent: *\nDisallow: /"), c.err
				})
				require.NoError(t, err)
				assert.Equal(t, c.allowed, r.Allowed(u))
			}
			if c.warned {
				assert.Equal(t, []string{"a.example"}, warned, "once")
			} else {
				assert.Empty(t, warned)
			}
			assert.Equal(t, map[bool]int{false: 1, true: 2}[c.err != nil], fetches, "what was not read is asked for again")
		})
	}
}

// What could not be read allows everything only to those who wait for it; the next one reads it.
func TestUnreadIsNotRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		warnings, fetches := 0, 0
		c := robots.NewCache(robots.Config{Product: "foobot", OnUnread: func(scraperutils.Host, error, int) { warnings++ }})
		u := parse(t, "http://a.example/x")
		fetch := func(context.Context, *url.URL) (*scraperutils.Response, error) {
			fetches++
			time.Sleep(time.Second)
			if fetches < 3 {
				return nil, errors.New("connection reset")
			}
			return answer(200, "User-agent: *\nDisallow: /x"), nil
		}
		for i := range 4 {
			var wg sync.WaitGroup
			for range 50 {
				wg.Go(func() {
					r, err := c.Rules(t.Context(), u, fetch)
					assert.NoError(t, err)
					assert.Equal(t, i < 2, r.Allowed(u))
				})
			}
			wg.Wait()
		}
		assert.Equal(t, 3, fetches)
		assert.Equal(t, 1, warnings)
	})
}

// A host that says "later" is asked again, four times in a row; then everything is allowed. What could not be read in between does not count.
func TestLater(t *testing.T) {
	var warned []int
	c := robots.NewCache(robots.Config{OnUnread: func(_ scraperutils.Host, _ error, status int) { warned = append(warned, status) }})
	u := parse(t, "http://a.example/x")
	for n := range 9 {
		asked := false
		r, err := c.Rules(t.Context(), u, func(context.Context, *url.URL) (*scraperutils.Response, error) {
			asked = true
			if n == 2 {
				return nil, errors.New("connection reset")
			}
			later := answer(503, "")
			later.Header = http.Header{"Retry-After": {"7"}}
			return later, nil
		})
		assert.Equal(t, n < 5, asked, "%d", n)
		if n == 2 || n > 4 {
			require.NoError(t, err)
			assert.True(t, r.Allowed(u))
			continue
		}
		var later *robots.LaterError
		require.ErrorAs(t, err, &later)
		assert.Equal(t, 503, later.Response.Status)
		assert.Equal(t, scraperutils.ClassHTTP5xx, scraperutils.ClassOf(err))
		assert.EqualError(t, err, "503 Service Unavailable for http://a.example/robots.txt")
	}
	assert.Equal(t, []int{0}, warned, "once a host")
}

// A robots.txt counts for a day. Where it can't be read then, what it said counts on.
func TestRulesAreReadAgainAfterADay(t *testing.T) {
	type visit struct {
		after   time.Duration // the one before
		answer  *scraperutils.Response
		fetched bool
		allowed bool
	}
	const closed = "User-agent: *\nDisallow: /x"
	for name, visits := range map[string][]visit{
		"it has changed":     {{0, answer(200, closed), true, false}, {24*time.Hour - 1, nil, false, false}, {1, answer(200, ""), true, true}, {time.Hour, nil, false, true}},
		"it is gone":         {{0, answer(200, closed), true, false}, {24 * time.Hour, answer(404, ""), true, true}},
		"it breaks":          {{0, answer(200, closed), true, false}, {24 * time.Hour, answer(500, ""), true, false}, {time.Hour, nil, false, false}, {24 * time.Hour, answer(200, ""), true, true}},
		"it can't be had":    {{0, answer(200, closed), true, false}, {24 * time.Hour, nil, true, false}, {0, answer(200, ""), true, true}},
		"there was none":     {{0, answer(404, ""), true, true}, {24*time.Hour - 1, nil, false, true}, {1, answer(200, closed), true, false}},
		"it broke, at first": {{0, answer(500, ""), true, true}, {24 * time.Hour, answer(200, closed), true, false}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, u := robots.NewCache(robots.Config{}), parse(t, "http://a.example/x")
				for i, v := range visits {
					time.Sleep(v.after)
					fetched := false
					r, err := c.Rules(t.Context(), u, func(context.Context, *url.URL) (*scraperutils.Response, error) {
						fetched = true
						if v.answer == nil {
							return nil, errors.New("connection refused")
						}
						return v.answer, nil
					})
					require.NoError(t, err)
					assert.Equal(t, v.fetched, fetched, "visit %d", i)
					assert.Equal(t, v.allowed, r.Allowed(u), "visit %d", i)
				}
			})
		})
	}
}

// Of many hosts those are forgotten that were asked for least recently.
func TestHostsAreForgotten(t *testing.T) {
	c := robots.NewCache(robots.Config{MaxHosts: 2})
	fetched := ""
	for _, host := range strings.Split("abacaba", "") {
		_, err := c.Rules(t.Context(), parse(t, "http://"+host+".example/x"), func(context.Context, *url.URL) (*scraperutils.Response, error) {
			fetched += host
			return answer(404, ""), nil
		})
		require.NoError(t, err)
	}
	assert.Equal(t, "abcb", fetched)
	assert.Equal(t, 2, c.Len())
}

// A process that serves for months holds no more than it may.
func TestCacheDoesNotGrow(t *testing.T) {
	c := robots.NewCache(robots.Config{MaxHosts: 100})
	for i := range 10_000 {
		_, err := c.Rules(t.Context(), parse(t, fmt.Sprintf("http://h%d.example/x", i)), func(context.Context, *url.URL) (*scraperutils.Response, error) {
			if i%3 == 0 {
				return nil, errors.New("connection refused")
			}
			return answer(500, ""), nil
		})
		require.NoError(t, err)
	}
	assert.Equal(t, 100, c.Len())
}

// Who waits for a host that is forgotten meanwhile is served all the same.
func TestForgottenWhileItIsFetched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := robots.NewCache(robots.Config{MaxHosts: 1})
		fetch := func(context.Context, *url.URL) (*scraperutils.Response, error) {
			time.Sleep(time.Second)
			return answer(200, "User-agent: *\nDisallow: /x"), nil
		}
		var wg sync.WaitGroup
		for _, host := range []string{"a", "a", "b", "b"} {
			wg.Go(func() {
				u := parse(t, "http://"+host+".example/x")
				r, err := c.Rules(t.Context(), u, fetch)
				assert.NoError(t, err)
				assert.False(t, r.Allowed(u))
			})
		}
		wg.Wait()
		assert.Equal(t, 1, c.Len())
	})
}

// Who is cancelled while it fetches leaves the work to the next one.
func TestCancelledFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := robots.NewCache(robots.Config{Product: "foobot", OnUnread: func(scraperutils.Host, error, int) { t.Error("a cancelled fetch says nothing of the host") }})
		u := parse(t, "http://a.example/x")
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			_, err := c.Rules(ctx, u, func(ctx context.Context, _ *url.URL) (*scraperutils.Response, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})
			assert.Equal(t, cause, err)
		}()
		synctest.Wait()
		impatient, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		_, err := c.Rules(impatient, u, nil)
		assert.ErrorIs(t, err, context.DeadlineExceeded, "who waits can be cancelled too")

		done := make(chan struct{})
		go func() {
			defer close(done)
			r, err := c.Rules(t.Context(), u, func(context.Context, *url.URL) (*scraperutils.Response, error) {
				return answer(200, "User-agent: *\nDisallow: /"), nil
			})
			assert.NoError(t, err)
			assert.False(t, r.Allowed(u))
		}()
		synctest.Wait()
		cancel(cause)
		<-done
	})
}
