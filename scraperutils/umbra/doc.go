// Package umbra takes URLs from a queue, has each opened in a browser, and sends back every request that the page made. It speaks on the
// wire as Umbra of the Internet Archive does, so that its clients need no change.
//
// A message is in one of these states, and is never out of the broker before what came of it is in the broker:
//
//	         ┌───────────────────────────────────────────────────────────────┐
//	         ▼                                                               │
//	urls ─ waiting ─▶ open ─▶ sending ─▶ confirmed ─▶ acked                   │
//	         │         │        ▲                                            │
//	         │         │        ├─ the page is done: its requests            │
//	         │         ├────────┼─ it failed: the message again, one retry more ─▶ urls.retry, for a while
//	         │         │        └─ it will never be done: the message as it came, and why ─▶ urls.dead
//	         └─────────┴─ the worker ends: back into the queue at once
//
// Requests are sent as they become known, while the page is open. When the page is done, the worker waits until the broker has confirmed all
// of them, and then acknowledges the message. So whatever ends, the message is still in the queue, or what came of it is where it
// belongs. A page may be done twice: where the worker dies, or loses a connection and another worker gets the message.
//
// Connections come and go under this. There is one to consume and one to publish, and each is made anew by itself, with pauses that grow. Pages
// go on meanwhile. A message whose connection is lost comes again: one whose page is still open is joined with that page, one whose
// page is done is acknowledged at once. See ledger.
//
// The connections are package amqp's. What opens pages is a Browser, which is given.
package umbra
