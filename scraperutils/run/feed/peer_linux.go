package feed

import (
	"net"
	"os"
	"syscall"
)

// isOfThisUser reports whether the process at the other end is one of this user.
func isOfThisUser(c *net.UnixConn) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	same := false
	err = raw.Control(func(fd uintptr) {
		peer, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
		same = err == nil && int(peer.Uid) == os.Geteuid()
	})
	return err == nil && same
}
