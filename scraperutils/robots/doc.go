// Package robots reads robots.txt as RFC 9309 has it: may this crawler fetch that URL, and how long does the host want it to
// wait?
//
//	URL → Cache: the host's robots.txt, fetched before its first page, and again after a day → Rules → Allowed, CrawlDelay
//
// Two things are not the RFC's. Crawl-delay is honoured, for hosts ask for it. A server error allows everything, with a warning:
// many small servers answer 500 for a file that they do not have. So does a host that does not answer, but only to those who wait
// for it: the next one asks again. One that wants to be asked later is asked later, four times in a row at most.
package robots
