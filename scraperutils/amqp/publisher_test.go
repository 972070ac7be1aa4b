package amqp

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/amqp/amqptest"
)

// waitFor is how long tests wait for what is to happen, on a machine that has much else to do.
const waitFor = time.Minute

// told keeps errors.
type told struct {
	mu   sync.Mutex
	errs []error
}

func (t *told) note(err error) { t.mu.Lock(); defer t.mu.Unlock(); t.errs = append(t.errs, err) }
func (t *told) count() int     { t.mu.Lock(); defer t.mu.Unlock(); return len(t.errs) }

func openPublisher(t *testing.T, o PublisherOptions) *Publisher {
	t.Helper()
	if o.URL == "" {
		o.URL = broker.URL(t)
	}
	p, err := OpenPublisher(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// wait waits for a batch.
func wait(t *testing.T, b *Batch) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitFor)
	defer cancel()
	return b.Wait(ctx)
}

func TestABatchWaitsUntilAllIsOnDisk(t *testing.T) {
	name := broker.Queue(t, nil)
	p := openPublisher(t, PublisherOptions{})
	b := p.Batch()
	require.NoError(t, wait(t, b), "nothing is confirmed at once")
	for range 3 * window {
		b.Add(Message{Key: name, Body: []byte("body"), ContentType: "text/plain", ContentEncoding: "utf-8", Headers: map[string]any{"x": "y"}})
	}
	require.NoError(t, wait(t, b))
	all := broker.Take(t, name)
	require.Len(t, all, 3*window)
	m := all[0]
	assert.Equal(t, []any{"body", true, "text/plain", "utf-8", "y"}, []any{m.Body, m.Persistent, m.ContentType, m.ContentEncoding, m.Headers["x"]})
	assert.Zero(t, p.Waiting())
}

// What a queue has to take is published again until one does: the queue is declared again on the next connection.
func TestAMessageThatIsNeededFindsItsQueue(t *testing.T) {
	name := broker.Queue(t, nil)
	var troubles told
	lost := make(chan Message, 1)
	p := openPublisher(t, PublisherOptions{Topology: Topology{Queues: []Queue{{Name: name}}}, OnTrouble: troubles.note, OnUnrouted: func(m Message) { lost <- m }})
	broker.Delete(t, name)
	b := p.Batch()
	b.Add(Message{Key: "nobody", Body: []byte("not needed")})
	b.Add(Message{Key: name, Body: []byte("needed"), Needed: true})
	require.NoError(t, wait(t, b))
	assert.Equal(t, "not needed", string((<-lost).Body))
	all := broker.Take(t, name)
	require.Len(t, all, 1)
	assert.Equal(t, "needed", all[0].Body)
	assert.ErrorContains(t, troubles.errs[0], "went nowhere")
}

func TestAFullQueueIsTriedUntilThereIsRoom(t *testing.T) {
	name := broker.Queue(t, map[string]any{"x-max-length": 1, "x-overflow": "reject-publish"})
	var troubles told
	p := openPublisher(t, PublisherOptions{OnTrouble: troubles.note})
	b := p.Batch()
	for range 3 {
		b.Add(Message{Key: name, Body: []byte("x"), Needed: true})
	}
	taken := 0
	require.Eventually(t, func() bool { taken += len(broker.Take(t, name)); return taken == 3 }, waitFor, 10*time.Millisecond)
	require.NoError(t, wait(t, b))
	assert.ErrorContains(t, troubles.errs[0], "the broker refused a message")
}

func TestABatchThatIsGivenUp(t *testing.T) {
	wire := amqptest.NewWire(t, broker.URL(t))
	name := broker.Queue(t, nil)
	p := openPublisher(t, PublisherOptions{URL: wire.URL()})
	wire.Freeze(true)
	b := p.Batch()
	for range 2 * window {
		b.Add(Message{Key: name, Body: []byte("x")})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, b.Wait(ctx), context.DeadlineExceeded)
	wire.Freeze(false)
	other := p.Batch()
	other.Add(Message{Key: name, Body: []byte("other")})
	require.NoError(t, wait(t, other), "others go on")
	assert.Less(t, broker.Waiting(t, name), 2*window+1, "what was not on its way is dropped")

	require.NoError(t, p.Close())
	b = p.Batch()
	b.Add(Message{Key: name})
	require.ErrorIs(t, wait(t, b), context.Canceled)
}

// A broker that confirms nothing is given up, and what waits for it is published on another connection.
func TestABrokerThatConfirmsNothingIsGivenUp(t *testing.T) {
	wire := amqptest.NewWire(t, broker.URL(t))
	name := broker.Queue(t, nil)
	var troubles told
	p := openPublisher(t, PublisherOptions{URL: wire.URL(), Timeout: 100 * time.Millisecond, OnTrouble: troubles.note})
	wire.Freeze(true)
	b := p.Batch()
	b.Add(Message{Key: name, Body: []byte("x")})
	require.Eventually(t, func() bool { return troubles.count() > 0 }, waitFor, time.Millisecond)
	wire.Freeze(false)
	require.NoError(t, wait(t, b))
	assert.ErrorContains(t, troubles.errs[0], "the broker says nothing for 100ms")
	assert.GreaterOrEqual(t, broker.Waiting(t, name), 1)
}

func TestAConsumerTakesAnswersOneByOne(t *testing.T) {
	wire := amqptest.NewWire(t, broker.URL(t))
	name := broker.Queue(t, nil)
	c, err := OpenConsumer(t.Context(), ConsumerOptions{URL: wire.URL(), Queue: name, Prefetch: 2})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	came, done := make(chan *Delivery), make(chan error, 1)
	go func() { done <- c.Run(ctx, func(d *Delivery) { came <- d }) }()
	broker.Put(t, name, "1", "2", "3")
	first, second := <-came, <-came
	select {
	case d := <-came:
		t.Fatalf("%s came though two are without an answer", d.Body)
	default:
	}
	require.NoError(t, first.Ack())
	third := <-came
	assert.Equal(t, []any{"3", false}, []any{string(third.Body), third.Redelivered})
	require.NoError(t, second.Requeue())
	again := <-came
	assert.Equal(t, []any{"2", true}, []any{string(again.Body), again.Redelivered})

	wire.Cut()
	fourth, fifth := <-came, <-came
	assert.True(t, fourth.Redelivered && fifth.Redelivered)
	require.ErrorIs(t, third.Ack(), ErrGone)
	assert.False(t, again.Alive())
	stop()
	require.ErrorIs(t, <-done, context.Canceled)
	require.NoError(t, fourth.Ack(), "messages may be answered after the end of Run")
	require.NoError(t, c.Close(), "and what was not goes back")
	require.Eventually(t, func() bool { return broker.Waiting(t, name) == 1 }, waitFor, 10*time.Millisecond)
}
