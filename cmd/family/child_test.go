package family

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// childVariable makes the test binary behave as scrape, for tests that need a process of its own. Its value is the file into
// which the process then writes how much memory it had at most.
const childVariable = ChildVariable

// ChildVariable is childVariable for TestMain.
const ChildVariable = "MULTISCRAPER_TEST_CHILD"

// childEnded is what a process printed, returned and cost.
type childEnded struct {
	ended
	peakMiB float64       // of memory; 0 where the system does not tell
	cpu     time.Duration // of all its threads, in user and system mode
}

// long marks a test of kills, signals, or waiting in real time: -short leaves it out.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("kills or waits; -short leaves that out")
	}
}

// child is a scrape that has not been started.
func child(t testing.TB, env []string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(self, args...)
	own := []string{childVariable + "=" + filepath.Join(t.TempDir(), "peak"), "GOGC="} // of garbage it does what it would at a user's
	c.Env = slices.Concat(os.Environ(), own, env)
	return c
}

// runChild runs a scrape in a process of its own.
func runChild(t testing.TB, env []string, args ...string) childEnded {
	t.Helper()
	c := child(t, env, args...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	out := childEnded{
		ended: ended{c.ProcessState.ExitCode(), stdout.String(), stderr.String()},
		cpu:   c.ProcessState.UserTime() + c.ProcessState.SystemTime(),
	}
	for _, e := range c.Env {
		if path, ok := strings.CutPrefix(e, childVariable+"="); ok {
			out.peakMiB = peak(path)
		}
	}
	return out
}

// peak reads the most memory of a process out of its status.
func peak(path string) float64 {
	status, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kib float64
	_, _ = fmt.Sscan(after, &kib)
	return kib / 1024
}

// underMemory holds a process to a limit. The race detector's own memory is not counted, so there it holds nothing.
func (c childEnded) underMemory(t testing.TB, mib float64) {
	t.Helper()
	if !raceDetector {
		assert.Less(t, c.peakMiB, mib)
	}
	t.Logf("most memory: %.0f MiB", c.peakMiB)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
