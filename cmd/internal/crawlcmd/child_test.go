package crawlcmd_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/crawlcmd"
	"github.com/multiscraper/multiscraper/db/frontier/postgres/postgrestest"
)

// asCommand has the test binary be the command.
const asCommand = "TEST_CRAWL_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(runCommand())
	}
	if signal.Ignored(syscall.SIGINT) { // by a shell that has begun it in the background; a child takes over no handler
		signal.Notify(make(chan os.Signal, 1), syscall.SIGINT)
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // they wait for processes, most of the time
		panic(err)
	}
	code := m.Run()
	broker.Close()
	server.Close()
	if syntheticFolder != "" {
		_ = os.RemoveAll(syntheticFolder)
	}
	os.Exit(code)
}

// server is a PostgreSQL for frontiers that several processes share.
var server postgrestest.Server

// shared is the URLs of frontiers that are no file in their folder.
var shared sync.Map

// share has the frontier of a folder be in a database, and returns the folder.
func share(t testing.TB, folder string) string {
	t.Helper()
	shared.Store(folder, server.Schema(t))
	return folder
}

// frontierOf is where the frontier of a folder is.
func frontierOf(folder string) string {
	if url, ok := shared.Load(folder); ok {
		return url.(string)
	}
	return filepath.Join(folder, "frontier.sqlite")
}

// call runs the command in this process.
func call(t testing.TB, folder string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return callIn(t, nil, folder, args...)
}

// callIn runs the command in this process, in an environment.
func callIn(t testing.TB, environ []string, folder string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, complaints bytes.Buffer
	code = crawlcmd.Main(args, append([]string{"CRAWL_FRONTIER=" + frontierOf(folder)}, environ...), &out, &complaints)
	return code, out.String(), complaints.String()
}

// good runs the command, which must succeed, and returns what it printed.
func good(t testing.TB, folder string, args ...string) string {
	t.Helper()
	code, out, complaints := call(t, folder, args...)
	require.Zero(t, code, "%s%s", out, complaints)
	require.Empty(t, complaints)
	return out
}

// child is the command as a process.
type child struct {
	*exec.Cmd
	stdin           io.WriteCloser
	out, complaints *text // whole when it has ended
}

// text is what a process writes. It may be read meanwhile.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *text) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(b)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

// start starts the command as a process, which is killed at the end of the test if it still runs.
func start(t testing.TB, folder string, args ...string) *child {
	t.Helper()
	if testing.Short() {
		t.Skip("starts the command as a process, to end or to kill it")
	}
	c := &child{Cmd: exec.Command(os.Args[0], args...), out: &text{}, complaints: &text{}}
	c.Env = append(os.Environ(), asCommand+"=1", "CRAWL_FRONTIER="+frontierOf(folder))
	c.Stdout, c.Stderr = c.out, c.complaints
	var err error
	c.stdin, err = c.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		if c.ProcessState == nil {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	})
	return c
}

// end waits for the process and returns its exit code.
func (c *child) end(t testing.TB) int {
	t.Helper()
	timer := time.AfterFunc(5*time.Minute, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	_ = c.Wait()
	return c.ProcessState.ExitCode()
}

// kill ends the process at once.
func (c *child) kill(t testing.TB) {
	t.Helper()
	require.NoError(t, c.Process.Kill())
	_ = c.Wait()
}

// write makes a file.
func write(t testing.TB, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}
