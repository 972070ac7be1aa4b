package validate

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// ErrNoData says that there are no records to check.
//
//lint:ignore ST1005 the gem's sentence
var ErrNoData = errors.New("No data found in database")

// Checker checks the records of a finished database. What it finds it writes to Out, a line each.
type Checker struct {
	Settings Settings
	Fetch    Fetch     // gets the pages of records
	Out      io.Writer // its errors are not looked at
}

// Check runs all checks over records and stops at the first that fails. Its error is ErrNoData, the context's, an
// *scraperutils.UnprocessableSite, or, for a page that is no good, an *scraperutils.UnprocessableRecord.
func (c *Checker) Check(ctx context.Context, records []scraperutils.Record) error {
	if len(records) == 0 {
		return ErrNoData
	}
	c.say("Validating %s from %s...\n\n", scraperutils.Count(len(records), "record"), c.Settings.Database)
	if _, err := c.addresses(records); err != nil {
		return err
	}
	if _, err := c.descriptions(records); err != nil {
		return err
	}
	if err := uniqueReferences(records); err != nil {
		return err
	}
	if page := c.sharedPage(records); page != "" {
		return c.oneInfoURL(ctx, records, page)
	}
	samples, err := c.infoURLs(ctx, records)
	if err != nil {
		return err
	}
	return c.checkDetails(samples)
}

// addresses tells how many different addresses can be found on a map; too few of all records are an
// *scraperutils.UnprocessableSite.
func (c *Checker) addresses(records []scraperutils.Record) (int, error) {
	return c.enough(records, "address", c.Settings.Addresses.geocodable, c.Settings.Geocodable, "geocodable addresses")
}

// descriptions tells how many different descriptions say something; too few of all records are an
// *scraperutils.UnprocessableSite.
func (c *Checker) descriptions(records []scraperutils.Record) (int, error) {
	return c.enough(records, "description", isReasonable, c.Settings.Description, "reasonable descriptions")
}

func (c *Checker) enough(records []scraperutils.Record, field string, good func(string) bool, t Threshold, what string) (int, error) {
	if len(records) == 0 {
		return 0, nil
	}
	found := map[string]bool{}
	for _, r := range records {
		if text := r.Text(field); good(text) {
			found[text] = true
		}
	}
	c.say("Found %d out of %d unique %s (%s%%)\n", len(found), len(records), what, percent(len(found), len(records)))
	return len(found), t.enough(len(found), len(records), what)
}

func (c *Checker) say(format string, args ...any) { fmt.Fprintf(c.Out, format, args...) }
