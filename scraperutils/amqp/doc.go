// Package amqp connects programs with RabbitMQ. Those of a crawl are Sink and Source: pages go out to an exchange, URLs come in from a queue.
//
//	pages ─▶ Sink.Store ─▶ publish (persistent, mandatory) ─▶ broker: on disk ─▶ confirm ─▶ Store returns
//	URLs  ◀─ Source.Run ◀─ add: durable in the frontier ─▶ ack; no URL ─▶ reject: the queue's dead-letter exchange has it, if it has one
//
// A message of the sink is a page as package jsonl writes it, with the ID of the page's visit: where it comes twice, it has the same ID.
// A message to the source is a JSON object with url or link and perhaps priority (0 to 9, the lowest first), or a URL alone.
//
// Consumer and Publisher are for who decides about each message by itself, such as package umbra:
//
//	queue ─▶ Consumer.Run ─▶ take ─▶ … ─▶ Delivery.Ack ─▶ a call that the broker answers ─▶ it is gone from the queue for sure
//	Batch.Add ─▶ waiting ─▶ publish ─▶ in flight ─▶ confirm ─▶ Batch.Wait returns
//	               ▲                      │
//	               └── the link is lost ──┘
//
// They declare what they need, their Topology, at the beginning of each connection.
//
// All make their connection anew when it is lost. Nothing is lost with it: what was not confirmed is published again, what was not
// acknowledged comes again. Sink and Source declare nothing: what they need has to be there, and an error names what is not.
//
// The library is RabbitMQ's own client, github.com/rabbitmq/amqp091-go: it is maintained with the broker and gives confirms and returns
// one by one. What it can do to recover connections is left off, for only this package knows what to publish again.
package amqp
