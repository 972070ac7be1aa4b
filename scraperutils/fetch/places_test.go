package fetch_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils/fetch"
)

// transportFunc answers requests without a network.
type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// slowly is a body that comes after a time.
type slowly struct {
	io.Reader
	after time.Duration
	told  func()
}

func (s *slowly) Read(b []byte) (int, error) {
	s.told()
	time.Sleep(s.after)
	s.after, s.told = 0, func() {}
	return s.Reader.Read(b)
}

// Many answers that come at once are read some at a time. Those that come slowly do not keep the others from it for long.
func TestBodiesAreReadSomeAtATime(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		takes time.Duration   // each body
		want  []time.Duration // when ten of them begin to be read
	}{
		"quickly": {20 * ms, []time.Duration{0, 0, 0, 0, 20 * ms, 20 * ms, 20 * ms, 20 * ms, 40 * ms, 40 * ms}},
		"slowly":  {time.Second, []time.Duration{0, 0, 0, 0, 50 * ms, 50 * ms, 50 * ms, 50 * ms, 50 * ms, 50 * ms}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var began []time.Duration
				start := time.Now()
				answer := func(r *http.Request) (*http.Response, error) {
					body := &slowly{strings.NewReader("a page"), c.takes, func() {
						mu.Lock()
						defer mu.Unlock()
						began = append(began, time.Since(start))
					}}
					return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, ContentLength: -1, Body: io.NopCloser(body), Request: r}, nil
				}
				client := fetch.New(fetch.Config{Transport: transportFunc(answer), Reading: 4})
				var all sync.WaitGroup
				for range 10 {
					all.Go(func() {
						a, err := client.Do(t.Context(), get(t, "http://a.example/"))
						assert.NoError(t, err)
						assert.Equal(t, "a page", string(a.Body))
					})
				}
				all.Wait()
				assert.Equal(t, c.want, began)
			})
		})
	}
}
