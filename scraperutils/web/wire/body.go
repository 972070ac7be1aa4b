package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
)

// body is the body of an answer. When it ends, its connection is kept or closed.
type body struct {
	ctx     context.Context // of the request
	from    io.Reader
	conn    *conn // nil once it has ended
	unwatch func() bool
	keep    bool  // the host keeps the connection, too
	ended   error // how it ended
}

func (b *body) Read(p []byte) (int, error) {
	if b.conn == nil {
		return 0, b.ended
	}
	n, err := b.from.Read(p)
	if err != nil {
		b.end(err)
		return n, b.ended
	}
	return n, nil
}

// Close closes the connection if the body has not been read to its end: the rest may be long.
func (b *body) Close() error {
	if b.conn != nil {
		b.end(http.ErrBodyReadAfterClose)
	}
	return nil
}

// end hands the connection on: to the next request, if all that the host has sent has been read.
func (b *body) end(err error) {
	c := b.conn
	b.conn, b.ended = nil, cause(b.ctx, err)
	whole := errors.Is(err, io.EOF)
	if whole {
		b.ended = io.EOF
	}
	if unwatched := b.unwatch(); unwatched && whole && b.keep && c.in.Buffered() == 0 {
		c.pool.put(c)
		return
	}
	c.close()
}
