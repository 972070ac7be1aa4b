package amqptest

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Proxy stands between a client and a broker and cuts connections.
type Proxy struct {
	listener net.Listener
	target   string
	limits   func() (out, in int64)
	all      sync.WaitGroup

	mu   sync.Mutex // guards the rest
	open map[net.Conn]bool
	cuts int
}

// NewProxy starts a proxy to the broker at a URL. It passes as many bytes of each connection to the broker and from it as limits says,
// and then cuts the connection. A negative limit means all.
func NewProxy(t testing.TB, broker string, limits func() (out, in int64)) *Proxy {
	t.Helper()
	u, err := url.Parse(broker)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: l, target: u.Host, limits: limits, open: map[net.Conn]bool{}}
	p.all.Go(p.serve)
	t.Cleanup(func() { _ = l.Close(); p.Cut(); p.all.Wait() })
	return p
}

// URL returns the broker's URL through the proxy.
func (p *Proxy) URL() string { return "amqp://guest:guest@" + p.listener.Addr().String() + "/" }

// Cut cuts all connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		_ = c.Close()
	}
}

// Cuts returns how many connections have ended.
func (p *Proxy) Cuts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts
}

func (p *Proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		out, in := p.limits()
		p.all.Go(func() { p.forward(client, out, in) })
	}
}

func (p *Proxy) forward(client net.Conn, out, in int64) {
	broker, err := net.Dial("tcp", p.target)
	if err != nil {
		_ = client.Close()
		return
	}
	p.mu.Lock()
	p.open[client], p.open[broker] = true, true
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { pass(broker, client, out); p.end(client, broker) })
	both.Go(func() { pass(client, broker, in); p.end(client, broker) })
	both.Wait()
	p.mu.Lock()
	p.cuts++
	p.mu.Unlock()
}

func pass(to io.Writer, from io.Reader, limit int64) {
	if limit >= 0 {
		from = io.LimitReader(from, limit)
	}
	_, _ = io.Copy(to, from)
}

func (p *Proxy) end(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		_ = c.Close()
		delete(p.open, c)
	}
}
