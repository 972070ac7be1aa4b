package register

import (
	"context"
	"fmt"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

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

// Save hands an application on as a record of a visit. One with a text that is longer than any council's is rejected.
func Save(ctx context.Context, v *site.Visit, a Application) error {
	for _, text := range []string{a.Reference, a.Address, a.Description, a.InfoURL} {
		if len(text) > longestText {
			why := fmt.Sprintf("it has a text of %d bytes: expected at most %d", len(text), longestText)
			return v.Reject(ctx, a.Reference, &scraperutils.UnprocessableRecord{Reason: why})
		}
	}
	return v.Save(ctx, a.record(v.Clock.Today()))
}

// longestText is in bytes, of a record's text.
const longestText = 64 << 10

// record returns the fields in the order of their columns. Optional dates that are missing are NULL.
func (a Application) record(day time.Time) scraperutils.Record {
	r := scraperutils.Record{
		{Name: "council_reference", Value: scraperutils.CleanLine(a.Reference)},
		{Name: "address", Value: scraperutils.Clean(a.Address)},
		{Name: "description", Value: scraperutils.Clean(a.Description)},
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
