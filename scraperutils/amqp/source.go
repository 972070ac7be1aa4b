package amqp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rabbitmq/amqp091-go"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// DefaultBatch is how many URLs are passed on at once.
const DefaultBatch = 500

// gatherPause is how long a batch waits for more, for adding many costs little more than adding one.
const gatherPause = 5 * time.Millisecond

// SourceOptions say where URLs come from.
type SourceOptions struct {
	URL   string // of the broker: amqp://user:password@host:port/vhost
	Queue string
	Batch int // most URLs passed on at once; the broker sends at most twice as many ahead; 0 is DefaultBatch

	// Parse makes an entry of a URL. If it returns an error, the message is refused. Nil is ParseEntry.
	Parse func(raw string, priority int) (crawl.Entry, error)
	// OnRefused is called with a *MessageError for each message that has nothing to fetch. It may be nil.
	OnRefused func(error)
	// OnTrouble is called with each error that is tried again, such as a lost connection or an add that fails. It may be nil.
	OnTrouble func(error)
}

func (o SourceOptions) withDefaults() SourceOptions {
	if o.Batch <= 0 {
		o.Batch = DefaultBatch
	}
	if o.Batch > 30_000 { // a prefetch count has 16 bits
		o.Batch = 30_000
	}
	if o.Parse == nil {
		o.Parse = ParseEntry
	}
	if o.OnRefused == nil {
		o.OnRefused = func(error) {}
	}
	if o.OnTrouble == nil {
		o.OnTrouble = func(error) {}
	}
	return o
}

// Source consumes a queue. Run belongs to one goroutine at a time. The other methods may be called from any goroutine.
type Source struct {
	options SourceOptions
	address address
	life    context.Context // ends with Close
	end     context.CancelFunc
	taken   atomic.Int64
	refused atomic.Int64

	mu   sync.Mutex // held while Run runs; guards the rest
	link *link      // nil: none
}

// OpenSource connects to the broker. It returns an error if the queue is missing.
func OpenSource(ctx context.Context, o SourceOptions) (*Source, error) {
	a, err := parseAddress(o.URL)
	if err != nil {
		return nil, err
	}
	s := &Source{options: o.withDefaults(), address: a}
	s.life, s.end = context.WithCancel(context.Background())
	if err := s.connect(ctx); err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}

// connect has a link, a new one where there is none or it is broken.
func (s *Source) connect(ctx context.Context) error {
	if s.link != nil && s.link.alive() {
		return nil
	}
	s.disconnect()
	l, err := s.address.dial(ctx)
	if err != nil {
		return err
	}
	if _, err = l.channel.QueueDeclarePassive(s.options.Queue, false, false, false, false, nil); err == nil {
		err = l.channel.Qos(2*s.options.Batch, 0, false)
	}
	if err == nil {
		s.link = l
		return nil
	}
	l.close()
	if notFound(err) {
		return fmt.Errorf("broker %s has no queue %q in virtual host %q: declare it", s.address, s.options.Queue, s.address.vhost)
	}
	return fmt.Errorf("use queue %q of broker %s: %w", s.options.Queue, s.address, err)
}

// disconnect gives back to the queue what was not acknowledged.
func (s *Source) disconnect() {
	s.link.close()
	s.link = nil
}

// Run takes messages until ctx ends (it then returns the cause) or Close is called (it then returns nil). It passes URLs to add, which
// makes them durable, and then acknowledges them. If add fails, Run calls it again with the same URLs.
//
// Run counts each message that has nothing to fetch, calls OnRefused, and rejects the message, so that it does not come again. It goes to
// the queue's dead-letter exchange, if there is one.
func (s *Source) Run(ctx context.Context, add func(context.Context, []crawl.Entry) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.disconnect()
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, lastPause) {
		before := s.taken.Load() + s.refused.Load()
		err := s.consume(ctx, add)
		if ctx.Err() != nil {
			break
		}
		if s.taken.Load()+s.refused.Load() > before {
			pause = firstPause
		}
		s.trouble(ctx, err, pause)
	}
	if s.life.Err() != nil {
		return nil
	}
	return context.Cause(ctx)
}

