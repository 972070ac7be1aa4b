package fetch_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

// A robots.txt can be read as a request of its own; then pages are asked for without reading it again, and know what it names.
func TestRobotsApart(t *testing.T) {
	asked := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked[r.URL.Path]++
		switch {
		case r.URL.Path != "/robots.txt":
			_, _ = fmt.Fprint(w, "page")
		case asked["/robots.txt"] == 1:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "busy", http.StatusServiceUnavailable)
		default:
			_, _ = fmt.Fprint(w, "Sitemap: /one.xml\nUser-agent: *\nCrawl-delay: 3\nSITEMAP : https://other.example/two.xml # too")
		}
	}))
	defer server.Close()
	client := fetch.New(fetch.Config{Transport: fetch.NewTransport(fetch.TransportConfig{}), Robots: robots.NewCache(robots.Config{})})
	u, err := url.Parse(server.URL + "/page")
	require.NoError(t, err)
	assert.False(t, client.KnowsRobots(u))
	answer, err := client.ReadRobots(t.Context(), u)
	var later *robots.LaterError
	require.ErrorAs(t, err, &later)
	assert.Equal(t, 503, answer.Status)
	assert.False(t, client.KnowsRobots(u))

	answer, err = client.ReadRobots(t.Context(), u)
	require.NoError(t, err)
	assert.Equal(t, 200, answer.Status)
	assert.Empty(t, answer.Body)
	assert.Equal(t, 3.0, answer.CrawlDelay.Seconds())
	assert.True(t, client.KnowsRobots(u))
	_, err = client.ReadRobots(t.Context(), u)
	assert.Equal(t, scraperutils.ClassRobots, scraperutils.ClassOf(err), "nobody was asked")

	answer, err = client.Do(t.Context(), &scraperutils.Request{Method: http.MethodGet, URL: u})
	require.NoError(t, err)
	assert.Equal(t, []string{"/one.xml", "https://other.example/two.xml"}, answer.Sitemaps)
	assert.Equal(t, map[string]int{"/robots.txt": 2, "/page": 1}, asked)

	server.Close()
	client = fetch.New(fetch.Config{Transport: fetch.NewTransport(fetch.TransportConfig{}), Robots: robots.NewCache(robots.Config{})})
	_, err = client.ReadRobots(t.Context(), u)
	assert.True(t, scraperutils.Unreached(err))
}

// An answer may be wanted whatever its type, and larger than others.
func TestAnyTypeAndSize(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/gzip")
		_, _ = w.Write(make([]byte, 2000))
	}))
	defer server.Close()
	client := fetch.New(fetch.Config{Transport: fetch.NewTransport(fetch.TransportConfig{}), MaxBody: 1000, Accept: func(http.Header) bool { return false }})
	u, err := url.Parse(server.URL)
	require.NoError(t, err)
	_, err = client.Do(t.Context(), &scraperutils.Request{Method: http.MethodGet, URL: u, MaxBody: 3000})
	var unwanted *fetch.UnwantedError
	require.ErrorAs(t, err, &unwanted)
	_, err = client.Do(t.Context(), &scraperutils.Request{Method: http.MethodGet, URL: u, AnyType: true})
	require.ErrorContains(t, err, "1000 bytes")
	answer, err := client.Do(t.Context(), &scraperutils.Request{Method: http.MethodGet, URL: u, AnyType: true, MaxBody: 3000})
	require.NoError(t, err)
	assert.Len(t, answer.Body, 2000)
}
