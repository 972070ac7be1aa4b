package app

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// childVariable makes the test binary behave as scrape, for tests that need a process of its own.
const childVariable = "MULTISCRAPER_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(Main(os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// childEnded is what a process printed, returned and cost.
type childEnded struct {
	ended
	peakMiB float64
}

// child is a scrape that has not been started.
func child(t testing.TB, env []string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(self, args...)
	c.Env = append(os.Environ(), append([]string{childVariable + "=1"}, env...)...)
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
	out := childEnded{ended: ended{c.ProcessState.ExitCode(), stdout.String(), stderr.String()}}
	if usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		out.peakMiB = float64(usage.Maxrss) / 1024
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
