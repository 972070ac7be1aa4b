package wire

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"syscall"
	"time"
)

// Rooms for what is read and written, in bytes: the heads of nearly all answers and requests fit. Bodies are read past them.
const (
	readRoom  = 2 << 10
	writeRoom = 1 << 10
)

// streams are a connection as the system has it, and as messages pass through it: by TLS, or the same.
type streams struct{ raw, stream net.Conn }

// conn is a connection to a host. Whoever took it from the pool or made it has it alone until it is put back or closed.
type conn struct {
	streams
	system syscall.RawConn // of the raw one; nil: the system has none
	pool   *pool
	shelf  *shelf        // of its host
	in     *bufio.Reader // from the conn itself, which counts
	left   int           // bytes that may still be read
	limit  int           // bytes of the head of an answer

	// Owned by the pool.
	expiry  *time.Timer // looks whether it has been idle for long enough; nil until it is idle
	watched bool        // the timer runs
	since   time.Time   // when it became idle
}

func newConn(s streams, shelf *shelf, p *pool, maxHeader int) *conn {
	c := &conn{streams: s, shelf: shelf, pool: p, limit: maxHeader}
	if c.limit <= 0 {
		c.limit = math.MaxInt
	}
	c.in = bufio.NewReaderSize(c, readRoom)
	if s, ok := c.raw.(syscall.Conn); ok {
		c.system, _ = s.SyscallConn() // without it, an idle connection is not looked at
	}
	return c
}

// Read reads from the host, as much as may be read.
func (c *conn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, fmt.Errorf("the head of the answer is larger than %d bytes", c.limit)
	}
	n, err := c.stream.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// close ends the connection. Whoever has it does so, once.
func (c *conn) close() {
	c.pool.drop(c.shelf)
	_ = c.stream.Close() // nobody waits for what it could not send
}

// exchange sends a request and returns its answer, whose body has the connection from then on.
func (c *conn) exchange(r *http.Request, trace *httptrace.ClientTrace) (*http.Response, error) {
	ctx := r.Context()
	unwatch := context.AfterFunc(ctx, func() { _ = c.stream.SetDeadline(time.Unix(1, 0)) }) // whoever reads or writes returns
	response, err := c.converse(r, trace)
	if err != nil {
		unwatch()
		c.close()
		return nil, cause(ctx, err)
	}
	if secure, ok := c.stream.(*tls.Conn); ok {
		state := secure.ConnectionState()
		response.TLS = &state
	}
	b := &body{ctx: ctx, from: response.Body, conn: c, unwatch: unwatch, keep: !response.Close && response.StatusCode != http.StatusSwitchingProtocols}
	if response.Body == http.NoBody {
		b.end(io.EOF)
	} else {
		response.Body = b
	}
	return response, nil
}

// converse writes a request and reads the head of its answer.
func (c *conn) converse(r *http.Request, trace *httptrace.ClientTrace) (*http.Response, error) {
	err := c.send(r)
	if trace.WroteHeaders != nil {
		trace.WroteHeaders() // perhaps not all of them
	}
	if err != nil {
		return nil, err
	}
	return c.receive(r)
}

func (c *conn) send(r *http.Request) error {
	out, ok := c.pool.writers.Get().(*bufio.Writer)
	if !ok {
		out = bufio.NewWriterSize(nil, writeRoom)
	}
	defer c.pool.writers.Put(out)
	out.Reset(c.stream)
	defer out.Reset(nil)
	if err := r.Write(out); err != nil {
		return err
	}
	return out.Flush()
}

// receive reads the head of an answer, and those of interim answers before it, which share its limit.
func (c *conn) receive(r *http.Request) (*http.Response, error) {
	c.left = c.limit
	for {
		response, err := http.ReadResponse(c.in, r)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF) && c.left == c.limit:
			return nil, &net.OpError{Op: "read", Net: "tcp", Err: errors.New("the connection ended before an answer came")}
		case err != nil:
			return nil, err
		case response.StatusCode/100 != 1 || response.StatusCode == http.StatusSwitchingProtocols:
			c.left = math.MaxInt
			return response, nil
		}
	}
}
