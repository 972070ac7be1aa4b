package agent_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// User and password of a URL are in no error, whatever is wrong with the URL or comes of it.
func TestNoUserInErrors(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		}
	}))
	defer site.Close()
	a := agent.New(agent.Config{Fetch: fetch.Config{Transport: http.DefaultTransport}})
	page, err := a.Get(t.Context(), site.URL)
	require.NoError(t, err)
	for _, login := range []string{"someone:hunter2@", "someone:hun ter2@", "someone:hunt/er2@", "hunter2@", "someone:hunter2@b@"} {
		for _, rest := range []string{"a.example:port/", "[a", "127.0.0.1:1/", "a.example/%zz?q=%zz"} {
			link := "http://" + login + rest
			_, err := a.Get(t.Context(), link)
			_, posted := a.Post(t.Context(), link, nil)
			_, resolved := page.Resolve(link)
			_, redirected := a.Get(t.Context(), site.URL+"/?"+agent.Values{{Name: "to", Value: link}}.Encode())
			for how, err := range map[string]error{"get": err, "post": posted, "link": resolved, "redirect": redirected} {
				if err != nil {
					assert.NotContains(t, err.Error(), "hun", "%s %s", how, link)
					assert.NotContains(t, err.Error(), "someone", "%s %s", how, link)
				}
			}
		}
	}
}
