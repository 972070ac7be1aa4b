//go:build unix

package wire

import (
	"errors"
	"net"
	"syscall"
)

// hasInput reports whether a read of a connection would return at once: there is input, or it has ended. A connection that is none of
// the system's has none.
func hasInput(c net.Conn) bool {
	s, ok := c.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return true
	}
	var peeked error
	err = raw.Read(func(descriptor uintptr) bool {
		var one [1]byte
		_, _, peeked = syscall.Recvfrom(int(descriptor), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		return true
	})
	return err != nil || !errors.Is(peeked, syscall.EAGAIN)
}
