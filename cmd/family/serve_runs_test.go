package family

import (
	"bufio"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// server is a server of a process of its own, which begins runs.
type server struct {
	*exec.Cmd
	address string // without the slash
	path    string // of its database
}

// startServer starts a server of a database of its own, whose runs are quick: in make test of ten sites, where no other is asked for.
func startServer(t *testing.T, args ...string) *server {
	t.Helper()
	var env []string
	if !testsize.Full() {
		env = []string{"MORPH_AUTHORITIES=kyogle,noosa,walgett,hobart,byron,cowra,weddin,uralla,kiama,ballarat"}
	}
	return startServerWith(t, env, database(t), append([]string{"--no-delay"}, args...)...)
}

// startServerOf starts a server of a database, whose runs are of built-in sites.
func startServerOf(t *testing.T, path string, args ...string) *server {
	t.Helper()
	return startServerWith(t, nil, path, args...)
}

// startServerWith is startServerOf with variables of its environment.
func startServerWith(t *testing.T, env []string, path string, args ...string) *server {
	t.Helper()
	s := &server{path: path}
	s.Cmd = child(t, env, append([]string{"serve", "--listen", "127.0.0.1:0", "--db", s.path, "--fixtures"}, args...)...)
	out, err := s.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, s.Start())
	t.Cleanup(func() {
		_ = s.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = s.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	s.address = strings.TrimSuffix(strings.Fields(line)[0], "/")
	return s
}

// do sends a form as a page of the server does.
func (s *server) do(t *testing.T, path string, form url.Values, origin string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.address+path, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", origin)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}

// follow reads events until one has a text, and returns all of them.
func (s *server) follow(t *testing.T, path, text string) string {
	t.Helper()
	response, err := http.Get(s.address + path)
	require.NoError(t, err)
	defer response.Body.Close()
	var all strings.Builder
	for events := bufio.NewScanner(response.Body); events.Scan(); {
		all.WriteString(events.Text() + "\n")
		if strings.Contains(events.Text(), text) {
			return all.String()
		}
	}
	require.Fail(t, "no such event", "%s in %s", text, all.String())
	return ""
}

// page returns the page of the run.
func (s *server) page(t *testing.T, path string) string {
	t.Helper()
	code, body := get(t, s.address+path, nil)
	require.Equal(t, 200, code, body)
	return body
}

// until waits for a condition of another process.
func until(t *testing.T, what string, met func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !met(); time.Sleep(20 * time.Millisecond) {
		require.True(t, time.Now().Before(deadline), what)
	}
}

// One site of a run is begun by a button and followed to its end, with its requests; pages of other sites begin nothing.
func TestServeBeginsARun(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	assert.Equal(t, http.StatusForbidden, s.do(t, "/run", url.Values{"which": {"all"}}, "http://evil.example"))
	assert.Equal(t, http.StatusConflict, s.do(t, "/stop", url.Values{"which": {"all"}}, s.address), "nothing runs")
	assert.Equal(t, http.StatusBadRequest, s.do(t, "/run", url.Values{"label": {"--help"}}, s.address), "no such authority")
	assert.Contains(t, s.page(t, "/now"), "No run has begun here yet")

	assert.Equal(t, http.StatusSeeOther, s.do(t, "/run", url.Values{"label": {"kyogle"}}, s.address))
	all := s.follow(t, "/live", `"end":`)
	assert.Contains(t, all, `"exit_code":0`)
	page := s.page(t, "/now")
	assert.Contains(t, page, "ended")
	assert.Contains(t, page, "127.0.0.1: run kyogle")
	assert.NotContains(t, page, "run all", "what was refused before it reached the runner is nobody's action")
	one := s.page(t, "/site/kyogle")
	assert.Contains(t, one, "GET http")
	assert.Contains(t, one, `href="/authority/kyogle.html"`)
	assert.Contains(t, s.page(t, "/authority/kyogle.html"), "kyogle")
	assert.NotEmpty(t, rows(t, s.path, "SELECT council_reference FROM data"))
}

// A site that hangs is stopped alone; the others go on, and it is not tried again.
func TestServeStopsOne(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--misbehave", "kyogle=hang,noosa=hang")
	require.Equal(t, http.StatusSeeOther, s.do(t, "/run", url.Values{"which": {"all"}}, s.address))
	until(t, "kyogle waits for its answer", func() bool {
		code, body := get(t, s.address+"/site/kyogle", nil)
		return code == 200 && strings.Contains(body, `role="status">asking`)
	})
	assert.Equal(t, http.StatusConflict, s.do(t, "/run", url.Values{"label": {"noosa"}}, s.address), "one run at a time")
	require.Equal(t, http.StatusSeeOther, s.do(t, "/stop", url.Values{"label": {"kyogle"}}, s.address))
	s.follow(t, "/live/kyogle", `"error":"stopped by hand`)
	until(t, "noosa alone is left", func() bool { return strings.Count(s.page(t, "/now"), `data-state="asking"`) == 1 })
	require.Equal(t, http.StatusSeeOther, s.do(t, "/stop", url.Values{"which": {"all"}}, s.address))
	until(t, "the run ends", func() bool {
		return strings.Contains(s.page(t, "/now"), "with exit code "+strconv.Itoa(cli.ExitSignal+15))
	})
}

// The end of the server is the end of its run, which saves what it has.
func TestServeEndsItsRun(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--misbehave", "noosa=hang", "--schedule", "* * * * *", "--zone", "Australia/Sydney")
	until(t, "the timetable is read", func() bool { return strings.Contains(s.page(t, "/now"), "The next run is due") })
	require.Equal(t, http.StatusSeeOther, s.do(t, "/run", url.Values{"label": {"noosa"}}, s.address))
	s.follow(t, "/live", `"state":"asking"`)
	require.NoError(t, s.Process.Signal(syscall.SIGTERM))
	_ = s.Wait()
	assert.Equal(t, cli.ExitSignal+15, s.ProcessState.ExitCode())
	text, err := os.ReadFile(s.path + ".run.log")
	require.NoError(t, err)
	assert.Contains(t, string(text), "stopped by a signal (terminated)")
}

func TestServeRefusesRuns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args     []string
		accepted string
	}{
		"a schedule of nonsense":  {[]string{"--schedule", "nightly"}, "five fields"},
		"a zone of nonsense":      {[]string{"--schedule", "@daily", "--zone", "Mars"}, "a time zone such as"},
		"a zone of nothing":       {[]string{"--zone", "UTC"}, "--schedule beside them"},
		"more jitter than a day":  {[]string{"--schedule", "@daily", "--jitter", "25h"}, "at most 24h"},
		"misbehavior of the real": {[]string{"--misbehave", "noosa=hang"}, "--fixtures beside it"},
	} {
		t.Run(name, func(t *testing.T) {
			got := scrape(t, t.Context(), nil, append([]string{"serve", "--db", database(t)}, c.args...)...)
			assert.Equal(t, cli.ExitUsage, got.code)
			assert.Contains(t, got.stderr, c.accepted)
		})
	}
	address, _ := serving(t, "--db", database(t), "--read-only")
	response, err := http.Post(address+"run", "application/x-www-form-urlencoded", strings.NewReader("which=all"))
	require.NoError(t, err)
	_, _ = io.Copy(io.Discard, response.Body)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.StatusNotFound, response.StatusCode)
}
