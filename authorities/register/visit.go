package register

import (
	"context"
	"fmt"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/agent"
	"github.com/multiscraper/multiscraper/scraperutils/dates"
)

// Scraper reads the register of one authority.
type Scraper interface {
	// Scrape saves what it reads, page by page. Its error ends this authority's scrape; what was saved stays.
	Scrape(ctx context.Context, v *Visit) error
}

// Visit is one pass of a Scraper over its register: what it works with and where its results go.
type Visit struct {
	Agent  *agent.Agent
	Clock  Clock
	Search Search
	Sink   Sink
}

// Clock is what time it is for a visit.
type Clock struct {
	Now  time.Time // the beginning of the run
	AsOf time.Time // the day that the scrape is for, where that is not today; only its date counts, unless
	At   bool      // AsOf is a point in time, which is another day in another zone
}

// In returns the date in a time zone, at midnight UTC.
func (c Clock) In(zone *time.Location) time.Time {
	switch {
	case c.AsOf.IsZero():
		return midnight(c.Now.In(zone))
	case c.At:
		return midnight(c.AsOf.In(zone))
	default:
		return midnight(c.AsOf)
	}
}

// Today returns the date in the middle of Australia (UTC+09:30), at midnight UTC.
func (c Clock) Today() time.Time {
	switch {
	case c.AsOf.IsZero():
		return dates.Today(c.Now)
	case c.At:
		return dates.Today(c.AsOf)
	default:
		return midnight(c.AsOf)
	}
}

func midnight(day time.Time) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.UTC)
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

// Save hands an application on as a record of this visit. One with a text that is longer than any council's is rejected.
func (v *Visit) Save(ctx context.Context, a Application) error {
	for _, text := range []string{a.Reference, a.Address, a.Description, a.InfoURL} {
		if len(text) > longestText {
			why := fmt.Sprintf("it has a text of %d bytes: expected at most %d", len(text), longestText)
			return v.Reject(ctx, a.Reference, &scraperutils.UnprocessableRecord{Reason: why})
		}
	}
	return v.Sink.Save(ctx, a.record(v.Clock.Today()))
}

// Reject hands a row on that can't become a record.
func (v *Visit) Reject(ctx context.Context, reference string, why error) error {
	return v.Sink.Reject(ctx, shortened(CleanLine(reference)), why)
}

// Skip tells that a row is left out on purpose.
func (v *Visit) Skip(ctx context.Context, reference, why string) {
	v.Sink.Skip(ctx, shortened(CleanLine(reference)), why)
}

const (
	longestText      = 64 << 10 // bytes of a record's text
	longestReference = 200      // bytes of the reference of what is no record
)

func shortened(reference string) string { return scraperutils.Shortened(reference, longestReference) }

// Application is one row of a register. Empty text is what the page has or an absent value: both are missing to a reader. Text is
// as it stands in the page: Save cleans it.
type Application struct {
	Reference   string
	Address     string
	Description string
	InfoURL     string
	Received    string // dates as YYYY-MM-DD, or ""
	NoticeFrom  string
	NoticeTo    string
}

// record returns the fields in the order of their columns. Optional dates that are missing are NULL.
func (a Application) record(day time.Time) scraperutils.Record {
	r := scraperutils.Record{
		{Name: "council_reference", Value: CleanLine(a.Reference)},
		{Name: "address", Value: Clean(a.Address)},
		{Name: "description", Value: Clean(a.Description)},
		{Name: "info_url", Value: scraperutils.WithoutUser(a.InfoURL)},
		{Name: "date_scraped", Value: day.Format(time.DateOnly)},
		{Name: "date_received", Value: orNull(a.Received)},
	}
	if a.NoticeFrom != "" || a.NoticeTo != "" {
		r = append(r, scraperutils.Field{Name: "on_notice_from", Value: orNull(a.NoticeFrom)}, scraperutils.Field{Name: "on_notice_to", Value: orNull(a.NoticeTo)})
	}
	return r
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
