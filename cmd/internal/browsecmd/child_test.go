package browsecmd_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/browsecmd"
	"github.com/multiscraper/multiscraper/scraperutils/amqp/amqptest"
)

// asCommand has the test binary be the command.
const asCommand = "TEST_BROWSE_COMMAND"

// broker is shared by the tests of this package.
var broker amqptest.Broker

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(browsecmd.Main(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
	}
	if signal.Ignored(syscall.SIGINT) { // by a shell that has begun it in the background; a child takes over no handler
		signal.Notify(make(chan os.Signal, 1), syscall.SIGINT)
	}
	os.Exit(broker.Run(m))
}

// child is the command as a process.
type child struct {
	*exec.Cmd
	out, complaints *text // whole when it has ended
}

// text is what a process writes. It may be read meanwhile.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
	to io.Writer // too; nil: nowhere
}

func (t *text) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.to != nil {
		return t.to.Write(b)
	}
	return t.b.Write(b)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

// start starts the command as a process, which is killed at the end of the test if it still runs. Log has what it writes; nil: its own texts.
func start(t testing.TB, log io.Writer, args ...string) *child {
	t.Helper()
	c := &child{Cmd: exec.Command(os.Args[0], args...), out: &text{to: log}, complaints: &text{to: log}}
	c.Env = append(os.Environ(), asCommand+"=1")
	c.Stdout, c.Stderr = c.out, c.complaints
	require.NoError(t, c.Start())
	t.Cleanup(func() { c.kill() })
	return c
}

// kill ends the process at once, if it still runs.
func (c *child) kill() {
	if c.ProcessState == nil {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
}

// end waits for the process and returns its exit code.
func (c *child) end() int {
	timer := time.AfterFunc(5*time.Minute, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	_ = c.Wait()
	return c.ProcessState.ExitCode()
}
