package umbra

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/amqp"
)

// These are the defaults of Options.
const (
	DefaultName       = "umbra" // of the exchange
	DefaultQueue      = "urls"  // the queue, and its key
	DefaultRetryPause = 10 * time.Second
	DefaultDrain      = 60 * time.Second
)

// How often a page is tried, and how long a pause between two tries is at most.
const (
	mostTries = 6
	lastPause = 2 * time.Minute
)

// Options say where messages come from and what to do with them. A name that is "" is the default.
type Options struct {
	URL        string // of the broker: amqp://user:password@host:port/vhost
	Exchange   string
	Queue      string        // the queue with .retry after its name holds messages to try again, the one with .dead those that are given up
	Key        string        // routing key of messages to the exchange
	Browsers   int           // pages at once; 0 is 1
	Outlinks   bool          // send the links of pages too
	RetryPause time.Duration // pause before the second try; it doubles with each try, up to two minutes; 0 is DefaultRetryPause
	Drain      time.Duration // time for open pages at the end; 0 is DefaultDrain

	Timeout   time.Duration // how long the broker may confirm nothing; 0 is amqp.DefaultTimeout
	Silence   time.Duration // time without a message before asking whether the queue has any; 0 is amqp.DefaultSilence
	Heartbeat time.Duration // 0 is amqp.DefaultHeartbeat

	OnTrouble func(error)    // called with each error that is tried again; may be nil
	OnPage    func(PageDone) // called with the outcome of each message; may be nil
}

func (o Options) withDefaults() Options {
	o.Exchange, o.Queue, o.Key = cmp.Or(o.Exchange, DefaultName), cmp.Or(o.Queue, DefaultQueue), cmp.Or(o.Key, DefaultQueue)
	o.Browsers = max(o.Browsers, 1)
	o.RetryPause, o.Drain = cmp.Or(max(o.RetryPause, 0), DefaultRetryPause), cmp.Or(max(o.Drain, 0), DefaultDrain)
	if o.OnTrouble == nil {
		o.OnTrouble = func(error) {}
	}
	if o.OnPage == nil {
		o.OnPage = func(PageDone) {}
	}
	return o
}

func (o Options) retryQueue() string { return o.Queue + ".retry" }
func (o Options) deadQueue() string  { return o.Queue + ".dead" }

// topology is what is declared on every connection.
func (o Options) topology() amqp.Topology {
	return amqp.Topology{Exchange: o.Exchange, Queues: []amqp.Queue{
		{Name: o.Queue, Key: o.Key},
		{Name: o.retryQueue(), Arguments: map[string]any{"x-dead-letter-exchange": o.Exchange, "x-dead-letter-routing-key": o.Key}},
		{Name: o.deadQueue()},
	}}
}

// pauseBefore returns how long a message waits before its n-th retry.
func (o Options) pauseBefore(n int) time.Duration {
	pause := o.RetryPause
	for range n - 1 {
		if pause >= lastPause {
			break
		}
		pause *= 2
	}
	return min(pause, max(lastPause, o.RetryPause))
}

// ErrDrained is the cause when a page is still open at the end of Options.Drain.
var ErrDrained = errors.New("the worker ends")

// Worker takes messages and opens their pages. Run belongs to one goroutine. The other methods may be called from any goroutine.
type Worker struct {
	options   Options
	browser   Browser
	consumer  *amqp.Consumer
	publisher *amqp.Publisher
	ledger    ledger
	tally     tally
	slots     chan struct{} // has room for as many as there may be pages at once
	pages     sync.WaitGroup
}

// Open connects to the broker and declares what the worker needs there. The caller must call Close.
func Open(ctx context.Context, o Options, b Browser) (*Worker, error) {
	o = o.withDefaults()
	w := &Worker{options: o, browser: b, slots: make(chan struct{}, o.Browsers)}
	var err error
	w.publisher, err = amqp.OpenPublisher(ctx, amqp.PublisherOptions{
		URL: o.URL, Topology: o.topology(), Timeout: o.Timeout, Heartbeat: o.Heartbeat, OnTrouble: w.trouble, OnUnrouted: w.unrouted,
	})
	if err != nil {
		return nil, err
	}
	w.consumer, err = amqp.OpenConsumer(ctx, amqp.ConsumerOptions{
		URL: o.URL, Queue: o.Queue, Topology: o.topology(), Prefetch: o.Browsers, Silence: o.Silence, Heartbeat: o.Heartbeat, OnTrouble: w.trouble,
	})
	if err != nil {
		return nil, errors.Join(err, w.publisher.Close())
	}
	return w, nil
}

// Run takes messages until ctx ends. Then messages whose pages have not begun go back to the queue, and open pages have Options.Drain to
// finish. Run returns the cause of ctx.
func (w *Worker) Run(ctx context.Context) error {
	work, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	_ = w.consumer.Run(ctx, func(d *amqp.Delivery) { w.take(work, d) }) // ends with ctx alone
	for _, p := range w.ledger.all() {
		if w.ledger.leave(p) {
			p.stop(ErrDrained)
		}
	}
	defer time.AfterFunc(w.options.Drain, func() { end(ErrDrained) }).Stop()
	w.pages.Wait()
	return context.Cause(ctx)
}

// Reconnect replaces both connections. Pages go on.
func (w *Worker) Reconnect() {
	w.consumer.Reconnect()
	w.publisher.Reconnect()
}

// Close closes both connections. Call it after Run has returned.
func (w *Worker) Close() error { return errors.Join(w.consumer.Close(), w.publisher.Close()) }

func (w *Worker) trouble(err error) {
	w.tally.troubles.Add(1)
	w.options.OnTrouble(err)
}

// unrouted counts a result that nobody wants any more.
func (w *Worker) unrouted(m amqp.Message) {
	w.tally.unrouted.Add(1)
	w.options.OnTrouble(fmt.Errorf("results went nowhere: no queue is bound to exchange %q with key %q, the client's ID", m.Exchange, m.Key))
}
