// Package site is the vocabulary of one pass over one site, whatever its kind: what a scraper is given, and where its results go.
//
//	Site (its row) + options → its platform makes a Scraper → Scrape(ctx, Visit) → Visit.Save, Reject, Skip → Sink
//
// A Scraper is straight-line code: it gets pages by the Visit's Agent, reads them, and saves records. Days come from the Visit's
// Clock and Search, so that a run can be for another day than today.
package site
