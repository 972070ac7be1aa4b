package agent_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

// An address without a host is an error of its own: no robots.txt of a host without a name is asked for.
func TestAddressWithoutAHost(t *testing.T) {
	var asked []string
	rules := robots.NewCache(robots.Config{OnUnread: func(h scraperutils.Host, _ error, _ int) { asked = append(asked, h.String()) }})
	for _, url := range []string{"http:///page", "http://:9/page"} {
		_, err := agent.New(agent.Config{Fetch: fetch.Config{Transport: http.DefaultTransport, Robots: rules}}).Get(t.Context(), url)
		assert.ErrorContains(t, err, "the address names no host", url)
	}
	assert.Empty(t, asked)
}
