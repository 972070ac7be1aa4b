package family

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// hostile is a text that does all that a text can do to a terminal.
const hostile = "\x1b[2J\x1b]0;owned\a\u009b31m\u202egpj\u200b\r\x7f"

// onlyText holds that what was printed does nothing.
func onlyText(t *testing.T, printed string) {
	t.Helper()
	for i, r := range printed {
		if r != '\n' && r != '\t' && !unicode.IsGraphic(r) {
			t.Errorf("%q in %q", r, printed[max(0, i-40):min(len(printed), i+40)])
			return
		}
	}
}

// What a page, a registry or a command line says is seen, wherever it is printed, and does nothing.
func TestHostileText(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, "<title>maintenance", hostile, "</title><h1>Maintenance ", hostile, "</h1>")
	}))
	defer server.Close()
	folder := t.TempDir()
	path, more, bad, page := filepath.Join(folder, "data.sqlite"), filepath.Join(folder, "more.yml"), filepath.Join(folder, "bad.yml"), filepath.Join(folder, "report")
	writeFile(t, more, "- {authority: hostile, platform: icon, url: '"+server.URL+"', period: thisweek}")
	writeFile(t, bad, `- {authority: "\e[2J\u202e", platform: "\e]0;x\a", url: 'http://a.example'}`)
	run := []string{"--authorities", more, "--authority", "hostile", "--no-delay", "--attempts", "1", "--db", path}
	for _, c := range []struct {
		name string
		args []string
		says string // of the hostile text, somewhere
	}{
		{"a run", run, `Maintenance \u001b[2J\u001b]0;owned\u0007\u009b31m\u202egpj\u200b`},
		{"a run that logs JSON", append(run, "--log-format", "json"), `\u202egpj`},
		{"report", []string{"report", "--db", path}, `\u202egpj`},
		{"report in JSON", []string{"report", "--json", "--db", path}, `\u202egpj`},
		{"report as a page", []string{"report", "--html", "--db", path}, `\u202egpj`},
		{"report in a file", []string{"report", "-o", page, "--db", path}, ""},
		{"list of a bad registry", []string{"list", "--authorities", bad, "--db", path}, `\u001b`},
		{"list of nobody", []string{"list", hostile, "--db", path}, `\u001b`},
		{"new", []string{"new", "hostile", "--platform", "icon", "--url", server.URL}, `\u202egpj`},
		{"new on a bad address", []string{"new", "hostile", "--platform", "icon", "--url", "http://a.example/" + hostile}, `\u202egpj`},
		{"validate nothing", []string{"validate", hostile}, `\u001b`},
		{"a bad flag", []string{"--" + hostile}, `\u001b`},
		{"a bad value", []string{"--as-of", hostile}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := scrape(t, t.Context(), []string{"MORPH_DEBUG=2"}, c.args...)
			onlyText(t, got.stdout)
			onlyText(t, got.stderr)
			assert.Contains(t, got.stdout+got.stderr, c.says)
			if strings.HasSuffix(c.name, "JSON") {
				decoder := json.NewDecoder(strings.NewReader(got.stdout))
				for decoder.More() {
					require.NoError(t, decoder.Decode(new(any)))
				}
			}
		})
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	onlyText(t, string(text))
	assert.Contains(t, string(text), `\u202egpj`)
}

// Nor does what a scraper says, nor what it panics with.
func TestHostileScraper(t *testing.T) {
	t.Parallel()
	const forged = hostile + "\n12:00:00 INF done authority=forged"
	got, _ := scrapeWith(t, t.Context(), &runCommand{family: councils}, defaults(t), map[string]scraperFunc{
		"a": func(ctx context.Context, v *site.Visit) error {
			v.Skip(ctx, forged, forged)
			return v.Reject(ctx, forged, errors.New(forged))
		},
		"b": func(context.Context, *site.Visit) error { panic(forged) },
	})
	assert.Equal(t, cli.ExitUnexpected, got.code)
	for _, printed := range []string{got.stdout, got.stderr} {
		onlyText(t, printed)
		assert.Contains(t, printed, `\u202egpj`)
		assert.NotContains(t, printed, "\n12:00:00", "nobody's text begins a line")
	}
	assert.Contains(t, got.stdout, "skipped [2J", "references are cleaned before")
	assert.Contains(t, got.stdout, "Erroneous record [2J")
}

// stoppedReader is one that takes nothing until it is let go.
type stoppedReader struct {
	strings.Builder
	letGo chan struct{}
}

func (s *stoppedReader) Write(b []byte) (int, error) {
	<-s.letGo
	return s.Builder.Write(b)
}

