package amqptest

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/rabbitmq/amqp091-go"
)

// Message is a message in a queue.
type Message struct {
	ID         string
	Body       string
	Persistent bool

	Key             string // its routing key
	ContentType     string
	ContentEncoding string
	Headers         map[string]any
}

func messageOf(d amqp091.Delivery) Message {
	return Message{d.MessageId, string(d.Body), d.DeliveryMode == amqp091.Persistent, d.RoutingKey, d.ContentType, d.ContentEncoding, d.Headers}
}

// names makes each queue another one.
var names atomic.Int64

// Queue declares a durable queue with arguments such as x-max-length, and returns its name.
func (b *Broker) Queue(t testing.TB, arguments map[string]any) string {
	t.Helper()
	name := fmt.Sprintf("queue-%d", names.Add(1))
	b.channel(t, func(ch *amqp091.Channel) error {
		_, err := ch.QueueDeclare(name, true, false, false, false, arguments)
		return err
	})
	return name
}

// Exchange declares a durable direct exchange, binds queues to it by a key, and returns its name.
func (b *Broker) Exchange(t testing.TB, key string, queues ...string) string {
	t.Helper()
	name := fmt.Sprintf("exchange-%d", names.Add(1))
	b.channel(t, func(ch *amqp091.Channel) error {
		err := ch.ExchangeDeclare(name, "direct", true, false, false, false, nil)
		for _, queue := range queues {
			if err == nil {
				err = ch.QueueBind(queue, key, name, false, nil)
			}
		}
		return err
	})
	return name
}

// Delete deletes a queue.
func (b *Broker) Delete(t testing.TB, queue string) {
	t.Helper()
	b.channel(t, func(ch *amqp091.Channel) error { _, err := ch.QueueDelete(queue, false, false, false); return err })
}

// Purge empties a queue.
func (b *Broker) Purge(t testing.TB, queue string) {
	t.Helper()
	b.channel(t, func(ch *amqp091.Channel) error { _, err := ch.QueuePurge(queue, false); return err })
}

// Put puts messages into a queue, and returns when they are on disk.
func (b *Broker) Put(t testing.TB, queue string, bodies ...string) {
	t.Helper()
	b.channel(t, func(ch *amqp091.Channel) error {
		if err := ch.Confirm(false); err != nil {
			return err
		}
		confirms := make([]*amqp091.DeferredConfirmation, 0, len(bodies))
		for _, body := range bodies {
			c, err := ch.PublishWithDeferredConfirm("", queue, true, false, amqp091.Publishing{DeliveryMode: amqp091.Persistent, Body: []byte(body)})
			if err != nil {
				return err
			}
			confirms = append(confirms, c)
		}
		for _, c := range confirms { // all at once: a message that waits for the one before is a commit of its own
			if !c.Wait() {
				return fmt.Errorf("queue %s takes no message", queue)
			}
		}
		return nil
	})
}

// Messages returns the messages in a queue that no consumer has, and leaves them there.
func (b *Broker) Messages(t testing.TB, queue string) (all []Message) {
	t.Helper()
	b.channel(t, func(ch *amqp091.Channel) error {
		q, err := ch.QueueDeclarePassive(queue, true, false, false, false, nil)
		if err != nil || q.Messages == 0 {
			return err
		}
		deliveries, err := ch.Consume(queue, "", false, false, false, false, nil)
		if err != nil {
			return err
		}
		var last amqp091.Delivery
		for range q.Messages {
			d, ok := <-deliveries
			if !ok {
				return fmt.Errorf("queue %s has ended", queue)
			}
			all, last = append(all, messageOf(d)), d
		}
		if err := ch.Cancel(last.ConsumerTag, false); err != nil {
			return err
		}
		if err := last.Nack(true, true); err != nil {
			return err
		}
		_, err = ch.QueueDeclarePassive(queue, true, false, false, false, nil) // answered when they are back
		return err
	})
	return all
}

// Waiting returns how many messages in a queue no consumer has.
func (b *Broker) Waiting(t testing.TB, queue string) (n int) {
	t.Helper()
	b.channel(t, func(ch *amqp091.Channel) error {
		q, err := ch.QueueDeclarePassive(queue, true, false, false, false, nil)
		n = q.Messages
		return err
	})
	return n
}

// Consumers returns how many consumers a queue has: 0 if the queue does not exist.
func (b *Broker) Consumers(t testing.TB, queue string) (n int) {
	t.Helper()
	b.channel(t, func(ch *amqp091.Channel) error {
		q, err := ch.QueueDeclarePassive(queue, true, false, false, false, nil)
		var said *amqp091.Error
		if errors.As(err, &said) && said.Code == amqp091.NotFound {
			return nil
		}
		n = q.Consumers
		return err
	})
	return n
}

// channel does something with a channel of its own.
func (b *Broker) channel(t testing.TB, do func(*amqp091.Channel) error) {
	t.Helper()
	connection, err := amqp091.Dial(b.URL(t))
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	defer connection.Close()
	ch, err := connection.Channel()
	if err == nil {
		err = do(ch)
	}
	if err != nil {
		t.Fatal(err)
	}
}
