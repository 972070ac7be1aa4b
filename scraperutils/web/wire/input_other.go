//go:build !unix

package wire

import "syscall"

// hasInput reports whether a read of a connection would return at once. It can't be known here: a request on a connection that the host
// has closed fails, and is tried again.
func hasInput(syscall.RawConn) bool { return false }
