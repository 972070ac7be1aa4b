package agent_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// scripted is a client that is no HTTP client, as one with a browser is none.
type scripted map[string]*scraperutils.Response

func (s scripted) Do(_ context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	if response := s[r.URL.Path]; response != nil {
		response.URL = r.URL
		return response, nil
	}
	return nil, fmt.Errorf("%s is not in the script", r)
}

// A session may be one over any client: pages, redirects to other hosts and failures come of what that says.
func TestAnotherClient(t *testing.T) {
	client := scripted{
		"/":     {Status: 200, Body: []byte(`<a href="leads">`), Header: http.Header{"Content-Type": {utf8HTML}}},
		"/lead": {Status: 302, Header: http.Header{"Location": {"https://b.example/"}}},
	}
	var failed []string
	a := agent.New(agent.Config{Client: client, OnFailed: func(r *scraperutils.Request, err error) {
		failed = append(failed, r.String()+": "+err.Error())
	}})
	p, err := a.Get(t.Context(), "https://a.example/lead")
	require.NoError(t, err)
	assert.Equal(t, "https://b.example/", p.URL.String())
	_, err = p.Get(t.Context(), "gone")
	require.Error(t, err)
	assert.Equal(t, []string{"GET https://b.example/gone: GET https://b.example/gone is not in the script"}, failed)
}
