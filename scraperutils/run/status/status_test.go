package status_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/run/status"
)

func ask(h http.Handler) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/status", nil))
	return w
}

// What a worker says arrives as it was said.
func TestThereAndBack(t *testing.T) {
	want := status.Status{
		Program: "crawl", Version: "v1.2.3", Worker: "host-7", Began: time.Date(2026, 11, 21, 1, 17, 0, 0, time.UTC), State: status.Working,
		Figures: []status.Figure{{Name: "pages", Value: 12345, Unit: "pages", Total: true}}, Slow: []string{"a.example: 3 left"}, Problems: []string{},
	}
	w := ask(status.Handler(func(context.Context) (status.Status, error) { return want, nil }))
	assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
	got, err := status.Read(w.Body)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Equal(t, "12,345", got.Figures[0].Text())
}

func TestReadTrustsNothing(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"nothing":            {"", "no status"},
		"a page":             {"<!DOCTYPE html>", "no status"},
		"another document":   {"{}", "it has no state"},
		"an unknown state":   {`{"state":"<b>"}`, "it has no state"},
		"a list":             {"[]", "no status"},
		"a long one":         {`{"state":"working","program":"` + strings.Repeat("x", status.MaxBytes) + `"}`, "more than 65536 bytes"},
		"a number too large": {`{"state":"working","figures":[{"value":1e999}]}`, "no status"},
		"a deep one":         {`{"slow":` + strings.Repeat("[", 30_000), "no status"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := status.Read(strings.NewReader(c.text))
			assert.ErrorContains(t, err, c.says)
		})
	}
	long := strings.Repeat("long ", 1000)
	s, err := status.Read(strings.NewReader(`{"state":"waiting","program":"a\u001b[31m\nb\u202e` + long + `","slow":["` + long + `"` + strings.Repeat(`,"x"`, 1000) + `],"figures":[{"name":"\u0000pages","value":1}` + strings.Repeat(`,{}`, 1000) + `]}`))
	require.NoError(t, err)
	assert.Less(t, len(s.Program), 110)
	assert.True(t, strings.HasPrefix(s.Program, "a[31m b"+"long"), s.Program)
	assert.Less(t, len(s.Slow[0]), 410)
	assert.Len(t, s.Slow, 50)
	assert.Len(t, s.Figures, 50)
	assert.Equal(t, "pages", s.Figures[0].Name)
}

// Four may ask at once, for five seconds at most; what went wrong stays with the worker.
func TestHandlerIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := status.Handler(func(ctx context.Context) (status.Status, error) {
			<-ctx.Done()
			return status.Status{}, errors.New("/home/somebody/frontier.sqlite is locked")
		})
		at, answers := time.Now(), make(chan *httptest.ResponseRecorder, 6)
		for range 6 {
			go func() { answers <- ask(h) }()
		}
		synctest.Wait()
		assert.Len(t, answers, 2, "they were turned away at once")
		for range 6 {
			w := <-answers
			assert.Equal(t, http.StatusServiceUnavailable, w.Code)
			assert.NotContains(t, w.Body.String(), "somebody")
		}
		assert.Equal(t, 5*time.Second, time.Since(at))
	})
}

func FuzzRead(f *testing.F) {
	f.Add(`{"state":"working","figures":[{"name":"a","value":1.5,"unit":"s"}],"slow":["b"],"problems":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := status.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, line := range append(append(s.Slow, s.Problems...), s.Program, s.Version, s.Worker) {
			assert.NotContains(t, line, "\n")
			assert.LessOrEqual(t, len(line), 403)
		}
		for _, figure := range s.Figures {
			_ = figure.Text()
		}
	})
}
