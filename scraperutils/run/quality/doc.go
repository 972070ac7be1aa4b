// Package quality watches how much of what a site publishes can be used, while it is being scraped.
//
// Each record ends one of two ways, and the site's Monitor counts both:
//
//	Record ─┬─ saved ─────────▶ Monitor.Saved
//	        └─ unprocessable ─▶ Monitor.Unprocessable ─▶ nil: go on
//	                                                  └▶ *scraperutils.UnprocessableSite: stop
//
// Some bad records are usual; a site that gives little else has changed, and going on would only load its server. How many are
// too many grows with what was saved: more than Base plus Percentage of the saved records.
//
// SavedLine and UnprocessableLine are what a log says of a record.
package quality
