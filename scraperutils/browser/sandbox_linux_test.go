package browser_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/browser"
)

// Where this process is root's, all of the browser is nobody's, and what shows pages has the whole sandbox besides: a user namespace and
// a list of processes of its own, system calls that are filtered, and no way to get more rights.
func TestSandbox(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root's browser has another user")
	}
	b := chromium(t).Browser
	tried := 0
	require.Eventually(t, func() bool {
		for _, pid := range browser.Children(b.Process()) {
			if status := about(pid); status != "" { // it may have ended
				assert.Regexp(t, `(?m)^Uid:\t65534\t65534\t65534\t65534$`, status)
				assert.Regexp(t, `(?m)^Gid:\t65534\t65534\t65534\t65534$`, status)
			}
		}
		for _, pid := range filtered(b) {
			status, spaces := about(pid), map[string]string{}
			for _, space := range []string{"user", "pid", "net"} {
				spaces[space], _ = os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", pid, space))
			}
			if about(pid) == "" {
				continue // it ended meanwhile
			}
			tried++
			assert.Regexp(t, `(?m)^NoNewPrivs:\t1$`, status)
			assert.Regexp(t, `(?m)^CapEff:\t0+$`, status)
			for space, name := range spaces {
				own, err := os.Readlink("/proc/self/ns/" + space)
				assert.NoError(t, err)
				assert.NotEqual(t, own, name, space)
			}
		}
		return tried > 0
	}, 30*time.Second, 10*time.Millisecond, "system calls are filtered")
}

// filtered returns the processes of a browser that show pages, once their system calls are filtered.
func filtered(b *browser.Browser) (all []int) {
	for _, pid := range browser.Children(b.Process()) {
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // of one that has ended there is none
		if bytes.Contains(command, []byte("--type=renderer")) && strings.Contains(about(pid), "\nSeccomp:\t2\n") {
			all = append(all, pid)
		}
	}
	return all
}

// about is what the kernel says of a process; "" of one that has ended.
func about(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return string(text)
}
