package robots_test

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/robots"
)

func parse(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	require.NoError(t, err)
	return u
}

// Of fifty that ask for a host at once, one fetches.
func TestOneFetchAHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := robots.NewCache("foobot", nil)
		var mu sync.Mutex
		var fetched []string
		fetch := func(_ context.Context, u *url.URL) (int, []byte, error) {
			time.Sleep(time.Second)
			mu.Lock()
			defer mu.Unlock()
			fetched = append(fetched, u.String())
			return 200, []byte("User-agent: *\nDisallow: /x"), nil
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
			cache := robots.NewCache("foobot", func(h scraperutils.Host, why error, status int) {
				assert.Equal(t, c.err, why)
				assert.Equal(t, c.status, status)
				warned = append(warned, h.String())
			})
			u := parse(t, "http://a.example/x")
			for range 2 {
				r, err := cache.Rules(t.Context(), u, func(context.Context, *url.URL) (int, []byte, error) {
					fetches++
					return c.status, []byte("User-agent: *\nDisallow: /"), c.err
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
		c := robots.NewCache("foobot", func(scraperutils.Host, error, int) { warnings++ })
		u := parse(t, "http://a.example/x")
		fetch := func(context.Context, *url.URL) (int, []byte, error) {
			fetches++
			time.Sleep(time.Second)
			if fetches < 3 {
				return 0, nil, errors.New("connection reset")
			}
			return 200, []byte("User-agent: *\nDisallow: /x"), nil
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

// A host that says "later" is asked again until somebody gives up.
func TestLater(t *testing.T) {
	var warned []int
	c := robots.NewCache("foobot", func(_ scraperutils.Host, _ error, status int) { warned = append(warned, status) })
	u := parse(t, "http://a.example/x")
	later := &robots.LaterError{URL: "http://a.example/robots.txt", Response: &scraperutils.Response{Status: 503}}
	fetches := 0
	ask := func() (*robots.Rules, error) {
		return c.Rules(t.Context(), u, func(context.Context, *url.URL) (int, []byte, error) { fetches++; return 0, nil, later })
	}
	for range 2 {
		_, err := ask()
		assert.ErrorIs(t, err, later)
	}
	assert.Empty(t, warned)
	c.GiveUp(u, later)
	c.GiveUp(u, later)
	r, err := ask()
	require.NoError(t, err)
	assert.True(t, r.Allowed(u))
	assert.Equal(t, []int{503}, warned)
	assert.Equal(t, 2, fetches)
	assert.Equal(t, scraperutils.ClassHTTP5xx, scraperutils.ClassOf(later))
}

// Who is cancelled while it fetches leaves the work to the next one.
func TestCancelledFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := robots.NewCache("foobot", func(scraperutils.Host, error, int) { t.Error("a cancelled fetch says nothing of the host") })
		u := parse(t, "http://a.example/x")
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			_, err := c.Rules(ctx, u, func(ctx context.Context, _ *url.URL) (int, []byte, error) {
				<-ctx.Done()
				return 0, nil, ctx.Err()
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
			r, err := c.Rules(t.Context(), u, func(context.Context, *url.URL) (int, []byte, error) {
				return 200, []byte("User-agent: *\nDisallow: /"), nil
			})
			assert.NoError(t, err)
			assert.False(t, r.Allowed(u))
		}()
		synctest.Wait()
		cancel(cause)
		<-done
	})
}
