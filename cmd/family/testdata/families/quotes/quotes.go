package main

import (
	"context"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/text/language"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/dates"
	"github.com/multiscraper/multiscraper/scraperutils/site/listing"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

type quotes struct{ url string }

func newQuotes(s site.Site, _ struct{}) (*quotes, error) { return &quotes{s.URL}, nil }

type quote struct {
	Quote  string    `field:"quote"`
	Author string    `field:"author"`
	Born   time.Time `field:"born"`
	Place  string    `field:"place,omitempty"`
	Tags   string    `field:"tags,omitempty"`
}

// Scrape reads page after page, and the page of each author once.
func (q *quotes) Scrape(ctx context.Context, v *site.Visit) error {
	authors := map[string]quote{} // by the address of their pages
	for page, err := range listing.Pages(ctx, v.Agent, q.url, listing.NextLink("li.next a")) {
		if err != nil {
			return err
		}
		rows, err := listing.Rows(page, "div.quote")
		if err != nil {
			return err
		}
		for _, row := range rows.EachIter() {
			about := row.Find("a[href^='/author/']").AttrOr("href", "")
			is, ok := authors[about]
			if !ok {
				if is, err = author(ctx, page, about); err != nil {
					return err
				}
				authors[about] = is
			}
			is.Quote = row.Find(".text").Text()
			is.Tags = strings.Join(row.Find("a.tag").Map(func(_ int, tag *goquery.Selection) string { return tag.Text() }), ", ")
			if err := v.SaveStruct(ctx, is); err != nil {
				return err
			}
		}
	}
	return nil
}

// author reads the page of an author.
func author(ctx context.Context, list *agent.Page, href string) (quote, error) {
	page, err := list.Get(ctx, href)
	if err != nil {
		return quote{}, err
	}
	about, err := listing.Rows(page, ".author-details")
	if err != nil {
		return quote{}, err
	}
	born, err := dates.ParseIn(language.AmericanEnglish, about.Find(".author-born-date").Text())
	return quote{Author: scraperutils.Trim(about.Find(".author-title").Text()), Born: born, Place: about.Find(".author-born-location").Text()}, err
}
