package agent_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

func TestRedirects(t *testing.T) {
	var other *httptest.Server
	var seen []string
	handler := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = append(seen, fmt.Sprintf("%s %s %s", r.Method, r.URL.Path, body))
		switch r.URL.Path {
		case "/same":
			http.Redirect(w, r, "/end", http.StatusFound)
		case "/other":
			http.Redirect(w, r, other.URL+"/end", http.StatusFound)
		case "/other-keeping-the-method":
			http.Redirect(w, r, other.URL+"/end", http.StatusTemporaryRedirect)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/back":
			http.Redirect(w, r, other.URL+"/forth", http.StatusFound)
		}
	}
	other = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/forth" {
			http.Redirect(w, r, r.Header.Get("Referer"), http.StatusFound)
			return
		}
		handler(w, r)
	}))
	defer other.Close()
	a, base := site(t, handler)

	t.Run("on the same host", func(t *testing.T) {
		seen = nil
		p, err := a.Post(t.Context(), base+"/same", agent.Values{{Name: "a", Value: "b c"}})
		require.NoError(t, err)
		assert.Equal(t, base+"/end", p.URL.String())
		assert.Equal(t, []string{"POST /same a=b+c", "GET /end "}, seen)
	})
	t.Run("to another host", func(t *testing.T) {
		seen = nil
		p, err := a.Post(t.Context(), base+"/other", agent.Values{{Name: "a", Value: "b"}})
		require.NoError(t, err)
		assert.Equal(t, other.URL+"/end", p.URL.String())
		assert.Equal(t, []string{"POST /other a=b", "GET /end "}, seen)
	})
	t.Run("with the method kept", func(t *testing.T) {
		seen = nil
		_, err := a.Post(t.Context(), base+"/other-keeping-the-method", agent.Values{{Name: "a", Value: "b"}})
		require.NoError(t, err)
		assert.Equal(t, []string{"POST /other-keeping-the-method a=b", "POST /end a=b"}, seen)
	})
	t.Run("kept as the answer", func(t *testing.T) {
		p, err := a.Get(t.Context(), base+"/same", agent.KeepRedirect)
		require.NoError(t, err)
		assert.Equal(t, http.StatusFound, p.Status)
		assert.Equal(t, "/end", p.Header.Get("Location"))
	})
	for _, path := range []string{"/loop", "/back"} {
		t.Run("without end "+path, func(t *testing.T) {
			_, err := a.Get(t.Context(), base+path)
			var loop *fetch.RedirectError
			assert.ErrorAs(t, err, &loop)
		})
	}
	t.Run("to another host is a request of its own", func(t *testing.T) {
		var hosts []string
		s := scheduler.New(scheduler.Config{OnEvent: []func(scraperutils.Event){func(e scraperutils.Event) {
			if e.Kind == scraperutils.EventSent {
				hosts = append(hosts, e.Host.String())
			}
		}}})
		require.NoError(t, s.Register("kyogle", func(ctx context.Context) error { _, err := a.Get(ctx, base+"/other"); return err }))
		r, err := s.Run(t.Context())
		require.NoError(t, err)
		assert.Empty(t, r.Errors())
		assert.Equal(t, []string{strings.TrimPrefix(base, "http://"), strings.TrimPrefix(other.URL, "http://")}, hosts)
	})
}
