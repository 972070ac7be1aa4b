package streamcmd_test

import (
	"bytes"
	"flag"
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
	"github.com/multiscraper/multiscraper/cmd/internal/streamcmd"
	"github.com/multiscraper/multiscraper/scraperutils/stream/streamtest"
)

// What the test binary is besides a test: a command, or a program that handles records.
const (
	asStream  = "TEST_STREAM_COMMAND"
	asCrawl   = "TEST_CRAWL_COMMAND"
	asProgram = "TEST_STREAM_PROGRAM" // of a command, which is the test binary too
	begun     = "TEST_STREAM_BEGUN"
)

// servers are those of all tests here.
var servers = streamtest.Servers{Names: []string{streamtest.Kinesalite, streamtest.Dynalite}}

// full has tests be as large as the command promises to bear, not as a quick suite has time for.
var full = os.Getenv("STREAM") == "full"

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(asProgram) != "" && os.Getenv(begun) != "":
		os.Exit(program(os.Getenv(asProgram), os.Args[1:]))
	case os.Getenv(asStream) != "":
		_ = os.Setenv(begun, "1") // for the program
		os.Exit(streamcmd.Main(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
	case os.Getenv(asCrawl) != "":
		os.Exit(crawlcmd.Main(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
	}
	if signal.Ignored(syscall.SIGINT) { // by a shell that has begun it in the background; a child takes over no handler
		signal.Notify(make(chan os.Signal, 1), syscall.SIGINT)
	}
	flag.Parse()
	if full {
		servers.Names = append(servers.Names, streamtest.KinesisLocal)
	}
	if err := flag.Set("test.parallel", "8"); err != nil { // they wait for processes, most of the time
		panic(err)
	}
	os.Exit(servers.Run(m))
}

// call runs the command in this process.
func call(environ []string, args ...string) (code int, stdout, stderr string) {
	var out, complaints bytes.Buffer
	code = streamcmd.Main(args, environ, &out, &complaints)
	return code, out.String(), complaints.String()
}

// child is the command as a process.
type child struct {
	*exec.Cmd
	out, complaints *text
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

// start starts the test binary as a command, which is killed at the end of the test if it still runs.
func start(t testing.TB, as string, environ []string, args ...string) *child {
	t.Helper()
	if testing.Short() {
		t.Skip("starts the command as a process, to end or to kill it")
	}
	c := &child{Cmd: exec.Command(os.Args[0], args...), out: &text{}, complaints: &text{}}
	c.Env = append(append(os.Environ(), as+"=1"), environ...)
	c.Stdout, c.Stderr = c.out, c.complaints
	c.WaitDelay = 10 * time.Second // for a program that outlives it
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		if c.ProcessState == nil {
			c.kill()
		}
		if t.Failed() {
			t.Logf("%v\n%s%s", args, c.out, c.complaints)
		}
	})
	return c
}

// end waits for the process and returns its exit code.
func (c *child) end() int {
	timer := time.AfterFunc(5*time.Minute, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	_ = c.Wait()
	return c.ProcessState.ExitCode()
}

// kill ends the process at once.
func (c *child) kill() {
	_ = c.Process.Kill()
	_ = c.Wait()
}

// write makes a file.
func write(t testing.TB, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// await waits until something is so.
func await(t testing.TB, so func() bool) {
	t.Helper()
	for end := time.Now().Add(4 * time.Minute); ; {
		began := time.Now()
		if so() {
			return
		}
		require.True(t, time.Now().Before(end), "waited for too long")
		time.Sleep(max(10*time.Millisecond, min(4*time.Since(began), 200*time.Millisecond)))
	}
}
