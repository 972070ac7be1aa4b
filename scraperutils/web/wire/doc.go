// Package wire sends requests by HTTP/1.1 in the goroutines of those who send them.
//
// A request moves like this:
//
//	Transport.RoundTrip
//	  → it has a body, or is otherwise more than a plain GET: Next sends it
//	  → pool.take: from the host's shelf, a kept connection on which nothing has come since; else Transport.dial: a new one, with TLS for
//	    https
//	  → conn.send: the request is written
//	  → conn.receive: the head of the answer is read
//	  → http.Response, whose body the caller reads
//	  → body: at its end the connection goes back to the pool; a body that is closed before takes its connection with it
//
// An http.Transport has two goroutines per connection, and each request and answer passes through both. Where thousands of requests are
// in flight, their stacks and the switches between them are a good part of what a page costs. Here, the only goroutine is the caller's. The
// messages are written and parsed by net/http.
//
// A Transport sends a request once. It has no proxy and no HTTP/2.
package wire
