package amqp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rabbitmq/amqp091-go"
)

// DefaultSilence is how long a consumer waits without a message before it asks whether the queue has any.
const DefaultSilence = time.Minute

// ErrGone says that the connection of an acknowledgment is lost. The message comes again, to this consumer or another one.
var ErrGone = errors.New("the connection that the message came by is lost")

var errDeaf = errors.New("nothing comes though the queue has messages")

// errReconnect is why a connection ends that is made anew because somebody asked for it.
var errReconnect = errors.New("a new connection was asked for")

// ConsumerOptions say what to consume, and how.
type ConsumerOptions struct {
	URL       string // of the broker: amqp://user:password@host:port/vhost
	Queue     string
	Topology  Topology
	Prefetch  int           // unanswered messages at once; 0 is 1
	Silence   time.Duration // time without a message before asking whether the queue has any; if so, the connection is replaced; 0 is DefaultSilence
	Heartbeat time.Duration // a broker that is silent for three heartbeats counts as dead; 0 is DefaultHeartbeat

	// OnTrouble is called with each error that is tried again. It may be nil.
	OnTrouble func(error)
}

// Consumer hands out the messages of a queue, and takes an answer to each. Run belongs to one goroutine. The other methods may be called
// from any goroutine.
type Consumer struct {
	options ConsumerOptions
	address address

	mu   sync.Mutex // guards link; not held while the broker is waited for
	link *link      // nil: none
}

// Delivery is a message that waits for an answer. Answer it by one call of one of its methods, from any goroutine.
type Delivery struct {
	Body        []byte
	Headers     map[string]any
	Redelivered bool // it was delivered before, to this or another consumer

	raw  amqp091.Delivery
	link *link
}

