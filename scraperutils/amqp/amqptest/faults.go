package amqptest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rabbitmq/amqp091-go"
)

// CloseConnections makes the broker close all connections, as an operator would.
func (b *Broker) CloseConnections(t testing.TB) {
	t.Helper()
	b.eval(t, `rabbit_networking:close_all_connections("maintenance").`)
}

// Block makes the broker believe that it is out of memory. It accepts no messages until the returned function is called. When Block
// returns, the broker has told its connections to stand still.
func (b *Broker) Block(t testing.TB) (end func()) {
	t.Helper()
	b.eval(t, "vm_memory_monitor:set_vm_memory_high_watermark(0.000001).")
	end = sync.OnceFunc(func() { b.eval(t, "vm_memory_monitor:set_vm_memory_high_watermark(0.4).") })
	t.Cleanup(end)
	b.awaitBlocked(t)
	return end
}

// awaitBlocked publishes until it is told that nothing is taken any more: the broker tells its connections when it gets to it.
func (b *Broker) awaitBlocked(t testing.TB) {
	t.Helper()
	connection, err := amqp091.Dial(b.URL(t))
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	defer connection.CloseDeadline(time.Now()) // it does not answer
	told := connection.NotifyBlocked(make(chan amqp091.Blocking, 1))
	ch, err := connection.Channel()
	for began := time.Now(); err == nil; {
		if time.Since(began) > patience {
			t.Fatal("the broker takes all the same")
		}
		err = ch.PublishWithContext(t.Context(), "", "nobody", false, false, amqp091.Publishing{})
		select {
		case <-told:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Fatal(err)
}

// Take empties a queue and returns what it held.
func (b *Broker) Take(t testing.TB, queue string) (all []Message) {
	t.Helper()
	b.channel(t, func(ch *amqp091.Channel) error {
		for {
			d, ok, err := ch.Get(queue, true)
			if err != nil || !ok {
				return err
			}
			all = append(all, messageOf(d))
		}
	})
	return all
}

// Publish publishes messages with their properties, and returns when they are on disk.
func (b *Broker) Publish(t testing.TB, exchange, key string, all ...amqp091.Publishing) {
	t.Helper()
	b.channel(t, func(ch *amqp091.Channel) error {
		if err := ch.Confirm(false); err != nil {
			return err
		}
		for _, p := range all {
			c, err := ch.PublishWithDeferredConfirm(exchange, key, true, false, p)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			taken, err := c.WaitContext(ctx)
			cancel()
			if err != nil || !taken {
				return fmt.Errorf("exchange %s takes no message: %w", exchange, err)
			}
		}
		return nil
	})
}

// DeleteExchange deletes an exchange.
func (b *Broker) DeleteExchange(t testing.TB, name string) {
	t.Helper()
	b.channel(t, func(ch *amqp091.Channel) error { return ch.ExchangeDelete(name, false, false) })
}

// Bind binds a queue to an exchange.
func (b *Broker) Bind(t testing.TB, queue, key, exchange string) {
	t.Helper()
	b.channel(t, func(ch *amqp091.Channel) error { return ch.QueueBind(queue, key, exchange, false, nil) })
}

// eval evaluates an expression within the broker.
func (b *Broker) eval(t testing.TB, expression string) {
	t.Helper()
	b.URL(t)
	cookie, err := os.ReadFile(filepath.Join(b.folder, ".erlang.cookie"))
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("erl_call", "-address", fmt.Sprintf("localhost:%d", b.ports[1]), "-c", strings.TrimSpace(string(cookie)), "-e")
	c.Env, c.Stdin = append(os.Environ(), "HOME="+b.folder), strings.NewReader(expression+"\n")
	if said, err := c.CombinedOutput(); err != nil || !strings.HasPrefix(string(said), "{ok,") {
		t.Fatalf("evaluate %s in the broker: %v: %s", expression, err, said)
	}
}
