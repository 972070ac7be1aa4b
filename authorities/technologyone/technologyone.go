// Package technologyone reads the registers of TechnologyOne eProperty.
//
//	list of a period → table.grid → rows → (detail page, where the list lacks something) → next page by postback
package technologyone

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"github.com/multiscraper/multiscraper/authorities/aspnet"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// Options are a council's own.
type Options struct {
	Period   site.Choice `yaml:"period"`   // L28 (the last 28 days), L14, TM (this month), TW (this week); needed
	WebGuest string      `yaml:"webguest"` // the visitor's role; P1.WEBGUEST
}

var periods = []string{"L28", "L14", "L7", "TM", "LM", "TW", "LW"}

// Scraper reads one council's register.
type Scraper struct {
	list     string // …/eTrackApplicationSearchResults.aspx
	period   site.Choice
	webGuest string
}

// New checks the options.
func New(a site.Site, o Options) (*Scraper, error) {
	if err := o.Period.Check("period", periods...); err != nil {
		return nil, err
	}
	if o.WebGuest == "" {
		o.WebGuest = "P1.WEBGUEST"
	}
	return &Scraper{list: a.URL + "/P1/eTrack/eTrackApplicationSearchResults.aspx", period: o.Period, webGuest: o.WebGuest}, nil
}

var vocabulary = register.NewVocabulary(map[register.Meaning][]string{
	register.Reference:   {"Application Link", "ID", "Application Number", "Application ID", "Application", "Permit No."},
	register.Received:    {"Lodgement Date", "Lodged", "Submitted Date", "Date Received"},
	register.Description: {"Description", "Proposal"},
	register.Address:     {"Formatted Address", "Property Address", "Address", "Site Address"},
})

// Vocabulary returns the names of a list's columns that are understood.
func (s *Scraper) Vocabulary() register.Vocabulary { return vocabulary }

// Scrape goes through the pages of the list.
func (s *Scraper) Scrape(ctx context.Context, v *site.Visit) error {
	page, err := v.Agent.Get(ctx, s.listURL(s.period.Of(v)))
	if err != nil {
		return fmt.Errorf("fetch the list: %w", err)
	}
	var listing agent.Listing
	for {
		rows, err := readList(page)
		if err != nil {
			return err
		}
		seen, err := listing.Seen(fmt.Sprint(rows))
		if err != nil || seen {
			return err
		}
		for _, r := range rows {
			if err := s.save(ctx, v, page, r); err != nil {
				return err
			}
		}
		next, err := nextLink(page)
		if err != nil || next.Length() == 0 {
			return err
		}
		if page, err = aspnet.Follow(ctx, page, next); err != nil {
			return fmt.Errorf("fetch the next page of the list: %w", err)
		}
	}
}

func (s *Scraper) listURL(period string) string {
	query := agent.Values{{Name: "Field", Value: "S"}, {Name: "Period", Value: period}, {Name: "r", Value: s.webGuest}, {Name: "f", Value: "$P1.ETR.SEARCH.S" + period}}
	return s.list + "?" + query.Encode()
}

// detailURL is beside the list, which a redirect may have moved to another address. The visitor's role stays the council's own.
func (s *Scraper) detailURL(list *agent.Page, reference string) string {
	query := agent.Values{{Name: "ApplicationId", Value: reference}, {Name: "f", Value: "$P1.ETR.APPDET.VIW"}, {Name: "r", Value: s.webGuest}}
	return list.URL.ResolveReference(&url.URL{Path: "eTrackApplicationDetails.aspx", RawQuery: query.Encode()}).String()
}

// save completes a row and hands it on.
func (s *Scraper) save(ctx context.Context, v *site.Visit, list *agent.Page, r row) error {
	a := register.Application{
		Reference:   strings.ReplaceAll(r.reference, `\\`, `\`),
		Address:     r.address,
		Description: register.SingleSpaces(r.description),
		InfoURL:     s.detailURL(list, r.reference),
	}
	var err error
	if a.Received, err = register.ParseDate(r.received); err != nil {
		return v.Reject(ctx, a.Reference, err)
	}
	if r.needsDetail {
		page, err := v.Agent.Get(ctx, a.InfoURL)
		if err != nil {
			return fmt.Errorf("fetch detail of %s: %w", a.Reference, err)
		}
		if a.Address, a.Description, err = readDetail(page); err != nil {
			return fmt.Errorf("read detail of %s: %w", a.Reference, err)
		}
	}
	return register.Save(ctx, v, a)
}

func nextLink(page *agent.Page) (*goquery.Selection, error) {
	document, err := page.Document()
	if err != nil {
		return nil, err
	}
	return aspnet.NextInPager(document.Find("tr.pagerRow").First()), nil
}
