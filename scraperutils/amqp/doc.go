// Package amqp connects programs with RabbitMQ. A crawl uses Sink and Source: pages go out to an exchange, and URLs come in from a queue.
//
//	pages ─▶ Sink.Store ─▶ publish (persistent, mandatory) ─▶ broker: on disk ─▶ confirm ─▶ Store returns
//	URLs  ◀─ Source.Run ◀─ add: durable in the frontier ─▶ ack; no URL ─▶ reject: the queue's dead-letter exchange has it, if it has one
//
// A message of the sink is a page as package jsonl writes it, with the ID of the page's visit. If a page comes twice, both messages have
// the same ID. A message to the source is a URL, or a JSON object with url or link and optionally priority (0 to 9, the lowest first).
//
// Consumer and Publisher are for programs that decide about each message separately, such as package umbra:
//
//	queue ─▶ Consumer.Run ─▶ take ─▶ … ─▶ Delivery.Ack ─▶ a call that the broker answers ─▶ it is gone from the queue for sure
//	Batch.Add ─▶ waiting ─▶ publish ─▶ in flight ─▶ confirm ─▶ Batch.Wait returns
//	               ▲                      │
//	               └── the link is lost ──┘
//
// They declare their Topology at the beginning of each connection.
//
// All of these connect again after a lost connection. Nothing is lost with it: they publish again what was not confirmed, and what was
// not acknowledged comes again. Sink and Source declare nothing: their exchange and queue must exist, and an error names what is missing.
//
// The package uses RabbitMQ's own client, github.com/rabbitmq/amqp091-go, which is maintained with the broker and returns confirms and
// returned messages one by one. Its own recovery of connections is not used, because only this package knows what to publish again.
package amqp
