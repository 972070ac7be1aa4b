package wire

import (
	"slices"
	"sync"
	"time"
)

// host is whom a connection leads to.
type host struct {
	secure bool
	name   string // with its port, if the URL has one
}

// pool keeps connections for the next request to their host, and room for any request. Its methods may be called from any goroutine.
type pool struct {
	max     int           // per host
	timeout time.Duration // 0: none
	writers sync.Pool     // of *bufio.Writer: room in which a request is put together

	mu   sync.Mutex       // guards the rest
	idle map[host][]*conn // the latest one last
}

// take returns a connection on which nothing has come since it was put, or nil.
func (p *pool) take(to host) *conn {
	for {
		c := p.last(to)
		if c == nil || !hasInput(c.raw) {
			return c
		}
		c.close() // the host has closed it, or says what nobody asked
	}
}

// last takes the latest connection, which is the one that the host is least likely to close.
func (p *pool) last(to host) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.idle[to]
	if len(all) == 0 {
		return nil
	}
	c := all[len(all)-1]
	p.set(to, slices.Delete(all, len(all)-1, len(all)))
	if c.expiry != nil {
		c.expiry.Stop()
	}
	return c
}

func (p *pool) set(to host, all []*conn) {
	if len(all) == 0 {
		delete(p.idle, to)
		return
	}
	p.idle[to] = all
}

// put keeps a connection, unless its host has enough.
func (p *pool) put(c *conn) {
	if !p.keep(c) {
		c.close()
	}
}

func (p *pool) keep(c *conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.idle[c.to]
	if len(all) >= p.max {
		return false
	}
	p.idle[c.to] = append(all, c)
	switch {
	case p.timeout == 0:
	case c.expiry == nil:
		c.expiry = time.AfterFunc(p.timeout, func() {
			if p.expired(c) {
				c.close()
			}
		})
	default:
		c.expiry.Reset(p.timeout)
	}
	return true
}

// expired takes a connection out, and reports whether it was still there.
func (p *pool) expired(c *conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.idle[c.to]
	i := slices.Index(all, c)
	if i < 0 {
		return false
	}
	p.set(c.to, slices.Delete(all, i, i+1))
	return true
}

// close closes all connections that nobody uses.
func (p *pool) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle = map[host][]*conn{}
	p.mu.Unlock()
	for _, all := range idle {
		for _, c := range all {
			if c.expiry != nil {
				c.expiry.Stop()
			}
			c.close()
		}
	}
}
