package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

// bypass has a file written past the cache, or no longer.
func bypass(file *os.File, direct bool) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	change := func(fd uintptr) error {
		flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
		if err != nil {
			return err
		}
		if flags &^= unix.O_DIRECT; direct {
			flags |= unix.O_DIRECT
		}
		_, err = unix.FcntlInt(fd, unix.F_SETFL, flags)
		return err
	}
	if e := raw.Control(func(fd uintptr) { err = change(fd) }); e != nil {
		return e
	}
	return err
}
