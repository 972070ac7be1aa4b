package fetch

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"
)

// maxNames is how many names are remembered.
const maxNames = 10_000

// dialFunc makes a connection to an address, as net.Dialer.DialContext does.
type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// names remembers the addresses of hosts, so that a new connection to a host does not need another lookup. Its methods may be called
// from any goroutine.
type names struct {
	keep    time.Duration
	connect dialFunc // to an IP address
	lookup  func(ctx context.Context, network, host string) ([]netip.Addr, error)

	mu    sync.Mutex // guards the rest
	known map[string]addresses
}

// addresses holds the addresses of a name until they expire, in the order of the resolver.
type addresses struct {
	all   []netip.Addr
	until time.Time
}

func newNames(keep time.Duration, connect dialFunc) *names {
	return &names{keep: keep, connect: connect, lookup: net.DefaultResolver.LookupNetIP, known: map[string]addresses{}}
}

// dial connects to one of a host's addresses, whatever their family.
func (n *names) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return n.connect(ctx, network, address)
	}
	all, err := n.resolve(ctx, host)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	c, err := connectAny(ctx, n.connect, network, inTurn(all), port)
	if err != nil {
		n.forget(host) // they may have changed
	}
	return c, err
}

func (n *names) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	a, ok := n.known[host]
	n.mu.Unlock()
	if ok && time.Now().Before(a.until) {
		return a.all, nil
	}
	all, err := n.lookup(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i] = all[i].Unmap()
	}
	n.remember(host, addresses{all, time.Now().Add(n.keep)})
	return all, nil
}

// remember stores addresses. If there is no room, it drops expired names, or else any name.
func (n *names) remember(host string, a addresses) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.known) >= maxNames {
		now := time.Now()
		for name, old := range n.known {
			if !now.Before(old.until) {
				delete(n.known, name)
			}
		}
		for name := range n.known {
			if len(n.known) < maxNames {
				break
			}
			delete(n.known, name)
		}
	}
	n.known[host] = a
}

func (n *names) forget(host string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.known, host)
}

// inTurn orders addresses so that the families alternate, that of the first one first (RFC 8305, 4).
func inTurn(all []netip.Addr) []netip.Addr {
	var first, other []netip.Addr
	for _, a := range all {
		if a.Is4() == all[0].Is4() {
			first = append(first, a)
		} else {
			other = append(other, a)
		}
	}
	var turns []netip.Addr
	for i := range max(len(first), len(other)) {
		turns = append(turns, first[min(i, len(first)):min(i+1, len(first))]...)
		turns = append(turns, other[min(i, len(other)):min(i+1, len(other))]...)
	}
	return turns
}
