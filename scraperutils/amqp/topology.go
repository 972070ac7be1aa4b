package amqp

import (
	"errors"
	"fmt"

	"github.com/rabbitmq/amqp091-go"
)

// Topology is what a program declares at the beginning of each connection. What already exists must be the same.
type Topology struct {
	Exchange string // a durable direct exchange; "": none
	Queues   []Queue
}

// Queue is a durable queue.
type Queue struct {
	Name      string
	Key       string         // binds it to the exchange; "": it is not bound
	Arguments map[string]any // such as x-dead-letter-exchange; nil: none
}

// TopologyError says that an exchange or queue can't be declared, because it exists in another form or the user has no permission.
type TopologyError struct {
	What, Name string // "queue", "urls"
	Err        error
}

func (e *TopologyError) Error() string {
	hint := ""
	var said *amqp091.Error
	if errors.As(e.Err, &said) && said.Code == amqp091.PreconditionFailed {
		hint = ": it is there in another form; delete it, or use another name"
	}
	return fmt.Sprintf("declare %s %q%s: %v", e.What, e.Name, hint, e.Err)
}

func (e *TopologyError) Unwrap() error { return e.Err }

// declare declares all on a link that is fresh.
func (t Topology) declare(l *link) error {
	if t.Exchange != "" {
		if err := l.channel.ExchangeDeclare(t.Exchange, "direct", true, false, false, false, nil); err != nil {
			return &TopologyError{"exchange", t.Exchange, err}
		}
	}
	for _, q := range t.Queues {
		_, err := l.channel.QueueDeclare(q.Name, true, false, false, false, q.Arguments)
		if err == nil && q.Key != "" {
			err = l.channel.QueueBind(q.Name, q.Key, t.Exchange, false, nil)
		}
		if err != nil {
			return &TopologyError{"queue", q.Name, err}
		}
	}
	return nil
}
