package masterview

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"

	"github.com/multiscraper/multiscraper/authorities/aspnet"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/dates"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// scrapePages agrees to the terms and goes through the pages of the list.
func (s *Scraper) scrapePages(ctx context.Context, v *site.Visit, span dates.Range) error {
	page, err := s.search(ctx, v, span)
	if err != nil {
		return err
	}
	var listing agent.Listing
	var d detailPages
	for number := 1; ; number++ {
		rows, err := readList(page)
		if err != nil {
			return err
		}
		seen, err := listing.Seen(fmt.Sprint(rows))
		if err != nil || seen || len(rows) == 0 {
			return err
		}
		for _, r := range rows {
			if err := s.saveListed(ctx, v, &d, page, r); err != nil {
				return err
			}
		}
		next, err := nextLink(page, number)
		if err != nil || next == nil {
			return err
		}
		if page, err = aspnet.Follow(ctx, page, next); err != nil {
			return fmt.Errorf("fetch page %d of the list: %w", number+1, err)
		}
	}
}

// search returns the first page of the list. What agreeing to the terms leads to is another page.
func (s *Scraper) search(ctx context.Context, v *site.Visit, span dates.Range) (*agent.Page, error) {
	address := s.searchURL(span)
	page, err := v.Agent.Get(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("fetch the list: %w", err)
	}
	agreed, err := agree(ctx, page)
	if err != nil || !agreed {
		return page, err
	}
	if page, err = v.Agent.Get(ctx, address); err != nil {
		return nil, fmt.Errorf("fetch the list after the terms: %w", err)
	}
	return page, nil
}

// saveListed completes a row and hands it on.
func (s *Scraper) saveListed(ctx context.Context, v *site.Visit, d *detailPages, list *agent.Page, r row) error {
	f := r.fields
	if r.err != nil {
		return v.Reject(ctx, f[register.Reference], r.err)
	}
	infoURL, err := list.Resolve(r.link)
	if err != nil {
		return v.Reject(ctx, f[register.Reference], err)
	}
	lacking := f.lacking(register.Reference, register.Received, register.Address)
	if s.options.ForceDetail || len(lacking) > 0 || len(f.lacking(register.Description)) > 0 {
		page, err := list.Get(ctx, r.link)
		detail, err := d.read(ctx, v, f[register.Reference], page, err)
		if detail == nil {
			return err
		}
		f.take(detail, lacking...)
		f[register.Description] = detail[register.Description]
		infoURL = page.URL
	}
	if s.state != "" && !scraperutils.Blank(f[register.Address]) {
		f[register.Address] += ", " + s.state
	}
	return s.save(ctx, v, f, infoURL.String())
}

var (
	nextButton  = cascadia.MustCompile(".rgPageNext")
	numberLinks = cascadia.MustCompile(".rgNumPart a")
)

// nextLink returns what leads from a page of the list to the next one, or nil on the last. Where the button for it has no
// postback of its own, it is the link with the next number, or with the dots after the last number that is shown.
func nextLink(page *agent.Page, number int) (*goquery.Selection, error) {
	document, err := page.Document()
	if err != nil {
		return nil, err
	}
	button := document.FindMatcher(nextButton).First()
	if _, _, ok := aspnet.Postback(button); ok {
		return button, nil
	}
	if button.Length() == 0 || strings.Contains(button.AttrOr("onclick", ""), "return false") {
		return nil, nil
	}
	links := document.FindMatcher(numberLinks)
	next := links.FilterFunction(func(_ int, s *goquery.Selection) bool {
		return scraperutils.Trim(s.Text()) == strconv.Itoa(number+1)
	}).First()
	if last := links.Last(); next.Length() == 0 && scraperutils.Trim(last.Text()) == "..." {
		next = last
	}
	if _, _, ok := aspnet.Postback(next); !ok {
		return nil, nil
	}
	return next, nil
}
