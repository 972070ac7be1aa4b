package browser

import (
	"context"
	"net"
)

// Dial makes a connection as pages do, for what is asked beside them, such as a robots.txt: addresses that pages must not reach are an
// *AddressError. It may be called from any goroutine.
func (b *Browser) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return dialer(b.options)(ctx, network, address)
}
