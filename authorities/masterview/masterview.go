// Package masterview reads the registers of MasterView. There are two kinds.
//
//	with an API: front page → (terms: agree) → a page of applications as JSON → (detail pages) → next page
//	old pages: address of a search → (terms: agree; the address again) → list → (detail pages) → next page by postback
//
// Detail pages have two layouts; either kind may lead to either of them. What a page says about an application is gathered as
// fields, by meaning: the list's first, then the detail page's, in save.
package masterview

import (
	"context"
	"strconv"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

// Options are a council's own.
type Options struct {
	register.Place `yaml:",inline"`

	UseAPI               bool     `yaml:"use_api"`
	Types                []string `yaml:"types"`                  // API: the kinds of application to ask for, by number; all
	PageSize             int      `yaml:"page_size"`              // API: applications of one answer; 100
	LongCouncilReference bool     `yaml:"long_council_reference"` // API: the reference is the id
	Params               Params   `yaml:"params"`                 // old pages: what the search asks for besides the dates
	ForceDetail          bool     `yaml:"force_detail"`           // the list is not enough
	DateRanges           bool     `yaml:"date_ranges"`            // search the run's plan of days instead of the last 30
}

// Scraper reads one council's register.
type Scraper struct {
	options Options
	url     string
	state   string // added to addresses of old pages
}

const (
	defaultPageSize = 100
	daysBack        = 30
	dayMonthYear    = "02/01/2006"
)

// New checks the options.
func New(a site.Site, o Options) (*Scraper, error) {
	if o.PageSize < 0 {
		return nil, &scraperutils.ConfigError{Name: "page_size", Value: strconv.Itoa(o.PageSize), Accepted: "a number of applications, such as 100"}
	}
	if o.PageSize == 0 {
		o.PageSize = defaultPageSize
	}
	return &Scraper{options: o, url: a.URL, state: o.State}, nil
}

// Vocabulary returns the names of a list's columns that are understood.
func (s *Scraper) Vocabulary() register.Vocabulary { return vocabulary }

// Scrape goes through the applications of the last 30 days, or of the days that the run's plan has.
func (s *Scraper) Scrape(ctx context.Context, v *site.Visit) error {
	for _, span := range v.Spans(v.Clock.Today(), daysBack, s.options.DateRanges) {
		scrape := s.scrapePages
		if s.options.UseAPI {
			scrape = s.scrapeAPI
		}
		if err := scrape(ctx, v, span); err != nil {
			return err
		}
	}
	return nil
}

// fields is what a page says about an application. What the page lacks is not in it; what is there may be empty.
type fields map[register.Meaning]string

// take fills these fields with what another page says about them, if it says something.
func (f fields) take(other fields, meanings ...register.Meaning) {
	for _, m := range meanings {
		if text, ok := other[m]; ok {
			f[m] = text
		}
	}
}

// lacking returns which of these fields are not there.
func (f fields) lacking(meanings ...register.Meaning) (lacking []register.Meaning) {
	for _, m := range meanings {
		if _, ok := f[m]; !ok {
			lacking = append(lacking, m)
		}
	}
	return lacking
}

// save hands an application on.
func (s *Scraper) save(ctx context.Context, v *site.Visit, f fields, infoURL string) error {
	received, err := register.ParseDate(f[register.Received])
	if err != nil {
		return v.Reject(ctx, f[register.Reference], err)
	}
	return register.Save(ctx, v, register.Application{
		Reference:   f[register.Reference],
		Address:     f[register.Address],
		Description: f[register.Description],
		InfoURL:     infoURL,
		Received:    received,
	})
}

// ServerError is a page on which the server says that it failed, although its status does not.
type ServerError struct {
	URL  string
	Says string
}

func (e *ServerError) Error() string { return e.URL + " says: " + e.Says }

// Class is ClassHTTP5xx.
func (e *ServerError) Class() scraperutils.Class { return scraperutils.ClassHTTP5xx }

// notAvailable is the page of an application that the council does not show.
type notAvailable struct{ says string }

func (e *notAvailable) Error() string { return "the council says: " + e.says }