// A reader that takes nothing stops no run. It gets what there was room for, how much is missing, and the report.
func TestReaderThatTakesNothing(t *testing.T) {
	last := make(chan struct{})
	fails := func(before func()) scraperFunc {
		return func(context.Context, *site.Visit) error {
			before()
			return errors.New("long " + strings.Repeat("x", cli.MaxBacklog*2/3))
		}
	}
	nothing := func() {}
	scrapers := map[string]scraperFunc{"a": fails(nothing), "b": fails(nothing), "c": fails(nothing), "d": fails(func() { close(last) })}
	screen := &stoppedReader{letGo: make(chan struct{})}
	code := make(chan int)
	go func() {
		n, err := scrapeOnto(t, t.Context(), cli.NewConsole("scrape", nil, screen, io.Discard), database(t), &runCommand{family: councils, Attempts: new(1)}, defaults(t, "MORPH_MAX_WORKERS=1"), scrapers)
		assert.NoError(t, err)
		code <- n
	}()
	select {
	case <-last:
	case <-time.After(20 * time.Second):
		t.Error("the run waits for its reader")
	}
	close(screen.letGo)
	assert.Equal(t, cli.ExitUnexpected, <-code)
	log, report, _ := strings.Cut(screen.String(), "Scraping Summary:")
	for _, want := range []string{"authority=a verdict=failed", "lines of the log are missing: nobody read them in time lines="} {
		assert.True(t, strings.Contains(log, want), want)
	}
	assert.True(t, strings.Contains(report, "c                         0      0 other - long xxx"))
}

// inShell is a child that a shell starts, which has arranged its signals and files.
func inShell(t *testing.T, arranged string, args ...string) *exec.Cmd {
	t.Helper()
	c := child(t, nil, args...)
	c.Args = append([]string{"sh", "-c", strings.ReplaceAll(arranged, "scrape", `exec "$0" "$@"`), c.Path}, args...)
	c.Path = "/bin/sh"
	return c
}

// codeOfChild waits for a process.
func codeOfChild(t *testing.T, c *exec.Cmd) int {
	t.Helper()
	err := c.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return c.ProcessState.ExitCode()
}

// A reader that goes away ends nothing (scrape | head -1).
func TestReaderThatGoesAway(t *testing.T) {
	t.Parallel()
	path := database(t)
	c := child(t, nil, "--fixtures", "--no-delay", "--authority", "kyogle,noosa", "--db", path)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	_, err = out.Read(make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, out.Close())
	assert.Equal(t, cli.ExitOK, codeOfChild(t, c))
	assert.Empty(t, stderr.String())
	assert.Equal(t, "0", rows(t, path, "SELECT exit_code FROM scrape_run")[0]["exit_code"])
	assert.NotEmpty(t, rows(t, path, "SELECT * FROM data WHERE authority_label = 'noosa'"))
}

// Where nothing can be printed, a run goes on all the same, and says so where something is missing.
func TestNowhereToPrint(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shell  string
		code   int
		stderr string
	}{
		"standard output is closed": {"scrape >&-", cli.ExitOK, ""},
		"both are closed":           {"scrape >&- 2>&-", cli.ExitOK, ""},
		"the disk is full":          {"scrape >/dev/full", cli.ExitUnexpected, "scrape: standard output is not whole: write /dev/stdout: no space left on device\n"},
		"both disks are full":       {"scrape >/dev/full 2>&1", cli.ExitUnexpected, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := database(t)
			child := inShell(t, c.shell, "--fixtures", "--no-delay", "--authority", "kyogle", "--db", path)
			var stderr bytes.Buffer
			child.Stderr = &stderr
			require.NoError(t, child.Start())
			assert.Equal(t, c.code, codeOfChild(t, child))
			assert.Equal(t, c.stderr, stderr.String())
			assert.NotEmpty(t, rows(t, path, "SELECT * FROM data"))
			assert.Equal(t, []map[string]string{{"integrity_check": "ok"}}, rows(t, path, "PRAGMA integrity_check"), "no line of the log is in the database")
		})
	}
}

// What was ignored when it began stays ignored: a hang-up under nohup, Ctrl-C in the background of a shell.
func TestIgnoredSignals(t *testing.T) {
	long(t)
	t.Parallel()
	path := database(t)
	c := inShell(t, `trap "" HUP INT; scrape`, "--fixtures", "--no-delay", "--authority", "kyogle,noosa", "--misbehave", "noosa=hang", "--db", path)
	out := lines(t, c)
	require.NoError(t, c.Start())
	waitFor(t, out, "authority=kyogle verdict=ok")
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM} { // the first that counts gives the code
		require.NoError(t, c.Process.Signal(s))
	}
	waitFor(t, out, "ERROR: stopped by a signal (terminated)")
	assert.Equal(t, 143, codeOfChild(t, c))
}

// A signal that comes twice, as from timeout(1), is one: the end is as orderly as any.
func TestTwinSignals(t *testing.T) {
	long(t)
	t.Parallel()
	const seed = 1
	random := rand.New(rand.NewPCG(seed, seed))
	for i := range testsize.Of(2, 6) {
		after := time.Duration(random.Int64N(int64(10 * time.Millisecond)))
		if i == 0 {
			after = 0
		}
		t.Run(after.String(), func(t *testing.T) {
			t.Parallel()
			path := database(t)
			c := child(t, nil, "--fixtures", "--no-delay", "--authority", "kyogle,noosa", "--misbehave", "noosa=hang", "--db", path)
			c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			out := lines(t, c)
			require.NoError(t, c.Start())
			waitFor(t, out, "authority=kyogle verdict=ok")
			require.NoError(t, c.Process.Signal(syscall.SIGTERM))
			time.Sleep(after)
			_ = syscall.Kill(-c.Process.Pid, syscall.SIGTERM) // its group, unless it has ended
			waitFor(t, out, "Scraping Summary:")
			assert.Equal(t, 143, codeOfChild(t, c))
			assert.Equal(t, "143", rows(t, path, "SELECT exit_code FROM scrape_run")[0]["exit_code"])
		})
	}
}
