//go:build !linux

package browser

import (
	"os"
	"os/exec"
)

// user returns whom the browser runs as; 0 is as this process.
func user() int { return 0 }

// bind leaves the program to end when its pipe does.
func bind(*exec.Cmd, int) {}

func endGroup(c *exec.Cmd) {
	if c.Process != nil {
		_ = c.Process.Kill() // it may have ended
	}
}

func newProfile(int) (string, *os.File, error) {
	folder, err := os.MkdirTemp("", "multiscraper-browser-")
	return folder, nil, err
}

// renderers returns none: what processes take is known on Linux alone.
func renderers(int) []renderer { return nil }

func (renderer) kill() {}
