// Package epathway reads the registers of Infor ePathway.
//
//	enquiry lists → choice of a list → (date tab, Search) → EnquirySummaryView.aspx?PageNumber=1, 2, …
//	  → table.ContentPanel → rows → (detail page, where the list lacks something)
//
// navigate.go gets to the list, read.go reads its pages and detail.go the detail pages (panel.go their tables), address.go makes
// addresses, names.go has the names that councils use.
package epathway

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// Options are a council's own.
type Options struct {
	register.Place `yaml:",inline"`

	List        string `yaml:"list"`         // all, advertising, last_30_days, all_this_year; needed
	MaxPages    int    `yaml:"max_pages"`    // pages to read, whatever the list says about itself; 0: as many as it says
	ForceDetail bool   `yaml:"force_detail"` // read every detail page, even where the list has all that is needed
}

// The lists that a council may have.
const (
	listAll         = "all"
	listAdvertising = "advertising"
	listLast30Days  = "last_30_days"
	listThisYear    = "all_this_year"
)

// Scraper reads one council's register.
type Scraper struct {
	lists       string // …/EnquiryLists.aspx?ModuleCode=LAP; where records lead to, for detail pages live only in a session
	list        string
	state       string
	maxPages    int
	forceDetail bool
}

// New checks the options.
func New(a site.Site, o Options) (*Scraper, error) {
	if err := site.OneOf("list", o.List, listAll, listAdvertising, listLast30Days, listThisYear); err != nil {
		return nil, err
	}
	if o.MaxPages < 0 {
		return nil, &scraperutils.ConfigError{Name: "max_pages", Value: strconv.Itoa(o.MaxPages), Accepted: "a number of pages, 0 for all"}
	}
	return &Scraper{
		lists: a.URL + "/Web/GeneralEnquiry/EnquiryLists.aspx?ModuleCode=LAP",
		list:  o.List, state: o.State, maxPages: o.MaxPages, forceDetail: o.ForceDetail,
	}, nil
}

// Vocabulary returns the names of a list's columns that are understood.
func (s *Scraper) Vocabulary() register.Vocabulary { return columns }

// Scrape gets to the list and goes through its pages.
func (s *Scraper) Scrape(ctx context.Context, v *site.Visit) error {
	page, err := enter(ctx, v.Agent, s.lists)
	if err != nil {
		return fmt.Errorf("open the enquiry lists: %w", err)
	}
	if page, err = chooseList(ctx, page, s.list); err != nil {
		return fmt.Errorf("choose the list: %w", err)
	}
	if s.list == listLast30Days || s.list == listThisYear {
		if page, err = s.search(ctx, page, v.Clock.Today().Year()); err != nil {
			return fmt.Errorf("search by date: %w", err)
		}
	}
	return s.pages(ctx, v, page)
}

// pages reads the list page by page. It ends after the last page, and before that at a page that it had before. Where the number of
// pages is the council's option and not the list's own, it ends at a page without rows too.
func (s *Scraper) pages(ctx context.Context, v *site.Visit, page *agent.Page) error {
	var listing agent.Listing
	for n, last := 1, s.maxPages; ; n++ {
		var err error
		if page, err = page.Get(ctx, fmt.Sprintf("EnquirySummaryView.aspx?PageNumber=%d", n)); err != nil {
			return fmt.Errorf("fetch page %d of the list: %w", n, err)
		}
		rows, err := readList(page)
		if err != nil {
			return err
		}
		seen, err := listing.Seen(fmt.Sprint(rows))
		if err != nil || seen || len(rows) == 0 && s.maxPages > 0 {
			return err
		}
		for _, r := range rows {
			if err := s.save(ctx, v, page, r); err != nil {
				return err
			}
		}
		if last == 0 {
			if last, err = readPageCount(page); err != nil {
				return err
			}
		}
		if n >= last {
			return nil
		}
	}
}

// save completes a row and hands it on.
func (s *Scraper) save(ctx context.Context, v *site.Visit, page *agent.Page, r row) error {
	a := register.Application{
		Reference: r.reference, Description: r.description, InfoURL: s.lists,
		Address:  listAddress(r.place, r.suburb, s.state),
		Received: r.received, // as written, until readDates
	}
	if r.link == "" && r.lacks != "" {
		return v.Reject(ctx, a.Reference, &scraperutils.UnprocessableRecord{
			Reason: fmt.Sprintf("the list has no column %s and the row no link to its detail page", r.lacks),
		})
	}
	if r.link != "" && (r.lacks != "" || s.forceDetail) {
		d, err := fetchDetail(ctx, page, r.link)
		if err != nil {
			return fmt.Errorf("fetch detail of %s: %w", cmp.Or(r.reference, r.link), err)
		}
		d.replace(&a, s.state)
	}
	if why := meaningless(a); why != "" {
		v.Skip(ctx, a.Reference, why)
		return nil
	}
	if err := readDates(&a); err != nil {
		return v.Reject(ctx, a.Reference, err)
	}
	return register.Save(ctx, v, a)
}

func fetchDetail(ctx context.Context, list *agent.Page, link string) (detail, error) {
	page, err := list.Get(ctx, link)
	if err != nil {
		return detail{}, err
	}
	return readDetail(page)
}

// meaningless tells why an application is none, or "".
func meaningless(a register.Application) string {
	switch {
	case a.Reference == notOnFile:
		return "its reference is " + notOnFile
	case a.Description == systemName:
		return "its description is " + systemName
	}
	return ""
}

// readDates replaces the dates as written by what they mean.
func readDates(a *register.Application) error {
	for _, date := range []*string{&a.Received, &a.NoticeFrom, &a.NoticeTo} {
		read, err := register.ParseDate(*date)
		if err != nil {
			return err
		}
		*date = read
	}
	return nil
}