// OpenConsumer connects to the broker and declares the topology.
func OpenConsumer(ctx context.Context, o ConsumerOptions) (*Consumer, error) {
	a, err := parseAddress(o.URL)
	if err != nil {
		return nil, err
	}
	a.heartbeat = o.Heartbeat
	o.Prefetch, o.Silence = min(max(o.Prefetch, 1), 30_000), cmp.Or(max(o.Silence, 0), DefaultSilence)
	if o.OnTrouble == nil {
		o.OnTrouble = func(error) {}
	}
	c := &Consumer{options: o, address: a}
	if _, err := c.connect(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// connect returns the link, a new one where there is none or it is broken.
func (c *Consumer) connect(ctx context.Context) (*link, error) {
	c.mu.Lock()
	old := c.link
	c.mu.Unlock()
	if old != nil && old.alive() {
		return old, nil
	}
	old.close()
	l, err := c.address.dial(ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, l.cut)
	l.prefetch = c.options.Prefetch
	err = c.options.Topology.declare(l)
	if err == nil {
		err = l.channel.Qos(c.options.Prefetch, 0, false)
	}
	if !stop() {
		err = cmp.Or(context.Cause(ctx), err)
	}
	if err != nil {
		l.close()
		return nil, fmt.Errorf("broker %s: %w", c.address, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.link = l
	return l, nil
}

// Run passes each message to take, which must return soon, until ctx ends. It returns the cause. After a lost connection it connects
// again, after pauses that grow. Unanswered messages of that connection come again.
//
// When Run returns, it takes no more messages from the queue. Messages may still be answered until Close.
func (c *Consumer) Run(ctx context.Context, take func(*Delivery)) error {
	for pause := (pauses{}); ctx.Err() == nil; {
		heard, err := c.consume(ctx, take)
		if ctx.Err() != nil {
			break
		}
		if heard || errors.Is(err, errReconnect) {
			pause = pauses{}
		}
		c.options.OnTrouble(err)
		pause.wait(ctx)
	}
	return context.Cause(ctx)
}

// consume takes messages over one link until it ends; its error is why. Heard says that there were some.
func (c *Consumer) consume(ctx context.Context, take func(*Delivery)) (heard bool, err error) {
	l, err := c.connect(ctx)
	if err != nil {
		return false, err
	}
	const tag = "multiscraper"
	deliveries, err := l.channel.Consume(c.options.Queue, tag, false, false, false, false, nil)
	if err != nil {
		l.cut()
		return false, fmt.Errorf("consume queue %q of broker %s: %w", c.options.Queue, c.address, err)
	}
	watch := time.NewTicker(c.options.Silence)
	defer watch.Stop()
	for quiet := false; ; {
		select {
		case d, ok := <-deliveries:
			if !ok {
				return heard, c.lost(l)
			}
			heard, quiet = true, false
			l.open.Add(1)
			take(&Delivery{Body: d.Body, Headers: d.Headers, Redelivered: d.Redelivered, raw: d, link: l})
		case <-watch.C:
			if quiet && c.deaf(l) {
				l.abort(errDeaf)
				return heard, fmt.Errorf("consume queue %q of broker %s: %w", c.options.Queue, c.address, errDeaf)
			}
			quiet = true
		case <-ctx.Done():
			c.leave(l, tag, deliveries)
			return heard, context.Cause(ctx)
		}
	}
}

// deaf reports whether the queue has messages that the broker should have sent by now.
func (c *Consumer) deaf(l *link) bool {
	if int(l.open.Load()) >= c.options.Prefetch {
		return false
	}
	l.calls.Lock()
	defer l.calls.Unlock()
	q, err := l.channel.QueueDeclarePassive(c.options.Queue, true, false, false, false, nil)
	return err == nil && q.Messages > 0 && int(l.open.Load()) < c.options.Prefetch
}

// leaveGrace is how long a broker may take to end a consumer. After that the connection ends, and no message can be answered.
const leaveGrace = 10 * time.Second

// leave ends the consumer and gives back what was not handed out.
func (c *Consumer) leave(l *link, tag string, deliveries <-chan amqp091.Delivery) {
	late := time.AfterFunc(leaveGrace, l.cut)
	defer late.Stop()
	var canceled sync.WaitGroup
	defer canceled.Wait()
	canceled.Go(func() {
		l.calls.Lock()
		defer l.calls.Unlock()
		if l.channel.Cancel(tag, false) != nil {
			l.cut()
		}
	})
	for d := range deliveries { // closed by the cancel, or with the link
		_ = d.Nack(false, true) // else it comes again as the link ends
	}
}

// lost is why no message comes any more.
func (c *Consumer) lost(l *link) error {
	if l.alive() {
		l.cut()
		return fmt.Errorf("broker %s has ended the consumer of queue %q: was it deleted?", c.address, c.options.Queue)
	}
	return fmt.Errorf("connection to broker %s is lost: %w", c.address, l.why())
}

// Ack says that a message is done, and waits until the broker knows. ErrGone means that the broker may not know.
func (d *Delivery) Ack() error {
	defer d.link.open.Add(-1)
	return d.answer(d.raw.Ack(false))
}

// Requeue gives a message back to the queue. ErrGone means that the message comes again anyway.
func (d *Delivery) Requeue() error {
	defer d.link.open.Add(-1)
	return d.answer(d.raw.Nack(false, true))
}

// Alive reports whether an answer may still reach the broker.
func (d *Delivery) Alive() bool { return d.link.alive() }

// answer waits for a call after the answer: once it returns, the broker has had both.
func (d *Delivery) answer(err error) error {
	if err == nil {
		d.link.calls.Lock()
		defer d.link.calls.Unlock()
		err = d.link.channel.Qos(d.link.prefetch, 0, false)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	return nil
}

// Reconnect replaces the connection.
func (c *Consumer) Reconnect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link != nil {
		c.link.abort(errReconnect)
	}
}

// Close closes the connection. Unanswered messages go back to the queue. Call it after Run has returned.
func (c *Consumer) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.link.close()
	c.link = nil
	return nil
}
