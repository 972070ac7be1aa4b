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
//	          │                FateOf: done, again later, failed, another host's
//	          │                  │ visit: result, page, URLs that were found
//	          │                  ▼
//	          │                committer: visits gather ─▶ sinks: Store is durable
//	          └──Complete───────────┴─▶ results, found URLs, the host's next time: one commit
//
// Only the owner of a host's lease asks that host, and only with the token of its lease do its results count. So politeness is exact
// over any number of workers, a worker that dies costs others the rest of its lease, and nothing is fetched twice but what was in
// flight.
//
// The frontier owns what must last. A Worker owns its leases, the committer the pages that are not stored yet.
package crawl
