// Package fetch does one HTTP request as a polite crawler does it.
//
// A request moves like this:
//
//	Client.Do
//	  → Check: an address and a body that servers take
//	  → robots.Cache: the host's robots.txt, fetched by this client where nobody has it; may the page be asked for?
//	  → one try on the wire, redirects on the same host followed
//	  → the answer: wanted? decoded, up to a limit
//	  → Response; Next makes a request of a redirect to another host
//
// A Client implements scheduler.Client. It remembers nothing about a host beyond what its transport, its robots.Cache, and its cookie jar
// keep, so one Client serves any number of hosts at once. The scheduler decides about retries and waits.
package fetch
