package family

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// some is as many councils as die often, of platforms that take few requests.
func some(t testing.TB) string {
	t.Helper()
	known, err := authorities.Load()
	require.NoError(t, err)
	entries, err := known.Select([]string{"icon/*", "technologyone/*", "atdis/*"})
	require.NoError(t, err)
	var labels []string
	for _, e := range entries {
		labels = append(labels, e.Label)
	}
	return strings.Join(labels[:25], ",")
}

var committedData = regexp.MustCompile(` committed .*\bdata=(\d+)`)

// killed starts a run and kills it a while after it has said so many lines. It returns how many records it had acknowledged by then.
func killed(t *testing.T, said int, after time.Duration, args ...string) (acknowledged int) {
	t.Helper()
	c := child(t, []string{"MORPH_DEBUG=1"}, args...)
	out := lines(t, c)
	require.NoError(t, c.Start())
	for ; ; said-- {
		if said == 0 {
			timer := time.AfterFunc(after, func() { _ = c.Process.Signal(syscall.SIGKILL) })
			defer timer.Stop()
		}
		if !out.Scan() {
			break
		}
		if m := committedData.FindStringSubmatch(out.Text()); m != nil {
			n, err := strconv.Atoi(m[1])
			require.NoError(t, err)
			acknowledged += n
		}
	}
	_ = c.Wait() // it was killed, or had ended
	return acknowledged
}

// seedVariable is the seed of the moments of kills, to have those of a test that failed again.
const seedVariable = "MULTISCRAPER_TEST_SEED"

// seeded is chance that can be repeated.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv(seedVariable), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("again with %s=%d", seedVariable, seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// kill -9 at any moment: the file opens, it is sound, what was acknowledged is there, and the next run completes it without a
// record twice. (Once or ten times; more with -count.)
func TestKilled(t *testing.T) {
	t.Parallel()
	long(t)
	random := seeded(t)
	whole := database(t)
	args := []string{"--fixtures", "--no-delay", "--as-of", "2025-05-07", "--authority", some(t), "--db"}
	alive := scrape(t, t.Context(), []string{"MORPH_DEBUG=1"}, append(args, whole)...)
	require.Equal(t, cli.ExitOK, alive.code)
	says := strings.Count(alive.stdout, "\n")
	all := "SELECT * FROM data ORDER BY authority_label, council_reference"
	want := rows(t, whole, all)
	require.Greater(t, len(want), 125)
	for i := range testsize.Of(1, 10) {
		said, after := random.IntN(says), time.Duration(random.Int64N(int64(20*time.Millisecond)))
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			path := database(t)
			args := append(slices.Clone(args), path)
			acknowledged := killed(t, said, after, args...)
			t.Logf("%d of %d records were acknowledged", acknowledged, len(want))

			// The next process opens it: what was half done is undone by then.
			d, err := db.Open(t.Context(), path, db.Options{})
			require.NoError(t, err, "killed %v after %d lines", after, said)
			require.NoError(t, d.Close())
			assert.Equal(t, []map[string]string{{"integrity_check": "ok"}}, rows(t, path, "PRAGMA integrity_check"))
			saved := 0
			for range rows(t, path, "SELECT 1 FROM sqlite_schema WHERE name = 'data'") {
				saved = len(rows(t, path, "SELECT * FROM data"))
			}
			assert.GreaterOrEqual(t, saved, acknowledged, "killed %v after %d lines", after, said)
			got := scrape(t, t.Context(), nil, args...)
			require.Equal(t, cli.ExitOK, got.code, got.stdout)
			require.Equal(t, want, rows(t, path, all), "the next run completes it, no record twice")
		})
	}
}

// A run that was killed is known: the report says so, and --failed takes up what it left.
func TestReportOfAKilledRun(t *testing.T) {
	long(t)
	t.Parallel()
	path := database(t)
	args := []string{"--fixtures", "--authority", "kyogle,noosa,byron", "--misbehave", "noosa=hang", "--db", path}
	require.Equal(t, cli.ExitOK, scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "kyogle", "--db", path).code)
	c := child(t, []string{"MORPH_DEBUG=1"}, args...)
	out := lines(t, c)
	require.NoError(t, c.Start())
	waitFor(t, out, "authority=kyogle verdict=ok")
	waitFor(t, out, " scrape_log=1 ") // its row is on the disk
	require.NoError(t, c.Process.Signal(syscall.SIGKILL))
	_ = c.Wait()

	got := scrape(t, t.Context(), nil, "report", "--db", path)
	assert.Equal(t, cli.ExitOK, got.code, got.stderr)
	assert.Contains(t, got.stdout, "it has not ended: it was killed")
	assert.Contains(t, got.stdout, "without an outcome: noosa")
	got = scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--failed", "--db", path)
	assert.Equal(t, cli.ExitOK, got.code)
	assert.NotContains(t, got.stdout, "authority=kyogle")
	assert.Contains(t, got.stdout, "authority=noosa verdict=ok")
}

// lines is what a process that has not started will print.
func lines(t *testing.T, c *exec.Cmd) *bufio.Scanner {
	t.Helper()
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	return bufio.NewScanner(out)
}

func waitFor(t *testing.T, out *bufio.Scanner, text string) {
	t.Helper()
	for out.Scan() {
		if strings.Contains(out.Text(), text) {
			return
		}
	}
	t.Fatalf("%q was never printed", text)
}

