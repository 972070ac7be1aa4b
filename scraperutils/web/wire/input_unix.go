//go:build unix

package wire

import (
	"errors"
	"syscall"
)

// hasInput reports whether a read of a connection would return at once: there is input, or it has ended. A connection that is none of
// the system's has none.
func hasInput(c syscall.RawConn) bool {
	if c == nil {
		return false
	}
	var peeked error
	err := c.Read(func(descriptor uintptr) bool {
		var one [1]byte
		_, _, peeked = syscall.Recvfrom(int(descriptor), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		return true
	})
	return err != nil || !errors.Is(peeked, syscall.EAGAIN)
}
