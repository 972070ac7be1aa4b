package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
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

// profilePrefix begins the names of folders of browsers.
const profilePrefix = "multiscraper-browser-"

// newProfile makes a folder that only the browser's user can read, and removes those whose browser is gone. The folder is locked for as
// long as the file is open.
func newProfile(as int) (string, *os.File, error) {
	for _, parent := range []string{os.TempDir(), "/tmp", "/var/tmp"} {
		if as != 0 && !reachable(parent) {
			continue
		}
		removeStale(parent)
		folder, err := os.MkdirTemp(parent, profilePrefix)
		if err != nil {
			return "", nil, fmt.Errorf("make a folder for the browser: %w", err)
		}
		lock := lockFolder(folder)
		if as != 0 && err == nil {
			err = os.Chown(folder, as, as)
		}
		if lock == nil || err != nil {
			_ = os.Remove(folder)
			return "", nil, fmt.Errorf("lock the browser's folder %s and give it to its user: %w", folder, err)
		}
		return folder, lock, nil
	}
	return "", nil, fmt.Errorf("no folder that another user can reach in %s, /tmp or /var/tmp: the browser runs as user %d", os.TempDir(), as)
}

// lockFolder locks a folder; nil: somebody else has.
func lockFolder(folder string) *os.File {
	f, err := os.OpenFile(folder, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		_ = f.Close()
		return nil
	}
	return f
}

// staleAge is how old a folder is that nobody has locked and that is not just being made.
const staleAge = time.Minute

// removeStale removes the folders of browsers whose process was killed.
func removeStale(parent string) {
	folders, _ := filepath.Glob(filepath.Join(parent, profilePrefix+"*"))
	for _, folder := range folders {
		if info, err := os.Lstat(folder); err != nil || !info.IsDir() || time.Since(info.ModTime()) < staleAge {
			continue
		}
		if lock := lockFolder(folder); lock != nil {
			_ = os.RemoveAll(folder) // another user's stays
			_ = lock.Close()
		}
	}
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
