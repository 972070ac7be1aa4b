package family

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/run/guard"
	"github.com/multiscraper/multiscraper/scraperutils/run/guard/guardtest"
	"github.com/multiscraper/multiscraper/scraperutils/run/status"
)

// serving starts a server of a database, and returns its address and what ends it and returns how it ended.
func serving(t *testing.T, args ...string) (string, func() ended) {
	t.Helper()
	ctx, stop := context.WithCancelCause(t.Context())
	from, to := io.Pipe()
	var stderr strings.Builder
	done := make(chan ended, 1)
	go func() {
		code := councils.grammar().Run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...), cli.NewConsole("scrape", nil, to, &stderr))
		_ = to.Close()
		done <- ended{code: code, stderr: stderr.String()}
	}()
	line, err := bufio.NewReader(from).ReadString('\n')
	require.NoError(t, err)
	address, _, _ := strings.Cut(line, " ")
	var last *ended
	end := func() ended {
		if last == nil {
			stop(&cli.SignalError{Signal: syscall.SIGTERM})
			e := <-done
			last = &e
		}
		return *last
	}
	t.Cleanup(func() { end() })
	return address, end
}

func get(t *testing.T, url string, change func(*http.Request)) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	if change != nil {
		change(r)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(body)
}

// A server that was started before any run follows one that was begun elsewhere to its end, also where nothing may be done there.
func TestServeFollowsARun(t *testing.T) {
	t.Parallel()
	path := database(t)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	address, end := serving(t, "--db", path, "--read-only")
	code, body := get(t, address, nil)
	assert.Equal(t, 200, code)
	assert.Contains(t, body, "No run has begun here yet")
	assert.NotContains(t, body, "<form")

	response, err := http.Get(address + "live")
	require.NoError(t, err)
	defer response.Body.Close()
	ran := make(chan ended, 1)
	go func() {
		ran <- scrape(t, t.Context(), nil, "--fixtures", "--authority", "noosa,kyogle", "--misbehave", "noosa=layout-later,kyogle=too-many-once", "--db", path)
	}()
	var told strings.Builder
	for events := bufio.NewScanner(response.Body); events.Scan() && !strings.Contains(events.Text(), `"end":`); {
		told.WriteString(events.Text() + "\n")
	}
	got := <-ran
	require.Equal(t, cli.ExitUnexpected, got.code, got.stderr)
	assert.Contains(t, told.String(), `"total":2,"source":"fixtures"`)
	assert.Contains(t, told.String(), `"label":"kyogle","state":"waiting"`)
	assert.Contains(t, told.String(), `"rule":"asked for (Retry-After)","until":"2`)
	assert.Contains(t, told.String(), `"expected":"2`)
	assert.NoFileExists(t, path+".live")

	_, body = get(t, address+"now", nil)
	assert.Contains(t, body, "with exit code 1")
	assert.Contains(t, body, `data-label="noosa" data-state="failed"`)
	assert.Contains(t, body, `data-label="kyogle" data-state="done"`, "it was the last of the first attempt, and is none of the second")
	_, body = get(t, address+"site/noosa", nil)
	assert.Contains(t, body, `href="/authority/noosa.html"`)
	_, body = get(t, address, nil)
	assert.Contains(t, body, `<a href="/authority/noosa.html">noosa</a>`)
	_, body = get(t, address+"authority/noosa.html", nil)
	assert.Contains(t, body, "Our new web site", "the page that it could not read")
	guardtest.Refuses(t, strings.Trim(strings.TrimPrefix(address, "http://"), "/"), "", "/", "/now", "/report.json", "/metrics", "/healthz", "/readyz")
	assert.Equal(t, ended{code: cli.ExitSignal + int(syscall.SIGTERM)}, end())

	address, _ = serving(t, "--db", path)
	_, body = get(t, address+"now", nil)
	assert.Contains(t, body, "1 partial", "a server that was not there knows it from the database")
}

// Slow clients, and those that say nothing, hold nobody up.
func TestServeDoesNotWaitForTheSlow(t *testing.T) {
	t.Parallel()
	path := database(t)
	scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "kyogle", "--db", path)
	address, _ := serving(t, "--db", path)
	host := strings.TrimSuffix(strings.TrimPrefix(address, "http://"), "/")
	for i := range 100 {
		c, err := net.Dial("tcp", host)
		require.NoError(t, err)
		defer c.Close()
		_, err = io.WriteString(c, []string{"", "GET / HT", "GET / HTTP/1.1\r\nHost: localhost\r\nX: ", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n", "\x16\x03\x01\x00\xff"}[i%5])
		require.NoError(t, err)
	}
	began := time.Now()
	code, _ := get(t, address, nil)
	assert.Equal(t, 200, code)
	assert.Less(t, time.Since(began), 5*time.Second, "they have ten seconds for a head")
}

func TestServeToOthers(t *testing.T) {
	t.Parallel()
	path := database(t)
	scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "kyogle", "--db", path)
	for accepted, args := range map[string][]string{
		"expected an address of loopback, or --token-file beside it": {"--listen", "0.0.0.0:0"},
		"expected HOST:PORT":                           {"--listen", "nonsense"},
		"expected a file with one line of at least 16": {"--token-file", path + ".short"},
		"no such file":                                 {"--token-file", path + ".gone"},
		`--also: can't use "localhost:9090": expected http://HOST:PORT`: {"--also", "localhost:9090"},
		`--also: can't use "http://a:1/": expected http://HOST:PORT`:    {"--also", "http://me:secret@a:1/"},
		`--also: can't use "http://a:1": expected http://HOST:PORT`:     {"--also", "http://a:1", "--also", "http://a:1"},
		"--also-token-file: can't use":                                  {"--also-token-file", path + ".long"},
		"--also-token-file: ":                                           {"--also", "http://a:1", "--also-token-file", path + ".gone"},
	} {
		require.NoError(t, os.WriteFile(path+".short", []byte("short\n"), 0o600))
		require.NoError(t, os.WriteFile(path+".long", []byte("0123456789abcdef\n"), 0o600))
		got := scrape(t, t.Context(), nil, append([]string{"serve", "--db", path}, args...)...)
		assert.Equal(t, cli.ExitUsage, got.code, args)
		assert.Contains(t, got.stderr, accepted)
		assert.NotContains(t, got.stderr, "secret")
		assert.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
	}
	secret := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(secret, []byte("a-secret-of-this-test\n"), 0o600))
	address, _ := serving(t, "--db", path, "--token-file", secret)
	code, body := get(t, address, nil)
	assert.Equal(t, 401, code)
	assert.NotContains(t, body, "kyogle")
	code, body = get(t, address, func(r *http.Request) { r.SetBasicAuth("anybody", "a-secret-of-this-test") })
	assert.Equal(t, 200, code)
	assert.Contains(t, body, "kyogle")
	guardtest.Refuses(t, strings.Trim(strings.TrimPrefix(address, "http://"), "/"), "a-secret-of-this-test", "/", "/now", "/report.json", "/metrics", "/healthz")
}

