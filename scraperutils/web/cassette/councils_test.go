package cassette_test

import (
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/conformance"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

// councils returns the recordings of real councils, or skips.
func councils(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(conformance.Shared(t), "councils", "cassettes", "*", "*.yml"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("the recordings of real councils are not here (../shared/councils)")
	}
	return files
}

// Every recording of a real council plays from the first request to the last, and is the same after it was written again: each eighth, where
// not all tests are run.
func TestRealCouncils(t *testing.T) {
	files := councils(t)
	for i := 0; i < len(files); i += testsize.Of(8, 1) {
		file := files[i]
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yml"), func(t *testing.T) {
			t.Parallel()
			c, err := cassette.Load(file)
			require.NoError(t, err)
			require.NotEmpty(t, c.Interactions)
			assertPlays(t, c)
			path := filepath.Join(t.TempDir(), "again.yml")
			require.NoError(t, c.Write(path))
			again, err := cassette.Load(path)
			require.NoError(t, err)
			for i := range c.Interactions {
				want, got := bytesOf(t, c.Interactions[i].Response.Body), bytesOf(t, again.Interactions[i].Response.Body)
				assert.True(t, want == got, "body of interaction %d", i+1)
			}
			assertPlays(t, again)
		})
	}
}

func assertPlays(t *testing.T, c *cassette.Cassette) {
	t.Helper()
	client := &http.Client{
		Transport:     c.Player(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	for i, n := range c.Interactions {
		req, err := http.NewRequestWithContext(t.Context(), n.Request.Method, n.Request.URL, nil)
		require.NoError(t, err)
		resp, err := client.Do(req)
		require.NoError(t, err, "interaction %d", i+1)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, errors.Join(err, resp.Body.Close()))
		assert.Equal(t, n.Response.Status, resp.StatusCode, "interaction %d", i+1)
		assert.True(t, bytesOf(t, n.Response.Body) == string(body), "interaction %d", i+1)
	}
	for _, n := range c.Interactions {
		_, err := ask(t, client.Transport, n.Request.Method, n.Request.URL)
		var noMatch *cassette.NoMatchError
		require.ErrorAs(t, err, &noMatch)
		assert.True(t, noMatch.Played)
	}
}
