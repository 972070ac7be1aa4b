package fetch

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"
)

// nextAddress is how long an address has to answer before the next one is tried beside it (RFC 8305, 5).
const nextAddress = 300 * time.Millisecond

// connectAny connects to the first address that answers. It tries each address once the one before has failed or had its time. The
// error is that of the first address. Nothing keeps running after it returns.
func connectAny(ctx context.Context, connect dialFunc, network string, to []netip.Addr, port string) (net.Conn, error) {
	type result struct {
		net.Conn
		err error
	}
	var all sync.WaitGroup
	defer all.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan result)
	try := func(a netip.Addr) {
		c, err := connect(ctx, network, net.JoinHostPort(a.String(), port))
		select {
		case results <- result{c, err}:
		case <-ctx.Done():
			if c != nil {
				_ = c.Close() // another one was first
			}
		}
	}
	var first error
	next := time.NewTimer(0)
	defer next.Stop()
	for tried, failed := 0, 0; ; {
		select {
		case <-next.C:
			if tried < len(to) {
				a := to[tried]
				all.Go(func() { try(a) })
				tried++
				next.Reset(nextAddress)
			}
		case r := <-results:
			if r.err == nil {
				return r.Conn, nil
			}
			if failed++; first == nil {
				first = r.err
			}
			next.Reset(0)
			if failed == len(to) {
				return nil, first
			}
		case <-ctx.Done():
			return nil, &net.OpError{Op: "dial", Net: network, Err: context.Cause(ctx)}
		}
	}
}
