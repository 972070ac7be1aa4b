package amqp

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rabbitmq/amqp091-go"
)

// dialTimeout is for all of a connection's beginning: network, encryption, login.
const dialTimeout = 10 * time.Second

// DefaultHeartbeat is how often both sides say that they are alive. A connection ends after three missed heartbeats.
const DefaultHeartbeat = 10 * time.Second

// closeGrace is how long a broker may take to hear of the end.
const closeGrace = time.Second

// address is where a broker is. Its text has no secret.
type address struct {
	url   string // has the password
	name  string // host, port
	vhost string
	user  string

	heartbeat time.Duration // 0 is DefaultHeartbeat
}

func (a address) String() string { return a.name }

// parseAddress reads an AMQP URL. What the parser says of one that it can't read may hold the password, so nobody hears it.
func parseAddress(raw string) (address, error) {
	u, err := amqp091.ParseURI(raw)
	if err != nil {
		return address{}, errors.New("AMQP URL can't be read: expected amqp://user:password@host:port/vhost, " +
			"or amqps; what is special in the password is percent-encoded")
	}
	return address{url: raw, name: net.JoinHostPort(u.Host, strconv.Itoa(u.Port)), vhost: u.Vhost, user: u.Username}, nil
}

// link is a connection to a broker and its one channel.
type link struct {
	conn     *amqp091.Connection
	channel  *amqp091.Channel
	raw      net.Conn
	over     chan struct{}       // closed when the channel has ended
	changed  chan struct{}       // the broker began or ceased to take nothing
	returns  chan amqp091.Return // of pages that no queue takes; has room for all in flight: the library drops what finds none
	calls    sync.Mutex          // held by who asks the broker for an answer once the link is shared: the library gives one to whoever waits
	prefetch int                 // messages without an answer at once
	open     atomic.Int64        // messages that were delivered and have no answer

	mu      sync.Mutex // guards the rest
	cause   error      // why it has ended
	blocked string     // why the broker takes nothing now; "": it does
}

// dial connects. It ends early when ctx does.
func (a address) dial(ctx context.Context) (*link, error) {
	l := &link{over: make(chan struct{}), changed: make(chan struct{}, 1)}
	unwatch := func() bool { return true }
	config := amqp091.Config{
		Heartbeat:  cmp.Or(max(a.heartbeat, 0), DefaultHeartbeat),
		Properties: amqp091.Table{"connection_name": "multiscraper"},
		Dial: func(network, address string) (net.Conn, error) {
			c, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			l.raw = c
			unwatch = context.AfterFunc(ctx, func() { _ = c.Close() })
			return c, c.SetDeadline(time.Now().Add(dialTimeout)) // the library lifts it after the login
		},
	}
	var err error
	l.conn, err = amqp091.DialConfig(a.url, config)
	if err == nil && !unwatch() {
		err = context.Cause(ctx)
		l.cut()
	} else if err == nil {
		l.channel, err = l.conn.Channel()
	}
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if l.raw != nil {
			_ = l.raw.Close()
		}
		return nil, a.explain(err)
	}
	l.watch()
	return l, nil
}

// watch notes how the link does, until it ends.
func (l *link) watch() {
	ended := l.channel.NotifyClose(make(chan *amqp091.Error, 1))
	blockings := l.conn.NotifyBlocked(make(chan amqp091.Blocking, 1))
	go func() {
		for b := range blockings {
			l.mu.Lock()
			l.blocked = b.Reason
			if !b.Active {
				l.blocked = ""
			}
			l.mu.Unlock()
			select {
			case l.changed <- struct{}{}:
			default: // it was told
			}
		}
	}()
	go func() {
		defer close(l.over)
		if why := <-ended; why != nil {
			l.end(why)
		}
		l.end(amqp091.ErrClosed)
	}()
}

// end notes why the link has ended; the first reason counts.
func (l *link) end(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cause == nil {
		l.cause = why
	}
}

// why returns why the link has ended, once it has.
func (l *link) why() error {
	<-l.over
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cause
}

// abort ends the link for a reason of ours.
func (l *link) abort(why error) {
	l.mu.Lock()
	if l.blocked != "" {
		why = fmt.Errorf("%w: the broker takes nothing now: %s", why, l.blocked)
	}
	l.mu.Unlock()
	l.end(why)
	l.cut()
}

// cut ends the connection at once, and whatever waits for it.
func (l *link) cut() { _ = l.raw.Close() }

// blockedBy returns why the broker takes nothing now; "": it does.
func (l *link) blockedBy() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.blocked
}

func (l *link) alive() bool {
	select {
	case <-l.over:
		return false
	default:
		return !l.channel.IsClosed()
	}
}

// close ends the link as the protocol has it, within a moment.
func (l *link) close() {
	if l == nil {
		return
	}
	_ = l.conn.CloseDeadline(time.Now().Add(closeGrace))
	l.cut()
	<-l.over
}

// explain says what an error of connecting means.
func (a address) explain(err error) error {
	var said *amqp091.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
	case errors.Is(err, amqp091.ErrCredentials), errors.As(err, &said) && said.Code == amqp091.AccessRefused:
		err = fmt.Errorf("user %q is not allowed in, or the password is wrong: %w", a.user, err)
	case errors.Is(err, amqp091.ErrVhost), errors.As(err, &said) && said.Code == amqp091.NotAllowed:
		err = fmt.Errorf("virtual host %q: %w", a.vhost, err)
	case errors.Is(err, amqp091.ErrSyntax), errors.Is(err, amqp091.ErrFrame), errors.As(err, &said) && said.Code == amqp091.FrameError,
		errors.Is(err, amqp091.ErrClosed): // it has hung up
		err = fmt.Errorf("it does not answer as AMQP 0-9-1 does: %w", err)
	}
	return fmt.Errorf("connect to broker %s: %w", a, err)
}

// notFound reports whether a broker said that there is no such exchange or queue.
func notFound(err error) bool {
	var said *amqp091.Error
	return errors.As(err, &said) && said.Code == amqp091.NotFound
}
