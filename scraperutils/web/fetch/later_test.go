package fetch_test

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
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

// busyRobots is a host whose robots.txt is to be had later for so many visits. It keeps when it was asked for what, in seconds.
type busyRobots struct {
	busy  int
	began time.Time
	seen  []string
}

func (b *busyRobots) RoundTrip(r *http.Request) (*http.Response, error) {
	b.seen = append(b.seen, fmt.Sprintf("%g %s", time.Since(b.began).Seconds(), r.URL.Path))
	response := &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: r}
	if r.URL.Path == "/robots.txt" && len(b.seen) <= b.busy {
		response.StatusCode = 429
		response.Header.Set("Retry-After", "7")
	}
	return response, nil
}

// A robots.txt that is to be asked for later holds its host, and is given up after four times, without a session as with one.
func TestRobotsLater(t *testing.T) {
	for name, c := range map[string]struct {
		busy   int
		failed int // requests, before one comes through
		seen   []string
		warned []int
	}{
		"once":        {1, 0, []string{"0 /robots.txt", "7 /robots.txt", "7 /x"}, nil},
		"three times": {3, 0, []string{"0 /robots.txt", "7 /robots.txt", "14 /robots.txt", "21 /robots.txt", "21 /x"}, nil},
		"for ever":    {99, 1, []string{"0 /robots.txt", "7 /robots.txt", "14 /robots.txt", "21 /robots.txt", "28 /x"}, []int{429}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := &busyRobots{busy: c.busy, began: time.Now()}
				var warned []int
				client := fetch.New(fetch.Config{Transport: host, Robots: robots.NewCache(robots.Config{
					OnUnread: func(_ scraperutils.Host, _ error, status int) { warned = append(warned, status) },
				})})
				s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{})})
				ctx, cancel := context.WithCancel(t.Context())
				served := make(chan error, 1)
				go func() { served <- s.Serve(ctx) }()
				for range c.failed {
					_, err := s.Execute(ctx, client, get(t, "http://a.example/x"))
					var later *robots.LaterError
					require.True(t, errors.As(err, &later), "%v", err)
				}
				_, err := s.Execute(ctx, client, get(t, "http://a.example/x"))
				require.NoError(t, err)
				cancel()
				require.NoError(t, <-served)
				assert.Equal(t, c.seen, host.seen)
				assert.Equal(t, c.warned, warned)
			})
		})
	}
}
