package crawlcmd_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two commands fetch a list into WARC files, and the commands that look say what became of it.
func TestTwoCommands(t *testing.T) {
	t.Run("a file", func(t *testing.T) { twoCommands(t, filepath.Join(t.TempDir(), "crawl")) })
	t.Run("a database", func(t *testing.T) { twoCommands(t, share(t, filepath.Join(t.TempDir(), "crawl"))) })
}

func twoCommands(t *testing.T, folder string) {
	t.Parallel()
	web := newWeb(t)
	web.answer = func(w http.ResponseWriter, url string, _ int) bool {
		switch {
		case strings.HasSuffix(url, "/gone"):
			http.NotFound(w, nil)
		case strings.HasSuffix(url, "/moved"):
			w.Header().Set("Location", "http://other.example/here")
			w.WriteHeader(http.StatusMovedPermanently)
		case strings.HasSuffix(url, "/image"):
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write([]byte("png"))
		default:
			return false
		}
		return true
	}
	assert.Equal(t, "13 URLs added, 0 known already\n", good(t, folder, "add", "http://h0.example/gone", "http://H0.example:80/moved#x", "http://h0.example/image", "-f", write(t, t.TempDir(), "urls", list(5, 2))))
	assert.Equal(t, "0 URLs added, 1 known already\n", good(t, folder, "add", "http://h0.example/gone"))
	archive := filepath.Join(folder, "warc")
	good(t, folder, "--proxy", web.proxy(), "--no-delay", "--warc", archive)

	files, err := filepath.Glob(filepath.Join(archive, "*.warc.gz"))
	require.NoError(t, err)
	assert.Len(t, files, 1)

	var status map[string]any
	require.NoError(t, json.Unmarshal([]byte(good(t, folder, "status", "--json")), &status))
	for name, n := range map[string]float64{"ready": 0, "waiting": 0, "retrying": 0, "failed": 2, "done": 12, "hosts": 6} {
		assert.Equal(t, n, status[name], name)
	}
	assert.Equal(t, map[string]any{"http-404": 1.0, "not-text": 1.0}, status["failed_by"])
	text := good(t, folder, "status")
	assert.Contains(t, text, "failed               2   (1 http-404, 1 not-text)")
	assert.Contains(t, text, "workers              0   crawl goes on")
	assert.Empty(t, status["workers"])

	assert.Contains(t, good(t, folder, "failed", "--reason", "http-404"), "http://h0.example/gone  failed 404 (http-404), tried 1×")
	assert.Len(t, strings.Split(strings.TrimSpace(good(t, folder, "export")), "\n"), 14)
	assert.Len(t, strings.Split(strings.TrimSpace(good(t, folder, "export", "--since", "1h", "--state", "done")), "\n"), 12)
	assert.Contains(t, good(t, folder, "url", "HTTP://h0.example/a/../moved"), "done 301 (moved: to http://other.example/here)")
	assert.Contains(t, good(t, folder, "host", "other.example"), "http://other.example/here  done 200")
	assert.Len(t, strings.Split(strings.TrimSpace(good(t, folder, "hosts", "--json")), "\n"), 6)

	assert.Equal(t, "1 URL to be tried again\n", good(t, folder, "failed", "--reason", "http-404", "--retry"))
	good(t, folder, "--proxy", web.proxy(), "--no-delay", "--warc", archive)
	assert.Equal(t, 2, web.asked["http://h0.example/gone"])
	assert.Equal(t, 1, web.asked["http://h0.example/image"])
}

// Each page is a line with what a program needs, and nothing else is on standard output.
func TestJSONLines(t *testing.T) {
	t.Parallel()
	web, folder := newWeb(t), t.TempDir()
	c := start(t, folder, "http://a.example/1", "http://a.example/2", "--proxy", web.proxy(), "--no-delay", "--jsonl", "-")
	require.Zero(t, c.end(t), c.complaints)
	lines := strings.Split(strings.TrimSpace(c.out.String()), "\n")
	require.Len(t, lines, 2)
	var page map[string]any
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &page))
	for _, key := range []string{"id", "url", "final", "status", "at", "took_ms", "type", "attempts", "body"} {
		assert.Contains(t, page, key)
	}
	assert.Contains(t, c.complaints.String(), "nothing is left")
	assert.NoDirExists(t, filepath.Join(folder, "warc"))
}

// URLs that are added beside a worker are fetched by it; status sees both; stop ends it when what is in flight has ended.
func TestAddBesideAWorker(t *testing.T) {
	t.Run("a file", func(t *testing.T) { addBesideAWorker(t, t.TempDir()) })
	t.Run("a database", func(t *testing.T) { addBesideAWorker(t, share(t, t.TempDir())) })
}

