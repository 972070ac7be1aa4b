package crawlcmd_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/run/guard/guardtest"
	"github.com/multiscraper/multiscraper/scraperutils/run/status"
)

// Programs hand a running crawl URLs, and watch it. Without the token they get nothing.
func TestListen(t *testing.T) {
	t.Parallel()
	web, folder := newWeb(t), t.TempDir()
	at := freeAddress(t)
	const token = "0123456789abcdef"
	start(t, folder, "--keep", "--proxy", web.proxy(), "--no-delay", "--warc", "off", "--listen", at, "--listen-token", token)

	ask := func(method, path, body string, header ...string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+at+path, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(text)
	}
	await(t, func() bool { status, _ := ask("GET", "/healthz", ""); return status == 200 })
	for name, c := range map[string]struct {
		method, path, body string
		header             []string
		status             int
		says               string
	}{
		"a list":             {"POST", "/urls", "http://a.example/1\nhttp://a.example/2\n", nil, 202, `{"new":2,"known":0,"again":0,"refused":0}`},
		"JSON":               {"POST", "/urls?priority=3", `{"url":"http://b.example/1"}`, nil, 202, `"new":1`},
		"some that are none": {"POST", "/urls", "nonsense\nhttp://c.example/1\n", nil, 202, `"new":1,"known":0,"again":0,"refused":1,"lines":["line 1: `},
		"nothing":            {"POST", "/urls", "", nil, 400, "holds no URL"},
		"a bad parameter":    {"POST", "/urls?priority=x", "http://a.example/", nil, 400, "expected 0 to 9"},
		"a bad switch":       {"POST", "/urls?again=x", "http://a.example/", nil, 400, "expected true or false"},
		"no such column":     {"POST", "/urls?column=x", "a,b\n1,2\n", nil, 400, "no column"},
		"another method":     {"PUT", "/urls", "http://a.example/", nil, 405, ""},
		"another path":       {"GET", "/", "", nil, 404, ""},
		"without the token":  {"POST", "/urls", "http://d.example/", []string{"Authorization", "Bearer x"}, 401, "token"},
		"from a browser":     {"POST", "/urls", "http://d.example/", []string{"Sec-Fetch-Site", "cross-site"}, 403, ""},
	} {
		status, text := ask(c.method, c.path, c.body, c.header...)
		assert.Equal(t, c.status, status, name)
		assert.Contains(t, text, c.says, name)
	}
	await(t, func() bool { return web.total() == 4 })
	await(t, func() bool {
		_, text := ask("GET", "/metrics", "")
		return strings.Contains(text, "crawl_pages_total 4")
	})
	_, text := ask("GET", "/metrics", "")
	for _, line := range []string{`crawl_requests_total{outcome="done",reason=""} 4`, `crawl_queue{state="done"} 4`, `crawl_queue{state="ready"} 0`, "crawl_hosts 3",
		"crawl_hosts_leased 0", "crawl_bytes_total ", "crawl_fetch_seconds_count 4", "crawl_commit_seconds_bucket"} {
		assert.Contains(t, text, line)
	}
	_, text = ask("GET", "/status", "")
	said, err := status.Read(strings.NewReader(text))
	require.NoError(t, err, text)
	assert.Equal(t, "crawl", said.Program)
	assert.Equal(t, status.Waiting, said.State, "nothing is left")
	assert.Contains(t, said.Figures, status.Figure{Name: "pages", Value: 4, Unit: "pages", Total: true})
	assert.Contains(t, said.Figures, status.Figure{Name: "done", Value: 4, Unit: "URLs"})
	guardtest.Refuses(t, at, token, "/metrics", "/status", "/healthz")
}

// freeAddress is one on loopback where nobody listens.
func freeAddress(t testing.TB) string {
	t.Helper()
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, socket.Close())
	return socket.Addr().String()
}
