//go:build !unix

package wire

import "net"

// hasInput reports whether a read of a connection would return at once. It can't be known here: a request on a connection that the host
// has closed fails, and is tried again.
func hasInput(net.Conn) bool { return false }
