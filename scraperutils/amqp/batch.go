package amqp

import (
	"context"
	"sync"
)

// Batch is a group of messages whose sender waits for all of them. Its methods may be called from any goroutine.
type Batch struct {
	publisher *Publisher

	mu   sync.Mutex    // guards the rest
	left int           // messages without a confirm
	all  chan struct{} // closed when left is 0; nil: nobody waits
	drop bool
}

// Batch returns an empty batch.
func (p *Publisher) Batch() *Batch { return &Batch{publisher: p} }

// Add adds a message. It does not wait for the broker.
func (b *Batch) Add(m Message) {
	b.mu.Lock()
	b.left++
	b.mu.Unlock()
	p := b.publisher
	p.mu.Lock()
	p.waiting = append(p.waiting, &parcel{m, b})
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default: // it will look
	}
}

// Wait waits until the broker has confirmed all messages. If ctx ends first, or the Publisher is closed, Wait drops the messages that are
// not sent yet and returns the cause.
func (b *Batch) Wait(ctx context.Context) error {
	b.mu.Lock()
	if b.left == 0 {
		b.mu.Unlock()
		return nil
	}
	all := make(chan struct{})
	b.all = all
	b.mu.Unlock()
	select {
	case <-all:
		return nil
	case <-ctx.Done():
		b.Drop()
		return context.Cause(ctx)
	case <-b.publisher.life.Done():
		return context.Cause(b.publisher.life)
	}
}

// Drop makes the Publisher forget the messages that are not sent yet.
func (b *Batch) Drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drop = true
}

func (b *Batch) dropped() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.drop
}

// landed counts a message that is confirmed.
func (b *Batch) landed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left--; b.left == 0 && b.all != nil {
		close(b.all)
		b.all = nil
	}
}