// SIGINT, SIGTERM and SIGHUP end a run as its timeout does: with what it has, a report, and a code of their own.
func TestSignals(t *testing.T) {
	long(t)
	unignored := make(chan os.Signal, 1) // what shells and tools ignore for what they start: a child takes over no handlers
	signal.Notify(unignored, syscall.SIGINT, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(unignored) })
	for sent, code := range map[syscall.Signal]int{syscall.SIGHUP: 129, syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		t.Run(sent.String(), func(t *testing.T) {
			t.Parallel()
			path := database(t)
			c := child(t, nil, "--fixtures", "--no-delay", "--authority", "kyogle,noosa", "--misbehave", "noosa=hang", "--db", path)
			var stderr strings.Builder
			c.Stderr = &stderr
			out := lines(t, c)
			require.NoError(t, c.Start())
			waitFor(t, out, "authority=kyogle verdict=ok")
			require.NoError(t, c.Process.Signal(sent))
			waitFor(t, out, "Scraping Summary:")
			waitFor(t, out, "ERROR: stopped by a signal")
			err := c.Wait()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
			assert.Equal(t, code, exit.ExitCode())
			assert.Equal(t, fmt.Sprintf("ERROR: stopped by a signal (%s)\n", sent), stderr.String())
			assert.NotEmpty(t, rows(t, path, "SELECT * FROM data WHERE authority_label = 'kyogle'"))
			o := outcome(t, path, "noosa")
			assert.Equal(t, []string{"interrupted", "failed"}, []string{o["status"], o["verdict"]})
			assert.Len(t, rows(t, path, "SELECT * FROM scrape_log"), 2, "no second attempt")
			assert.Equal(t, fmt.Sprint(code), rows(t, path, "SELECT exit_code FROM scrape_run")[0]["exit_code"])
		})
	}
}

// Two runs on one database: the second names the first and runs nothing.
func TestTwoRunsOnOneDatabase(t *testing.T) {
	t.Parallel()
	path := database(t)
	c := child(t, nil, "--fixtures", "--no-delay", "--authority", "kyogle,noosa", "--misbehave", "noosa=hang", "--db", path)
	out := lines(t, c)
	require.NoError(t, c.Start())
	waitFor(t, out, "authority=kyogle verdict=ok")
	got := scrape(t, t.Context(), nil, "--fixtures", "--authority", "kyogle", "--db", path)
	assert.Equal(t, cli.ExitUsage, got.code)
	assert.Contains(t, got.stderr, fmt.Sprintf("is in use by process %d since ", c.Process.Pid))
	assert.Equal(t, 1, strings.Count(got.stderr, "\n"))
	require.NoError(t, c.Process.Signal(syscall.SIGTERM))
	_ = c.Wait()
}

// A database that another program has locked is waited for.
func TestLockedDatabaseIsWaitedFor(t *testing.T) {
	long(t)
	t.Parallel()
	path := database(t)
	require.Equal(t, cli.ExitOK, scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "kyogle", "--db", path).code)
	other := exec.Command("sqlite3", path)
	if other.Err != nil {
		t.Skipf("no sqlite3 to lock it with: %v", other.Err)
	}
	in, err := other.StdinPipe()
	require.NoError(t, err)
	out := lines(t, other)
	require.NoError(t, other.Start())
	_, err = fmt.Fprintln(in, "BEGIN IMMEDIATE; SELECT 'locked';")
	require.NoError(t, err)
	waitFor(t, out, "locked")
	done := make(chan ended, 1)
	go func() {
		done <- scrape(t, context.Background(), nil, "--fixtures", "--no-delay", "--authority", "noosa", "--db", path)
	}()
	select {
	case got := <-done:
		t.Fatalf("it did not wait: %d %s", got.code, got.stderr)
	case <-time.After(time.Second):
	}
	require.NoError(t, in.Close()) // which ends its transaction
	require.NoError(t, other.Wait())
	assert.Equal(t, cli.ExitOK, (<-done).code)
	assert.NotEmpty(t, rows(t, path, "SELECT * FROM data WHERE authority_label = 'noosa'"))
}

// A full disk fails what can't be written, clearly, and loses nothing that was.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	got, path := scrapeWith(t, t.Context(), &runCommand{family: councils}, defaults(t), map[string]scraperFunc{
		"first": func(ctx context.Context, v *site.Visit) error {
			for n := range 100_000 {
				if err := register.Save(ctx, v, application(n)); err != nil {
					return err
				}
				if n%50 == 49 { // what was saved is on the disk before the next answer comes, or this is the error
					if _, err := v.Agent.Get(ctx, "http://127.0.0.1:1/"); err != nil && strings.Contains(err.Error(), "disk is full") {
						return err
					}
				}
			}
			return nil
		},
	}, "PRAGMA max_page_count = 40")
	assert.Equal(t, cli.ExitUnexpected, got.code)
	assert.Contains(t, got.stdout, "database or disk is full")
	assert.Contains(t, got.stderr, "database or disk is full")
	saved := len(rows(t, path, "SELECT * FROM data"))
	assert.Positive(t, saved)
	assert.Equal(t, []map[string]string{{"integrity_check": "ok"}}, rows(t, path, "PRAGMA integrity_check"))
}
