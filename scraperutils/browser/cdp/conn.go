package cdp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
)

// ErrClosed reports that the browser has ended or closed its pipe.
var ErrClosed = errors.New("the browser's pipe is closed")

// Error reports that a browser refused a command.
type Error struct {
	Method  string // of the command
	Code    int64
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s (%d)", e.Method, e.Message, e.Code) }

// maxMessage is how large a message of the browser may be, in bytes: a document as text, for one.
const maxMessage = 256 << 20

// lenient takes text that is no Unicode, which pages may hold.
var lenient = jsonv2.AllowInvalidUTF8(true)

// message is what goes either way.
type message struct {
	ID        int64            `json:"id,omitzero"`
	SessionID target.SessionID `json:"sessionId,omitzero"`
	Method    string           `json:"method,omitzero"`
	Params    jsonv2.Value     `json:"params,omitzero"`
	Result    jsonv2.Value     `json:"result,omitzero"`
	Error     *struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	} `json:"error,omitzero"`
}

// command is a message to the browser.
type command struct {
	ID        int64            `json:"id"`
	SessionID target.SessionID `json:"sessionId,omitzero"`
	Method    string           `json:"method"`
	Params    any              `json:"params"`
}

// Conn is a connection with a browser. Its methods may be called from any goroutine.
type Conn struct {
	to     io.WriteCloser
	routes *routes
	done   chan struct{} // closed when the browser has gone

	writing sync.Mutex // one command after the other

	mu      sync.Mutex // guards the rest
	last    int64      // the number of the last command
	calls   map[int64]chan<- message
	stopped bool
}

// NewConn starts to read what a browser writes, until that ends. Closing the connection closes both pipes.
func NewConn(from io.ReadCloser, to io.WriteCloser) *Conn {
	c := &Conn{to: to, routes: newRoutes(), done: make(chan struct{}), calls: map[int64]chan<- message{}}
	go c.read(from)
	return c
}

// Close tells the browser to end, and waits until it has closed its side.
func (c *Conn) Close() {
	_ = c.to.Close()
	<-c.done
}

// Done returns a channel that is closed when the browser has closed its side.
func (c *Conn) Done() <-chan struct{} { return c.done }

// read takes messages until the browser ends: each is JSON with a zero byte behind it.
func (c *Conn) read(from io.ReadCloser) {
	defer c.stop()
	defer from.Close()
	r := bufio.NewReaderSize(from, 64<<10)
	for {
		text, err := readMessage(r)
		if err != nil {
			return
		}
		var m message
		if jsonv2.Unmarshal(text, &m, lenient) != nil {
			return // nothing of what follows can be trusted
		}
		if m.ID == 0 {
			c.routes.deliver(m)
			continue
		}
		c.mu.Lock()
		answer := c.calls[m.ID]
		delete(c.calls, m.ID)
		c.mu.Unlock()
		if answer != nil {
			answer <- m // it has room
		}
	}
}

// readMessage returns the bytes up to a zero byte, which are the caller's.
func readMessage(r *bufio.Reader) ([]byte, error) {
	var text []byte
	for {
		part, err := r.ReadSlice(0)
		text = append(text, part...)
		switch {
		case err == nil:
			return text[:len(text)-1], nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(text) > maxMessage:
			return nil, fmt.Errorf("a message has more than %d bytes", maxMessage)
		}
	}
}

func (c *Conn) stop() {
	c.mu.Lock()
	c.stopped = true
	calls := c.calls
	c.calls = nil
	c.mu.Unlock()
	for _, answer := range calls {
		close(answer)
	}
	c.routes.close()
	close(c.done)
}

// Session is the part of a connection that belongs to one target.
type Session struct {
	conn *Conn
	ID   target.SessionID // "" is the browser's own
}

// Browser returns the browser's own session.
func (c *Conn) Browser() *Session { return &Session{conn: c} }

// Session returns a session by its ID.
func (c *Conn) Session(id target.SessionID) *Session { return &Session{conn: c, ID: id} }

// Call makes the browser run a command and returns its result. The error is ctx's cause, ErrClosed, or an *Error.
func Call[P, R any](ctx context.Context, s *Session, what protocol.Command[P, R], params P) (R, error) {
	return Start(s, what, params).Wait(ctx)
}

// Pending is a command that has been sent.
type Pending[R any] struct {
	method string
	answer <-chan message
	forget func()
	err    error
}

// Start sends a command without waiting for its answer. The browser runs the commands of a session in the order in which they were sent.
func Start[P, R any](s *Session, what protocol.Command[P, R], params P) *Pending[R] {
	answer, forget, err := s.conn.send(s.ID, what.Method, params)
	return &Pending[R]{method: what.Method, answer: answer, forget: forget, err: err}
}

// Wait returns the command's result. The error is ctx's cause, ErrClosed, or an *Error. Call it only once.
func (p *Pending[R]) Wait(ctx context.Context) (R, error) {
	var result R
	if p.err != nil {
		return result, p.err
	}
	select {
	case m, ok := <-p.answer:
		switch {
		case !ok:
			return result, ErrClosed
		case m.Error != nil:
			return result, &Error{p.method, m.Error.Code, m.Error.Message}
		}
		if err := jsonv2.Unmarshal(m.Result, &result, lenient); err != nil {
			return result, fmt.Errorf("read the answer to %s: %w", p.method, err)
		}
		return result, nil
	case <-ctx.Done():
		p.forget()
		return result, context.Cause(ctx)
	}
}

// send writes a command. Its answer comes through the channel, which is closed if there will be none.
func (c *Conn) send(session target.SessionID, method string, params any) (_ <-chan message, forget func(), _ error) {
	answer := make(chan message, 1)
	c.mu.Lock()
	if c.stopped {
		c.mu.Unlock()
		return nil, nil, ErrClosed
	}
	c.last++
	id := c.last
	c.calls[id] = answer
	c.mu.Unlock()
	forget = func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.calls, id)
	}
	text, err := jsonv2.Marshal(command{id, session, method, params}, lenient)
	if err != nil {
		forget()
		return nil, nil, fmt.Errorf("write %s: %w", method, err)
	}
	if err := c.write(append(text, 0)); err != nil {
		forget()
		return nil, nil, ErrClosed
	}
	return answer, forget, nil
}

// Unmarshal decodes a value that came with an answer.
func Unmarshal(value jsonv2.Value, into any) error { return jsonv2.Unmarshal(value, into, lenient) }

// writeTime is how long a browser may take to read a command. One that takes longer hangs.
const writeTime = 30 * time.Second

// write writes a command. Where that fails, nothing more is written: half of it may have been.
func (c *Conn) write(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if limited, ok := c.to.(interface{ SetWriteDeadline(time.Time) error }); ok {
		_ = limited.SetWriteDeadline(time.Now().Add(writeTime)) // pipes of the system have it
	}
	_, err := c.to.Write(text)
	if err != nil {
		_ = c.to.Close()
	}
	return err
}