// trouble tells of an error and waits for a while.
func (s *Source) trouble(ctx context.Context, err error, pause time.Duration) {
	s.options.OnTrouble(err)
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// consume takes messages over one link. Its error is why it ended.
func (s *Source) consume(ctx context.Context, add func(context.Context, []crawl.Entry) error) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	defer s.disconnect()
	cut := s.link.cut
	defer context.AfterFunc(ctx, func() { time.AfterFunc(closeGrace, cut) })() // what was added is still acknowledged
	deliveries, err := s.link.channel.Consume(s.options.Queue, "", false, false, false, false, nil)
	if err != nil {
		return fmt.Errorf("consume queue %q of broker %s: %w", s.options.Queue, s.address, err)
	}
	for {
		batch := s.gather(ctx, deliveries)
		if len(batch) == 0 {
			return s.lost(ctx)
		}
		if err := s.take(ctx, batch, add); err != nil {
			return err
		}
	}
}

// lost is why no message comes any more.
func (s *Source) lost(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if s.link.alive() {
		return fmt.Errorf("broker %s has ended the consumer of queue %q: was it deleted?", s.address, s.options.Queue)
	}
	return fmt.Errorf("connection to broker %s is lost: %w", s.address, s.link.why())
}

// gather waits for a message and takes those that come soon after it; none: there will be no more.
func (s *Source) gather(ctx context.Context, deliveries <-chan amqp091.Delivery) (batch []amqp091.Delivery) {
	var soon <-chan time.Time
	for len(batch) < s.options.Batch {
		select {
		case d, ok := <-deliveries:
			if !ok {
				return batch
			}
			batch = append(batch, d)
			if soon == nil {
				timer := time.NewTimer(gatherPause)
				defer timer.Stop()
				soon = timer.C
			}
		case <-soon:
			return batch
		case <-ctx.Done():
			return nil
		}
	}
	return batch
}

// take refuses what gives nothing to fetch, has the rest added, and acknowledges it.
func (s *Source) take(ctx context.Context, batch []amqp091.Delivery, add func(context.Context, []crawl.Entry) error) error {
	entries := make([]crawl.Entry, 0, len(batch))
	var last *amqp091.Delivery
	for i := range batch {
		entry, err := s.entry(batch[i].Body)
		if err != nil {
			s.refused.Add(1)
			s.options.OnRefused(err)
			if err := batch[i].Reject(false); err != nil {
				return fmt.Errorf("reject a message of broker %s: %w", s.address, err)
			}
			continue
		}
		entries, last = append(entries, entry), &batch[i]
	}
	if last == nil {
		return nil
	}
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := add(ctx, entries)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.trouble(ctx, fmt.Errorf("add URLs of queue %q: %w", s.options.Queue, err), pause)
		if ctx.Err() != nil || !s.link.alive() {
			return errors.Join(err, s.lost(ctx)) // they come again
		}
	}
	s.taken.Add(int64(len(entries)))
	if err := last.Ack(true); err != nil {
		return fmt.Errorf("acknowledge messages of broker %s: %w", s.address, err)
	}
	return nil
}

// entry is what a message asks for.
func (s *Source) entry(body []byte) (crawl.Entry, error) {
	raw, priority, err := parseMessage(body)
	if err != nil {
		return crawl.Entry{}, messageError(body, err)
	}
	entry, err := s.options.Parse(raw, priority)
	if err != nil {
		return crawl.Entry{}, messageError(body, err)
	}
	return entry, nil
}

// Counts returns how many URLs were taken so far, and how many messages were refused. A message that comes again counts again.
func (s *Source) Counts() (taken, refused int) { return int(s.taken.Load()), int(s.refused.Load()) }

// Close ends Run, waits for it, and closes the connection.
func (s *Source) Close() error {
	s.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disconnect()
	return nil
}
