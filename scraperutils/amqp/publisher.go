package amqp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/rabbitmq/amqp091-go"
)

// Message is a message that a Publisher publishes as persistent.
type Message struct {
	Exchange, Key   string // Exchange "" is the default exchange, where the key is the name of a queue
	Body            []byte
	ContentType     string
	ContentEncoding string
	Headers         map[string]any
	Expires         time.Duration // after this time the queue drops it, or sends it to its dead-letter exchange; 0: never

	// Needed says that a queue must take the message. If none does, the Publisher declares the topology and publishes the message again.
	// A message that is not needed counts as confirmed, and goes to OnUnrouted.
	Needed bool
}

// PublisherOptions say where messages go.
type PublisherOptions struct {
	URL       string // of the broker: amqp://user:password@host:port/vhost
	Topology  Topology
	Timeout   time.Duration // how long the broker may confirm nothing while messages wait, unless it says that it is blocked; 0 is DefaultTimeout
	Heartbeat time.Duration // a broker that is silent for three heartbeats counts as dead; 0 is DefaultHeartbeat

	OnTrouble  func(error)   // called with each error that is tried again; may be nil
	OnUnrouted func(Message) // called with each message that no queue took, by one goroutine; may be nil
}

// Publisher publishes messages until the broker has confirmed them, over as many connections as that takes. Its methods, and those of its
// batches, may be called from any goroutine.
type Publisher struct {
	options PublisherOptions
	address address
	life    context.Context // ends with Close
	end     context.CancelFunc
	ended   chan struct{} // closed when the goroutine has ended that owns the link
	wake    chan struct{} // something waits

	mu      sync.Mutex // guards the rest
	waiting []*parcel  // to be published, on whatever link
	link    *link      // the goroutine's; here for Reconnect and Blocked
}

// parcel is a message on its way.
type parcel struct {
	message Message
	batch   *Batch
}

// OpenPublisher connects to the broker and declares the topology.
func OpenPublisher(ctx context.Context, o PublisherOptions) (*Publisher, error) {
	a, err := parseAddress(o.URL)
	if err != nil {
		return nil, err
	}
	a.heartbeat = o.Heartbeat
	o.Timeout = cmp.Or(max(o.Timeout, 0), DefaultTimeout)
	if o.OnTrouble == nil {
		o.OnTrouble = func(error) {}
	}
	if o.OnUnrouted == nil {
		o.OnUnrouted = func(Message) {}
	}
	p := &Publisher{options: o, address: a, ended: make(chan struct{}), wake: make(chan struct{}, 1)}
	p.life, p.end = context.WithCancel(context.Background())
	l, err := p.connect(ctx)
	if err != nil {
		p.end()
		return nil, err
	}
	go p.run(l)
	return p, nil
}

func (p *Publisher) connect(ctx context.Context) (*link, error) {
	l, err := p.address.dial(ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, l.cut)
	err = p.options.Topology.declare(l)
	if err == nil {
		l.returns = l.channel.NotifyReturn(make(chan amqp091.Return, window))
		err = l.channel.Confirm(false)
	}
	if !stop() {
		err = cmp.Or(context.Cause(ctx), err)
	}
	if err != nil {
		l.close()
		return nil, fmt.Errorf("broker %s: %w", p.address, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.link = l
	return l, nil
}

// run publishes over one link after the other, beginning with l, until Close.
func (p *Publisher) run(l *link) {
	defer close(p.ended)
	var err error
	for pause := (pauses{}); p.life.Err() == nil; l = nil {
		if l == nil {
			l, err = p.connect(p.life)
		}
		if l != nil {
			s := &shipment{p: p, link: l, flight: map[uint64]*parcel{}, nowhere: map[string]bool{}}
			err = s.run()
			p.again(s.flight)
			l.close()
			if s.confirmed || errors.Is(err, errReconnect) {
				pause = pauses{}
			}
		}
		if p.life.Err() == nil {
			p.options.OnTrouble(err)
			pause.wait(p.life)
		}
	}
}

// again puts back, in front, what was published without being confirmed.
func (p *Publisher) again(flight map[uint64]*parcel) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var back []*parcel
	for _, tag := range slices.Sorted(maps.Keys(flight)) {
		back = append(back, flight[tag])
	}
	p.waiting = append(back, p.waiting...)
}

// next takes what is to be published next; nil: nothing is.
func (p *Publisher) next() *parcel {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.waiting) > 0 {
		first := p.waiting[0]
		p.waiting[0] = nil
		if p.waiting = p.waiting[1:]; len(p.waiting) == 0 {
			p.waiting = nil
		}
		if !first.batch.dropped() {
			return first
		}
	}
	return nil
}

