package amqp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rabbitmq/amqp091-go"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// DefaultTimeout is how long a broker may be silent while pages wait for it.
const DefaultTimeout = 30 * time.Second

// window is how many pages are on their way at once.
const window = 256

// SinkOptions say where pages go.
type SinkOptions struct {
	URL      string        // of the broker: amqp://user:password@host:port/vhost
	Exchange string        // "" is the default exchange, where the key is the name of a queue
	Key      string        // the routing key
	Timeout  time.Duration // how long the broker may be silent while pages wait for it; 0 is DefaultTimeout
}

// UnroutedError says that no queue took published pages.
type UnroutedError struct {
	Exchange, Key string
	Pages         int
}

func (e *UnroutedError) Error() string {
	if e.Exchange == "" {
		return fmt.Sprintf("%d pages went nowhere: there is no queue %q", e.Pages, e.Key)
	}
	return fmt.Sprintf("%d pages went nowhere: bind a queue to exchange %q with key %q", e.Pages, e.Exchange, e.Key)
}

// RefusedError says that the broker refused pages.
type RefusedError struct{ Pages int }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the broker refused %d pages: a queue is full, or fails", e.Pages)
}

var (
	errSilent = errors.New("the broker says nothing")
	errClosed = errors.New("the sink is closed")
)

// Sink publishes pages. Its methods may be called from any goroutine.
type Sink struct {
	options SinkOptions
	address address
	life    context.Context // ends with Close
	end     context.CancelFunc

	mu        sync.Mutex // guards the rest
	link      *link      // nil: none
	confirmed map[string]bool
	// confirmed has the pages, by ID, that were confirmed of a group that failed as a whole: it comes again, and they need not. Without
	// it a queue that has room for a part would get that part forever.
}

// OpenSink connects to the broker. It returns an error if the exchange is missing, or with the default exchange, the queue.
func OpenSink(ctx context.Context, o SinkOptions) (*Sink, error) {
	a, err := parseAddress(o.URL)
	if err != nil {
		return nil, err
	}
	o.Timeout = cmp.Or(max(o.Timeout, 0), DefaultTimeout)
	s := &Sink{options: o, address: a}
	s.life, s.end = context.WithCancel(context.Background())
	if err := s.connect(ctx); err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}

// connect has a link, a new one where there is none or it is broken.
func (s *Sink) connect(ctx context.Context) error {
	if s.link != nil && s.link.alive() {
		return nil
	}
	s.link.close()
	s.link = nil
	l, err := s.address.dial(ctx)
	if err != nil {
		return err
	}
	if err := s.check(l); err != nil {
		l.close()
		return err
	}
	s.link = l
	return nil
}

// check sees that there is what is published to, and asks for confirms.
func (s *Sink) check(l *link) error {
	o, what, name := s.options, "exchange", s.options.Exchange
	var err error
	if o.Exchange == "" {
		what, name = "queue", o.Key
		_, err = l.channel.QueueDeclarePassive(o.Key, false, false, false, false, nil)
	} else {
		err = l.channel.ExchangeDeclarePassive(o.Exchange, "", false, false, false, false, nil)
	}
	if notFound(err) {
		hint := ""
		if o.Exchange != "" {
			hint = fmt.Sprintf(", and a queue that is bound to it with key %q", o.Key)
		}
		return fmt.Errorf("broker %s has no %s %q in virtual host %q: declare it%s", s.address, what, name, s.address.vhost, hint)
	}
	if err == nil {
		l.returns = l.channel.NotifyReturn(make(chan amqp091.Return, window))
		err = l.channel.Confirm(false)
	}
	if err != nil {
		return fmt.Errorf("use %s %q of broker %s: %w", what, name, s.address, err)
	}
	return nil
}

// Store publishes pages and returns when the broker has confirmed all of them: each is then on disk in a queue. After a lost connection
// it tries once more by itself. After an error, a later call continues with those of its pages that are not confirmed yet.
func (s *Sink) Store(ctx context.Context, pages []*crawl.Page) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.life, func() { cancel(errClosed) })()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(pages) == 0 {
		return nil
	}
	s.forgetOthers(pages)
	err := s.publish(ctx, pages)
	if s.link != nil && !s.link.alive() && ctx.Err() == nil && err != nil {
		err = s.publish(ctx, pages)
	}
	if err != nil {
		return fmt.Errorf("publish pages: %w", err)
	}
	s.confirmed = nil
	return nil
}

// forgetOthers forgets what was confirmed of pages that did not come again.
func (s *Sink) forgetOthers(pages []*crawl.Page) {
	still := map[string]bool{}
	for _, p := range pages {
		if s.confirmed[p.ID] {
			still[p.ID] = true
		}
	}
	s.confirmed = still
}

// publish publishes those pages that are not confirmed.
func (s *Sink) publish(ctx context.Context, pages []*crawl.Page) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	g := &group{sink: s, link: s.link}
	defer context.AfterFunc(ctx, func() { g.link.abort(context.Cause(ctx)) })()
	g.silence = time.AfterFunc(s.options.Timeout, func() { g.link.abort(fmt.Errorf("%w for %v", errSilent, s.options.Timeout)) })
	defer g.silence.Stop()
	for _, p := range pages {
		if s.confirmed[p.ID] {
			continue
		}
		if err := g.send(p); err != nil {
			return err
		}
		if len(g.flight) == window {
			if err := g.land(); err != nil {
				return err
			}
		}
	}
	if err := g.land(); err != nil {
		return err
	}
	return g.verdict()
}

// Close closes the connection, and ends a Store that waits for it.
func (s *Sink) Close() error {
	s.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.link.close()
	s.link = nil
	return nil
}
