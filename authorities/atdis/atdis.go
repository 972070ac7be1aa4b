// Package atdis reads the feeds of ATDIS 1.0, a standard for publishing applications as JSON.
//
//	applications.json of a period → response: an application a record → pagination: the number of the next page
package atdis

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
	_ "time/tzdata" // for systems that have no time zones of their own

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/dates"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// Options are a council's own.
type Options struct {
	Timezone string `yaml:"timezone"` // the council's, by its IANA name; Australia/Sydney, for the standard is that of New South Wales
	Flaky    bool   `yaml:"flaky"`    // a server error ends the feed with what came so far; false

	DateRanges bool `yaml:"date_ranges"` // search the run's plan of days instead of the last 30; false
}

// days is how far back the period begins. It ends today.
const days = 30

// Scraper reads one council's feed.
type Scraper struct {
	applications string // …/applications.json
	zone         *time.Location
	flaky        bool
	dateRanges   bool
}

// New checks the options.
func New(a site.Site, o Options) (*Scraper, error) {
	if o.Timezone == "" {
		o.Timezone = "Australia/Sydney"
	}
	zone, err := time.LoadLocation(o.Timezone)
	if err != nil || zone == time.Local {
		return nil, &scraperutils.ConfigError{Name: "timezone", Value: o.Timezone, Accepted: "a name such as Australia/Sydney"}
	}
	return &Scraper{applications: a.URL + "/applications.json", zone: zone, flaky: o.Flaky, dateRanges: o.DateRanges}, nil
}

// Scrape asks for the applications of a span of days, or of several.
func (s *Scraper) Scrape(ctx context.Context, v *site.Visit) error {
	for _, span := range v.Spans(v.Clock.In(s.zone), days, s.dateRanges) {
		if err := s.scrape(ctx, v, span); err != nil {
			return err
		}
	}
	return nil
}

// scrape goes through the pages of the feed.
func (s *Scraper) scrape(ctx context.Context, v *site.Visit, span dates.Range) error {
	var (
		listing agent.Listing
		numbers = map[string]bool{} // of the pages that were read, as they say themselves
		next    = ""                // the first has no number
	)
	for {
		page, err := v.Agent.Get(ctx, s.pageURL(span, next))
		if s.flaky && serverError(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("fetch page %s of the feed: %w", number(next), err)
		}
		f, err := readFeed(page)
		if err != nil || len(f.items) == 0 || numbers[f.current] {
			return err
		}
		seen, err := listing.Seen(fmt.Sprintf("%s", f.items))
		if err != nil || seen {
			return err
		}
		if f.current != "" {
			numbers[f.current] = true
		}
		for _, item := range f.items {
			if err := s.save(ctx, v, item); err != nil {
				return err
			}
		}
		if next = f.next; next == "" {
			return nil
		}
	}
}

func (s *Scraper) pageURL(span dates.Range, page string) string {
	query := agent.Values{
		{Name: "lodgement_date_start", Value: span.From.Format(time.DateOnly)},
		{Name: "lodgement_date_end", Value: span.To.Format(time.DateOnly)},
	}
	if page != "" {
		query = append(query, agent.Value{Name: "page", Value: page})
	}
	return s.applications + "?" + query.Encode()
}

func number(page string) string {
	if page == "" {
		return "1"
	}
	return page
}

func serverError(err error) bool {
	var status *scraperutils.StatusError
	return errors.As(err, &status) && status.Status == http.StatusInternalServerError
}

// save hands an item of the feed on. Dates that can't be read are none.
func (s *Scraper) save(ctx context.Context, v *site.Visit, item []byte) error {
	a, err := readApplication(item)
	if err != nil {
		return v.Reject(ctx, formDecoded(a.Info.Reference.String()), err)
	}
	return register.Save(ctx, v, register.Application{
		Reference:   formDecoded(a.Info.Reference.String()),
		Address:     a.address(),
		Description: a.Info.Description.String(),
		InfoURL:     a.Reference.InfoURL.String(),
		Received:    dateIn(s.zone, a.Info.Lodged.String()),
		NoticeFrom:  dateIn(s.zone, a.Info.NoticeFrom.String()),
		NoticeTo:    dateIn(s.zone, a.Info.NoticeTo.String()),
	})
}
