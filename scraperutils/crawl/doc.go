// Package crawl fetches what a frontier holds, politely, for as long as there is something to fetch, and loses nothing.
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
// Only the owner of a host's lease asks that host, and only with the token of its lease do its results count. So politeness is exact
// over any number of workers, a worker that dies costs others the rest of its lease, and nothing is fetched twice but what was in
// flight.
//
// Workers of one frontier say every two seconds that they are there, and with how many hosts. From that each knows its share: it leaves
// what comes due to those that have less, and gives back what it has too many of. By the same way they are told to stop.
//
// Where Scope has a bound on depth, pages come in any order, so a page may be found nearer than it was when it was read. The frontier then
// keeps with each page what it leads to, known or too far as it may be. When the smaller depth comes in, by Add or Complete, the next
// Claims add those links again, each a link farther than the page is now: new ones in reach, and pages that are nearer in turn. No page is
// fetched again for that.
//
// The frontier owns what must last. A Worker owns its leases, the committer the pages that are not stored yet. What a worker remembers of
// links it could ask the frontier as well: known links, so that they need not be added again, and the hosts that were added.
package crawl
