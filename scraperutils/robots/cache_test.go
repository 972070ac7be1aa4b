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
			cache := robots.NewCache("foobot", func(h scraperutils.Host, why error, status int) {
				assert.Equal(t, c.err, why)
				assert.Equal(t, c.status, status)
				warned = append(warned, h.String())
			})
			u := parse(t, "http://a.example/x")
			for range 2 {
				r, err := cache.Rules(t.Context(), u, func(context.Context, *url.URL) (int, []byte, error) {
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
		})
	}
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