// Prometheus is told the same of the last run as the file for node_exporter says, and needs the token that readers need. Before the first
// run the server is ready, and without a database that can be read it is not.
func TestServeMetrics(t *testing.T) {
	t.Parallel()
	path, secret := database(t), filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(secret, []byte("a-secret-of-this-test\n"), 0o600))
	address, _ := serving(t, "--db", path, "--token-file", secret, "--fixtures")
	as := func(r *http.Request) { r.Header.Set("Authorization", "Bearer a-secret-of-this-test") }
	code, body := get(t, address+"metrics", nil)
	assert.Equal(t, 401, code)
	assert.NotContains(t, body, "multiscraper")
	for _, page := range []string{"healthz", "readyz"} {
		code, body = get(t, address+page, as)
		assert.Equal(t, 200, code, page)
		assert.Equal(t, "ok\n", body)
	}
	_, body = get(t, address+"metrics", as)
	assert.Contains(t, body, "\nmultiscraper_database_readable 1\n")
	assert.NotContains(t, body, "multiscraper_last_run")

	args := []string{"--fixtures", "--no-delay", "--attempts", "1", "--authority", "kyogle,noosa", "--db", path}
	scrape(t, t.Context(), nil, args...)
	file := path + ".prom"
	got := scrape(t, t.Context(), nil, append(args, "--misbehave", "noosa=broken", "--metrics", file)...)
	require.Equal(t, cli.ExitUnexpected, got.code, got.stderr)
	require.Eventually(t, func() bool { // what was read of the database may be a second old
		_, body = get(t, address+"metrics", as)
		return strings.Contains(body, `multiscraper_last_run_changes{change="new",platform="technologyone"} 1`)
	}, time.Minute, 100*time.Millisecond)
	samples := 0
	for line := range strings.Lines(string(must(os.ReadFile(file)))) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "} ")
		switch {
		case strings.HasPrefix(line, "#"), strings.HasPrefix(line, "multiscraper_last_run_page_bytes"):
		case strings.Contains(name, "_seconds{"): // the log has tenths
			assert.Contains(t, body, "\n"+name+"} ")
			samples++
		default:
			assert.Contains(t, body, "\n"+name+"} "+value+"\n")
			samples++
		}
	}
	assert.Greater(t, samples, 20)

	require.NoError(t, os.WriteFile(path, []byte("this is no database, and was never one"), 0o600))
	code, _ = get(t, address+"readyz", as)
	assert.Equal(t, 503, code)
	code, _ = get(t, address+"healthz", as)
	assert.Equal(t, 200, code)
}

// What --also names is asked with its token, shown on a page, and told to Prometheus. That a worker is gone is shown within seconds.
func TestServeWorkers(t *testing.T) {
	t.Parallel()
	worker := httptest.NewServer(guard.Handler("0123456789abcdef", cli.WatchMux(http.NotFoundHandler(), func(context.Context) (status.Status, error) {
		return status.Status{Program: "crawl", State: status.Working, Figures: []status.Figure{{Name: "pages", Value: 4711}}}, nil
	})))
	defer worker.Close()
	secret := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(secret, []byte("0123456789abcdef\n"), 0o600))
	address, _ := serving(t, "--db", database(t), "--also", worker.URL, "--also", "http://127.0.0.1:9/browse", "--also-token-file", secret)
	var text string
	require.Eventually(t, func() bool {
		_, text = get(t, address+"workers", nil)
		return strings.Contains(text, "4,711") && strings.Contains(text, "connection refused")
	}, time.Minute, 50*time.Millisecond)
	_, told := get(t, address+"metrics", nil)
	assert.Contains(t, told, "\nmultiscraper_worker_up{url=\""+worker.URL+"\"} 1\n")
	assert.Contains(t, told, "\nmultiscraper_worker_up{url=\"http://127.0.0.1:9/browse\"} 0\n")
	_, now := get(t, address+"now", nil)
	assert.Contains(t, now, `<ul data-from="/workers/short">`, "they stand beside the run, too")
	for _, path := range []string{"workers/list", "workers/short", "workers.css", "workers.js"} {
		code, _ := get(t, address+path, nil)
		assert.Equal(t, 200, code, path)
	}
	guardtest.Refuses(t, strings.Trim(strings.TrimPrefix(address, "http://"), "/"), "", "/workers", "/workers/list")
}
