package validate

import (
	"context"
	"fmt"
	"net/http"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site/dates"
)

// sample is a record and the page that its info_url leads to.
type sample struct {
	Index  int // of the record
	Record scraperutils.Record
	Page   Page
}

// sampled returns which of so many records are looked at: the first ones, and ever fewer of those that follow.
func sampled(records int) []int {
	series := dates.Fibonacci(records - 1)
	if len(series) > 1 {
		return append(series[:1], series[2:]...) // 1 is there twice
	}
	return series
}

// infoURLs gets the pages of some records, one after the other, and returns those that came. Pages that are refused (403, 429)
// do not count; too many that fail are an *scraperutils.UnprocessableSite.
func (c *Checker) infoURLs(ctx context.Context, records []scraperutils.Record) ([]sample, error) {
	checks := tally{threshold: c.Settings.InfoURL}
	var samples []sample
	for _, i := range sampled(len(records)) {
		s := sample{Index: i, Record: records[i]}
		c.say("Checking info_url[%d]: %s\n", i, s.Record.Text("info_url"))
		page, err := c.fetch(ctx, s.Record.Text("info_url"))
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		switch {
		case err == nil && page.refused():
			c.say("  Bot protection detected - skipping\n")
			continue
		case err == nil && page.successful():
			checks.pass()
			s.Page = page
			samples = append(samples, s)
			continue
		case err == nil:
			c.say("  Failed: %d\n", page.Status)
		default:
			c.say("  Failed: %v\n", err)
		}
		if err := checks.fail(); err != nil {
			return nil, err
		}
	}
	if checks.count > 0 {
		c.say("%s", checks.summary("info_url checks"))
	}
	return samples, nil
}

// oneInfoURL checks the page that all records share. What is wrong with it, or a record with another one, is an
// *scraperutils.UnprocessableSite.
func (c *Checker) oneInfoURL(ctx context.Context, records []scraperutils.Record, page string) error {
	for i, r := range records {
		if other := r.Text("info_url"); other != page {
			return &scraperutils.UnprocessableSite{Reason: fmt.Sprintf(
				"Expected all records to have the one info_url %s, got %q at record %d", page, other, i)}
		}
	}
	c.say("Checking the one expected info_url: %s\n", page)
	got, err := c.fetch(ctx, page)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return &scraperutils.UnprocessableSite{Reason: "Expected 200 response from the one expected info_url, got none", Err: err}
	case c.Settings.BotCheckExpected && got.botProtected():
		c.say("  Bot protection detected - skipping\n")
		return nil
	case got.Status != http.StatusOK:
		return &scraperutils.UnprocessableSite{Reason: fmt.Sprintf("Expected 200 response from the one expected info_url, got %d", got.Status)}
	}
	return nil
}

// sharedPage returns the page that all records are expected to share, or "" where each has its own.
func (c *Checker) sharedPage(records []scraperutils.Record) string {
	if c.Settings.GlobalInfoURL != "" || len(records) < 2 {
		return c.Settings.GlobalInfoURL
	}
	page := records[0].Text("info_url")
	for _, r := range records {
		if r.Text("info_url") != page {
			return ""
		}
	}
	return page
}

// fetch gets a page of a record whose address can be one.
func (c *Checker) fetch(ctx context.Context, url string) (Page, error) {
	if problem := urlProblem(url); problem != "" {
		return Page{}, &scraperutils.UnprocessableRecord{Reason: fmt.Sprintf("info_url %s, not %q", problem, url)}
	}
	return c.Fetch(ctx, scraperutils.Trim(url))
}
