package crawlcmd_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/crawlcmd"
)

// asCommand has the test binary be the command.
const asCommand = "TEST_CRAWL_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(crawlcmd.Main(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// call runs the command in this process.
func call(t testing.TB, folder string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, complaints bytes.Buffer
	code = crawlcmd.Main(args, []string{"CRAWL_FRONTIER=" + filepath.Join(folder, "frontier.sqlite")}, &out, &complaints)
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
	out, complaints *bytes.Buffer // whole when it has ended
}

// start starts the command as a process, which is killed at the end of the test if it still runs.
func start(t testing.TB, folder string, args ...string) *child {
	t.Helper()
	c := &child{Cmd: exec.Command(os.Args[0], args...), out: &bytes.Buffer{}, complaints: &bytes.Buffer{}}
	c.Env = append(os.Environ(), asCommand+"=1", "CRAWL_FRONTIER="+filepath.Join(folder, "frontier.sqlite"))
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
	timer := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
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
