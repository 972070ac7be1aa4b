// Package umbra takes URLs from a queue, opens each in a browser, and sends back every request that the page made. It speaks the protocol
// of the Internet Archive's Umbra, so that Umbra's clients need no change.
//
// A message is in one of these states. It never leaves the broker before its results are in the broker:
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
// The worker sends requests as they become known, while the page is open. When the page is done, the worker waits until the broker has
// confirmed all of them, and then acknowledges the message. So whatever fails, either the message is still in the queue, or its results
// are where they belong. A page may be opened twice if the worker dies, or if it loses a connection and another worker gets the message.
//
// Connections may come and go meanwhile. There is one to consume and one to publish. Each is replaced separately when it is lost, after
// pauses that grow, while pages go on. The messages of a lost connection come again. If the page of such a message is still open, the
// message joins that page. If the page is done, the worker acknowledges the message at once. See ledger.
//
// Package amqp provides the connections. The caller provides the Browser that opens pages.
package umbra
