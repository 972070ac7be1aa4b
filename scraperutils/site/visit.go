package site

import (
	"context"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// Scraper reads one site.
type Scraper interface {
	// Scrape saves what it reads, page by page. Its error ends this site's scrape; what was saved stays.
	Scrape(ctx context.Context, v *Visit) error
}

// ScraperFunc is a function as a Scraper.
type ScraperFunc func(ctx context.Context, v *Visit) error

// Scrape calls the function.
func (f ScraperFunc) Scrape(ctx context.Context, v *Visit) error { return f(ctx, v) }

// Visit is one pass of a Scraper over its site: what it works with and where its results go. It belongs to the Scraper's goroutine.
type Visit struct {
	Agent  *agent.Agent
	Clock  Clock
	Search Search
	Sink   Sink
}

// Sink takes what a Scraper found. Its errors end the scrape.
type Sink interface {
	// Save takes a record. One that is no good is counted, not returned as an error.
	Save(ctx context.Context, r scraperutils.Record) error
	// Reject takes a row that can't become a record, and why.
	Reject(ctx context.Context, reference string, why error) error
	// Skip tells of a row that is left out on purpose.
	Skip(ctx context.Context, reference, why string)
}

// Save hands a record on. The run adds the site's label to it. A record that is no good is counted and kept with the reason, and
// is no error until there are too many of them.
func (v *Visit) Save(ctx context.Context, r scraperutils.Record) error { return v.Sink.Save(ctx, r) }

// Reject hands a row on that can't become a record. The reference is what people find the row by.
func (v *Visit) Reject(ctx context.Context, reference string, why error) error {
	return v.Sink.Reject(ctx, shortened(reference), why)
}

// Skip tells that a row is left out on purpose.
func (v *Visit) Skip(ctx context.Context, reference, why string) {
	v.Sink.Skip(ctx, shortened(reference), why)
}

// longestReference is in bytes, of what is no record.
const longestReference = 200

func shortened(reference string) string {
	return scraperutils.Shortened(scraperutils.CleanLine(reference), longestReference)
}
