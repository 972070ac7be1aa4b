// Package crawl fetches what a frontier holds, politely, for as long as there is something to fetch, and loses nothing. A frontier is the
// store of every URL that a crawl knows, and when each is due.
//
// A URL moves through it like this:
//
//	Add ─▶ frontier ──Claim──▶ lease: a host for a minute, with some of its due URLs
//	          ▲                  │ a goroutine of the host: one URL after the other, or PerHost at once
//	          │                  ▼
//	          │                scheduler.Execute: the host's pace ─▶ Client: robots, HTTP
//	          │                  │ outcome
//	          │                  ▼
//	          │                Rules.Fate: done, again later, failed, planned, another host's
//	          │                  │ page
//	          │                  ├─▶ Handle: what it stores is there for good
//	          │                  ├─▶ Extractors ─▶ Form: one spelling ─▶ Scope: in, left out ─▶ known already? ─┐
//	          │                  │                                                                            │
//	          │                  │ visit: result, page, URLs that were found ◀────────────────────────────────┘
//	          │                  ▼
//	          │                committer: visits gather ─▶ sinks: Store is durable
//	          └──Complete───────────┴─▶ results, found URLs, the host's next time: one commit
//
// Only the owner of a host's lease makes requests to that host, and its results count only with the token of that lease. So politeness is
// exact across any number of workers. When a worker dies, others wait for the rest of its leases. Only requests that were in flight are
// repeated.
//
// The workers of one frontier announce every two seconds that they are alive, and how many hosts they have. From this, each worker
// computes its share. It leaves hosts that become due to workers that have fewer, and gives back the hosts that it has too many of. In
// the same way it learns that it should stop.
//
// If Scope limits the depth, a page may turn out to be nearer than it was when it was read, because pages arrive in any order. For this
// case the frontier keeps the links of each page, whether they are known or too far away. When Add or Complete brings the smaller depth,
// the next Claims add those links again, each one link farther away than the page is now. That adds new pages within reach, and brings
// known pages nearer in turn. It fetches no page again.
//
// The frontier owns everything that must last. A Worker owns its leases, and the committer owns the pages that are not stored yet. A
// worker also remembers known links, to avoid adding them again, and the hosts that were added. It could ask the frontier for both.
package crawl
