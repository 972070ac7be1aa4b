package browser

import (
	"context"
	"net"
)

// Dial makes a connection as pages do, for requests outside of pages, such as for a robots.txt. For an address that pages must not reach,
// it returns an *AddressError. It may be called from any goroutine.
func (b *Browser) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return dialer(b.options)(ctx, network, address)
}
