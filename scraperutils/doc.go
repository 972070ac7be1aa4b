// Package scraperutils is the vocabulary that all of Multiscraper shares: what a record, a request, a
// response and an event are, and which errors a caller can decide on.
//
// A record moves through a run like this:
//
//	Authority → its platform's scraper → Request → scheduler → client → Response → Record → db
//
// The scraper of one Authority is straight-line code. It hands each Request to the scheduler, gets the Response (or the
// client's own error) back, and reads Records out of it. What happens on the way is told in Events; what goes wrong is an
// error whose Class says of which kind it is.
//
// The package imports the standard library alone, holds no state and starts nothing.
package scraperutils
