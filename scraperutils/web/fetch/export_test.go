package fetch

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// Names is what remembers addresses, with a network and a resolver of a test.
type Names struct{ *names }

func NewNames(keep time.Duration, connect func(ctx context.Context, network, address string) (net.Conn, error), lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)) Names {
	n := newNames(keep, connect)
	n.lookup = lookup
	return Names{n}
}

// Dial is what a transport calls.
func (n Names) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return n.dial(ctx, network, address)
}

// Len returns how many names are remembered.
func (n Names) Len() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.known)
}

// MaxNames is how many that may be.
const MaxNames = maxNames
