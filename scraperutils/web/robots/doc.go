// Package robots reads robots.txt as RFC 9309 defines it. It decides whether this crawler may fetch a URL, and how long the host wants it
// to wait.
//
//	URL → Cache: the host's robots.txt, fetched before its first page, and again after a day → Rules → Allowed, CrawlDelay
//
// Deviation from RFC 9309: Crawl-delay counts, because hosts ask for it.
//
// Deviation from RFC 9309: a server error allows everything, with a warning, because many small servers answer 500 for a file that they
// do not have. A host that does not answer also allows everything, but only for the requests that wait for it: the next one asks again.
// If a host wants to be asked later (429 or 503 with Retry-After), the cache asks later, up to four times in a row. After the fourth
// answer, everything is allowed.
package robots
