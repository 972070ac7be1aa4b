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

	mu      sync.Mutex      // guards the rest
	shelves map[host]*shelf // of hosts that have connections
}

// shelf is the connections of a host.
type shelf struct {
	to   host
	open int     // connections, in use or not; the shelf goes with the last of them
	idle []*conn // not in use, the latest one last
}

// take returns a connection on which nothing has come since it was put, or nil, and the shelf of the host: who takes none may make one,
// and then drops it or puts it there.
func (p *pool) take(to host) (*conn, *shelf) {
	for {
		c, s := p.last(to)
		if c == nil || !hasInput(c.system) {
			return c, s
		}
		c.close() // the host has closed it, or says what nobody asked
	}
}

// last takes the latest connection, which is the one that the host is least likely to close. Where there is none, a new one counts.
func (p *pool) last(to host) (*conn, *shelf) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.shelves[to]
	if s == nil {
		s = &shelf{to: to}
		p.shelves[to] = s
	}
	if len(s.idle) == 0 {
		s.open++
		return nil, s
	}
	c := s.idle[len(s.idle)-1]
	s.idle = slices.Delete(s.idle, len(s.idle)-1, len(s.idle))
	return c, s
}

// drop takes in that a connection of a shelf is no more.
func (p *pool) drop(s *shelf) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.open--; s.open == 0 {
		delete(p.shelves, s.to)
	}
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
	if len(c.shelf.idle) >= p.max {
		return false
	}
	c.shelf.idle = append(c.shelf.idle, c)
	if p.timeout == 0 {
		return true
	}
	c.since = time.Now()
	switch {
	case c.watched:
	case c.expiry == nil:
		c.expiry = time.AfterFunc(p.timeout, func() { p.expire(c) })
	default:
		c.expiry.Reset(p.timeout)
	}
	c.watched = true
	return true
}

// expire closes a connection that nobody has used for long enough, or looks at it again when that may be so. The timer of one that is
// used is not set anew each time: that would cost more than to look once in a while.
func (p *pool) expire(c *conn) {
	if p.expired(c) {
		c.close()
	}
}

// expired takes a connection out if it has been idle for long enough, and reports whether it has.
func (p *pool) expired(c *conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(c.shelf.idle, c)
	if i < 0 {
		c.watched = false
		return false
	}
	if rest := p.timeout - time.Since(c.since); rest > 0 {
		c.expiry.Reset(rest)
		return false
	}
	c.shelf.idle = slices.Delete(c.shelf.idle, i, i+1)
	return true
}

// close closes all connections that nobody uses.
func (p *pool) close() {
	var idle []*conn
	p.mu.Lock()
	for _, s := range p.shelves {
		idle = append(idle, s.idle...)
		s.idle = nil
	}
	p.mu.Unlock()
	for _, c := range idle {
		if c.expiry != nil {
			c.expiry.Stop()
		}
		c.close()
	}
}