func addBesideAWorker(t *testing.T, folder string) {
	t.Parallel()
	web := newWeb(t)
	c := start(t, folder, "--keep", "--proxy", web.proxy(), "--no-delay", "--warc", "off", "--log-format", "json")
	await(t, func() bool { return len(workersOf(t, folder)) == 1 })
	code, _, _ := call(t, folder, "add", "http://a.example/1", "no URL")
	assert.Zero(t, code)
	await(t, func() bool { return strings.Contains(good(t, folder, "status", "--json"), `"done":1,`) })
	w := workersOf(t, folder)[0]
	assert.Contains(t, w.Name, fmt.Sprint("-", c.Process.Pid, "-"))
	assert.Less(t, w.Silent, 10.0)
	assert.Contains(t, good(t, folder, "status"), w.Name+": ")

	web.latency = 300 * time.Millisecond
	good(t, folder, "add", "http://a.example/slow")
	await(t, func() bool { return web.total() == 2 })
	ended := make(chan int, 1)
	go func() { ended <- c.end(t) }()
	out := good(t, folder, "stop")
	assert.Contains(t, out, w.Name+" has ended: what was in flight is kept")
	assert.Equal(t, 143, <-ended)
	assert.Contains(t, c.complaints.String(), "stopped by crawl stop")
	assert.Contains(t, good(t, folder, "url", "http://a.example/slow"), "done 200")
	assert.Contains(t, good(t, folder, "stop"), "no crawl works on")
}

// worker is what status says of one.
type worker struct {
	Name   string
	Silent float64 `json:"silent_s"`
	Hosts  int
	Done   int
	Stop   bool
}

// workersOf returns those that status lists, none where there is no frontier yet.
func workersOf(t testing.TB, folder string) []worker {
	t.Helper()
	code, out, _ := call(t, folder, "status", "--json")
	if code != 0 {
		return nil
	}
	var status struct{ Workers []worker }
	require.NoError(t, json.Unmarshal([]byte(out), &status))
	return status.Workers
}

// A second worker on a frontier is refused, and names the first.
func TestSecondWorker(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	start(t, folder, "--keep", "--warc", "off")
	await(t, func() bool {
		text, _ := os.ReadFile(filepath.Join(folder, "frontier.sqlite.lock"))
		return len(text) > 0
	})
	code, _, complaints := call(t, folder, "http://a.example/")
	assert.Equal(t, 2, code)
	assert.Contains(t, complaints, "is in use by process")
}

// Signals and the run timeout let what is in flight end, and say so by the exit code.
func TestEnds(t *testing.T) {
	for name, c := range map[string]struct {
		signal syscall.Signal
		flags  []string
		code   int
		says   string
	}{
		"SIGTERM":     {signal: syscall.SIGTERM, code: 143, says: "stopped by a signal (terminated)"},
		"SIGINT":      {signal: syscall.SIGINT, code: 130, says: "stopped by a signal (interrupt)"},
		"run timeout": {flags: []string{"--run-timeout", "0.5"}, code: 124, says: "exceeded maximum allowed runtime"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web, folder := newWeb(t), t.TempDir()
			web.latency = 400 * time.Millisecond
			good(t, folder, "add", "-f", write(t, folder, "urls", list(3, 10)))
			p := start(t, folder, append([]string{"--proxy", web.proxy(), "--no-delay", "--jsonl", filepath.Join(folder, "pages.jsonl")}, c.flags...)...)
			await(t, func() bool { return web.total() > 0 })
			if c.signal != 0 {
				require.NoError(t, p.Process.Signal(c.signal))
			}
			assert.Equal(t, c.code, p.end(t))
			assert.Contains(t, p.complaints.String(), c.says)
			assert.Len(t, pagesIn(t, folder), web.total(), "what was in flight is kept")
		})
	}
}

// Standard input that goes on is fetched as it comes.
func TestStandardInput(t *testing.T) {
	t.Parallel()
	web, folder := newWeb(t), t.TempDir()
	p := start(t, folder, "-f", "-", "--proxy", web.proxy(), "--no-delay", "--warc", "off")
	_, err := p.stdin.Write([]byte("http://a.example/1\n"))
	require.NoError(t, err)
	await(t, func() bool { return web.total() == 1 })
	_, err = p.stdin.Write([]byte("no URL\nhttp://a.example/2\n"))
	require.NoError(t, err)
	await(t, func() bool { return web.total() == 2 })
	require.NoError(t, p.stdin.Close())
	assert.Zero(t, p.end(t))
	assert.Contains(t, p.complaints.String(), `crawl: standard input: line 2: "no URL": no URL: it does not begin with http:// or https://`)
}

// await waits until something is so. It rests longer than it looks, so that a look that is dear does not take what it waits for its time.
func await(t testing.TB, so func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		began := time.Now()
		if so() {
			return
		}
		require.True(t, time.Now().Before(end), "waited for too long")
		time.Sleep(max(10*time.Millisecond, min(4*time.Since(began), 200*time.Millisecond)))
	}
}
