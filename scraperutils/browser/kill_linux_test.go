package browser_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/browser"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// childURL is the variable that makes a child of the test process: it has the page that the child opens, which never loads.
const childURL = "BROWSER_CHILD_URL"

// child opens a page for ever, and says which processes it has started.
func child(url string) {
	b, err := browser.Open(context.Background(), browser.Options{Path: os.Getenv("BROWSER"), AllowPrivate: true})
	if err != nil {
		panic(err)
	}
	go func() { _, _ = b.Visit(context.Background(), browser.Visit{URL: url}) }()
	for loading(b) == 0 {
		time.Sleep(time.Millisecond)
	}
	_ = json.NewEncoder(os.Stdout).Encode(browser.Children(b.Process()))
	select {}
}

// No process of a browser outlives the one that started it, however that ends, whether the browser answers or not.
func TestNothingOutlivesUs(t *testing.T) {
	t.Parallel()
	chromium(t)
	ends := map[string]bool{"killed while the browser hangs": true}
	if testsize.Full() {
		ends["killed"] = false
	}
	for name, stopped := range ends {
		t.Run(name, func(t *testing.T) {
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), childURL+"="+serveBad(t)+"/nothing")
			c.Stderr = os.Stderr
			said, err := c.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, c.Start())
			lines := bufio.NewScanner(said)
			require.True(t, lines.Scan())
			var processes []int
			require.NoError(t, json.Unmarshal(lines.Bytes(), &processes))
			require.Greater(t, len(processes), 2)
			if stopped {
				require.NoError(t, syscall.Kill(processes[0], syscall.SIGSTOP))
			}
			require.NoError(t, c.Process.Kill())
			_ = c.Wait()
			assert.Eventually(t, func() bool { return !slices.ContainsFunc(processes, alive) }, 30*time.Second, 10*time.Millisecond)
		})
	}
}

// alive reports whether a process runs. One that has ended and that nobody has asked about does not.
func alive(pid int) bool {
	state, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(pid), "stat"))
	if err != nil {
		return false
	}
	var n int
	var name, letter string
	_, _ = fmt.Sscanf(string(state), "%d %s %s", &n, &name, &letter)
	return letter != "Z"
}
