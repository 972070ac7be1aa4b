package cassette_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

// recording returns a cassette of GET requests to these URLs; the body of each answer is its URL.
func recording(urls ...string) *cassette.Cassette {
	c := &cassette.Cassette{Path: "kyogle.yml"}
	for _, u := range urls {
		c.Interactions = append(c.Interactions, cassette.Interaction{
			Request:  cassette.Request{Method: "GET", URL: u},
			Response: cassette.Response{Status: 200, Message: "OK", Body: cassette.NewBody([]byte(u))},
		})
	}
	return c
}

// ask sends a request and returns the body of the answer.
func ask(t testing.TB, rt http.RoundTripper, method, url string) (string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		return "", err
	}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(resp.Body)
	return string(body), errors.Join(err, resp.Body.Close())
}

func bytesOf(t testing.TB, b cassette.Body) string {
	t.Helper()
	bytes, err := b.Bytes()
	require.NoError(t, err)
	return string(bytes)
}

func writeText(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kyogle.yml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// one is a file of one interaction, with the lines of old replaced.
func one(old, new string) string {
	const text = `---
http_interactions:
- request:
    method: get
    uri: http://council.example/
    headers:
      Accept:
      - text/html
  response:
    status:
      code: 200
      message: OK
    headers:
      Server: nginx
    body:
      encoding: UTF-8
      string: hello
  recorded_at: Tue, 14 May 2019 14:00:00 GMT
`
	if !strings.Contains(text, old) {
		panic("no such lines: " + old)
	}
	return strings.Replace(text, old, new, 1)
}