// Waiting returns how many messages are not sent yet.
func (p *Publisher) Waiting() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting)
}

// Blocked returns why the broker accepts nothing now, or "" if it does.
func (p *Publisher) Blocked() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.link == nil {
		return ""
	}
	return p.link.blockedBy()
}

// Reconnect replaces the connection.
func (p *Publisher) Reconnect() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.link != nil {
		p.link.abort(errReconnect)
	}
}

// Close closes the connection. It drops unconfirmed messages, so wait for batches first.
func (p *Publisher) Close() error {
	p.end()
	<-p.ended
	return nil
}

// shipment is what a Publisher does on one link. It belongs to the Publisher's goroutine.
type shipment struct {
	p         *Publisher
	link      *link
	flight    map[uint64]*parcel // published, by delivery tag
	nowhere   map[string]bool    // published and taken by no queue, by message ID; not confirmed yet
	confirmed bool               // something was
}

// run publishes until the link or the Publisher ends. Its error is why.
func (s *shipment) run() error {
	confirms := s.link.channel.NotifyPublish(make(chan amqp091.Confirmation, window))
	silence := time.NewTimer(s.p.options.Timeout)
	defer silence.Stop()
	running := true
	for {
		if err := s.publish(); err != nil {
			return err
		}
		switch wanted := len(s.flight) > 0 && s.link.blockedBy() == ""; {
		case !wanted:
			silence.Stop()
			running = false
		case !running:
			silence.Reset(s.p.options.Timeout)
			running = true
		}
		select {
		case <-s.p.wake:
		case <-s.link.changed:
		case c, ok := <-confirms:
			if !ok {
				return s.lost()
			}
			if err := s.landed(c); err != nil {
				return err
			}
			running = false // begins anew
		case <-silence.C:
			s.link.abort(fmt.Errorf("%w for %v", errSilent, s.p.options.Timeout))
			return s.lost()
		case <-s.link.over:
			return s.lost()
		case <-s.p.life.Done():
			return context.Cause(s.p.life)
		}
	}
}

// publish publishes what waits, as far as the broker takes it and there is room.
func (s *shipment) publish() error {
	for len(s.flight) < window && s.link.blockedBy() == "" {
		next := s.p.next()
		if next == nil {
			return nil
		}
		tag := s.link.channel.GetNextPublishSeqNo()
		s.flight[tag] = next
		m := next.message
		publishing := amqp091.Publishing{
			DeliveryMode: amqp091.Persistent, MessageId: strconv.FormatUint(tag, 10), Body: m.Body,
			ContentType: m.ContentType, ContentEncoding: m.ContentEncoding, Headers: m.Headers,
		}
		if m.Expires > 0 {
			publishing.Expiration = strconv.FormatInt(m.Expires.Milliseconds(), 10)
		}
		if err := s.link.channel.PublishWithContext(s.p.life, m.Exchange, m.Key, true, false, publishing); err != nil {
			s.link.cut()
			return s.lost()
		}
	}
	return nil
}

// landed takes in the answer to a message. What no queue takes is returned first, and confirmed after that.
func (s *shipment) landed(c amqp091.Confirmation) error {
	for len(s.link.returns) > 0 {
		s.nowhere[(<-s.link.returns).MessageId] = true
	}
	next, id := s.flight[c.DeliveryTag], strconv.FormatUint(c.DeliveryTag, 10)
	switch m := next.message; {
	case !c.Ack:
		return errors.New("the broker refused a message: a queue is full, or fails")
	case s.nowhere[id] && m.Needed:
		return fmt.Errorf("a message went nowhere: no queue takes key %q of exchange %q", m.Key, m.Exchange)
	case s.nowhere[id]:
		delete(s.nowhere, id)
		s.p.options.OnUnrouted(m)
	}
	s.confirmed = true
	delete(s.flight, c.DeliveryTag)
	next.batch.landed()
	return nil
}

// lost is why the link has ended.
func (s *shipment) lost() error {
	return fmt.Errorf("connection to broker %s is lost: %w", s.p.address, s.link.why())
}
