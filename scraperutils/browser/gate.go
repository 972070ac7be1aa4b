package browser

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// dialFunc makes a connection to a name and port, as net.Dialer.DialContext does.
type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// dialer returns what connects pages with servers. The address is looked at when it is connected to, so that it does not matter what a
// name stood for a moment ago.
func dialer(o Options) dialFunc {
	if o.Dial != nil {
		return o.Dial
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		d := net.Dialer{KeepAlive: 30 * time.Second}
		if !o.AllowPrivate {
			d.ControlContext = func(_ context.Context, _, to string, _ syscall.RawConn) error { return permit(host, to) }
		}
		return d.DialContext(ctx, network, address)
	}
}

// permit returns an error for an address and port that are not public.
func permit(host, to string) error {
	at, err := netip.ParseAddrPort(to)
	if err != nil || !public(at.Addr()) {
		return &AddressError{Host: host, Address: to}
	}
	return nil
}

// maxFailures is how many failed addresses of a page are remembered.
const maxFailures = 1000

// gate is the way of one page to the network: a SOCKS 5 proxy on loopback (RFC 1928). It closes with the page, and what goes through it
// is not looked at.
type gate struct {
	listener net.Listener
	dial     dialFunc
	ctx      context.Context // over when the gate closes
	close    context.CancelFunc
	serving  sync.WaitGroup

	mu       sync.Mutex       // guards failures
	failures map[string]error // the last of each name and port
}

func openGate(dial dialFunc) (*gate, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a way to the network for a page: %w", err)
	}
	g := &gate{listener: l, dial: dial, failures: map[string]error{}}
	g.ctx, g.close = context.WithCancel(context.Background())
	g.serving.Go(g.accept)
	return g, nil
}

// address is what the browser is told.
func (g *gate) address() string { return "socks5://" + g.listener.Addr().String() }

// Close ends all connections and waits for them.
func (g *gate) Close() {
	g.close()
	_ = g.listener.Close()
	g.serving.Wait()
}

// failure returns why the last connection to a host failed; nil if none did.
func (g *gate) failure(hostPort string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failures[hostPort]
}

func (g *gate) accept() {
	for {
		c, err := g.listener.Accept()
		switch {
		case g.ctx.Err() != nil:
			if c != nil {
				_ = c.Close()
			}
			return
		case err != nil: // too many files are open, for one
			time.Sleep(10 * time.Millisecond)
		default:
			g.serving.Go(func() { g.serve(c) })
		}
	}
}

// serve connects the browser with the server that it asks for.
func (g *gate) serve(c net.Conn) {
	defer c.Close()
	defer context.AfterFunc(g.ctx, func() { _ = c.Close() })()
	to, err := readTarget(c)
	if err != nil {
		return
	}
	server, err := g.dial(g.ctx, "tcp", to)
	g.remember(to, err)
	if _, failed := c.Write([]byte{5, replyCode(err), 0, 1, 0, 0, 0, 0, 0, 0}); err != nil || failed != nil {
		if server != nil {
			_ = server.Close()
		}
		return
	}
	defer server.Close()
	defer context.AfterFunc(g.ctx, func() { _ = server.Close() })()
	var back sync.WaitGroup
	back.Go(func() { pass(c, server) })
	pass(server, c)
	back.Wait()
}

// pass passes bytes on until there are no more, and says so.
func pass(to, from net.Conn) {
	_, _ = io.Copy(to, from) // either may go at any time
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	} else {
		_ = to.Close()
	}
}

func (g *gate) remember(to string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case err == nil:
		delete(g.failures, to)
	case len(g.failures) < maxFailures:
		g.failures[to] = err
	}
}

// readTarget reads what the browser wants to be connected with, as name and port.
func readTarget(c net.Conn) (string, error) {
	var b [256]byte
	if _, err := io.ReadFull(c, b[:2]); err != nil {
		return "", err
	}
	if _, err := io.ReadFull(c, b[2:2+int(b[1])]); err != nil || b[0] != 5 {
		return "", errors.Join(err, errNotSOCKS)
	}
	if _, err := c.Write([]byte{5, 0}); err != nil { // no password
		return "", err
	}
	if _, err := io.ReadFull(c, b[:4]); err != nil || b[0] != 5 || b[1] != 1 {
		return "", errors.Join(err, errNotSOCKS)
	}
	host, err := readHost(c, b[3])
	if err != nil {
		return "", err
	}
	if _, err := io.ReadFull(c, b[:2]); err != nil {
		return "", err
	}
	return net.JoinHostPort(host, strconv.Itoa(int(binary.BigEndian.Uint16(b[:2])))), nil
}

// readHost reads an address of one of the kinds of RFC 1928, 5.
func readHost(c net.Conn, kind byte) (string, error) {
	size := map[byte]int{1: 4, 4: 16}[kind]
	if kind == 3 { // a name
		var n [1]byte
		if _, err := io.ReadFull(c, n[:]); err != nil {
			return "", err
		}
		size = int(n[0])
	}
	if size == 0 {
		return "", errNotSOCKS
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(c, b); err != nil {
		return "", err
	}
	if kind == 3 {
		return string(b), nil
	}
	a, _ := netip.AddrFromSlice(b)
	return a.String(), nil
}

var errNotSOCKS = errors.New("the client does not speak SOCKS 5")

// replyCode is what RFC 1928, 6 has for an error.
func replyCode(err error) byte {
	var dns *net.DNSError
	var refused *AddressError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &refused):
		return 2
	case errors.As(err, &dns):
		return 4
	case errors.Is(err, syscall.ECONNREFUSED):
		return 5
	default:
		return 1
	}
}
