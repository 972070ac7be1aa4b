package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// nobody is the user and group that the browser runs as where this process is root's: Chromium's sandbox does not work for root.
const nobody = 65534

// user returns whom the browser runs as; 0 is as this process.
func user() int {
	if os.Getuid() == 0 {
		return nobody
	}
	return 0
}

// bind has a program end with this process, and puts it and what it starts into a group of its own.
func bind(c *exec.Cmd, as int) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if as != 0 {
		c.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(as), Gid: uint32(as)}
	}
}

// endGroup kills what a program and those it started have left running.
func endGroup(c *exec.Cmd) {
	if c.Process != nil {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
	}
}

// newProfile makes a folder that only the browser's user can read.
func newProfile(as int) (string, error) {
	for _, parent := range []string{os.TempDir(), "/tmp", "/var/tmp"} {
		if as != 0 && !reachable(parent) {
			continue
		}
		folder, err := os.MkdirTemp(parent, "browser-")
		if err != nil {
			return "", fmt.Errorf("make a folder for the browser: %w", err)
		}
		if as != 0 {
			if err := os.Chown(folder, as, as); err != nil {
				_ = os.Remove(folder)
				return "", fmt.Errorf("give the browser's user a folder: %w", err)
			}
		}
		return folder, nil
	}
	return "", fmt.Errorf("no folder that another user can reach in %s, /tmp or /var/tmp: the browser runs as user %d", os.TempDir(), as)
}

// reachable reports whether every user can go into a folder.
func reachable(folder string) bool {
	for {
		info, err := os.Stat(folder)
		if err != nil || info.Mode()&0o001 == 0 {
			return false
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return true
		}
		folder = parent
	}
}
