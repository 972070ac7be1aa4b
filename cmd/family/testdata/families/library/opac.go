package main

import (
	"context"
	"time"

	"golang.org/x/text/language"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/dates"
	"github.com/multiscraper/multiscraper/scraperutils/site/listing"
	"github.com/multiscraper/multiscraper/scraperutils/site/tables"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

type opac struct {
	site.Site
	options
}

type options struct {
	Subject string       `yaml:"subject"`
	Locale  language.Tag `yaml:"locale"` // of its dates; en-GB
}

func newOPAC(s site.Site, o options) (*opac, error) {
	if o.Subject == "" {
		return nil, &scraperutils.ConfigError{Name: "subject", Accepted: "what to search for"}
	}
	if o.Locale == language.Und {
		o.Locale = language.BritishEnglish
	}
	return &opac{s, o}, nil
}

type book struct {
	ISBN     string    `field:"isbn"`
	Title    string    `field:"title"`
	Author   string    `field:"author,omitempty"`
	Acquired time.Time `field:"acquired"`
	URL      string    `field:"url"`
}

// Scrape searches for the subject and reads every title that is found.
func (o *opac) Scrape(ctx context.Context, v *site.Visit) error {
	home, err := v.Agent.Get(ctx, o.URL)
	if err != nil {
		return err
	}
	form, err := home.Form("form#search")
	if err != nil {
		return err
	}
	if err := form.Fill("subject", o.Subject); err != nil {
		return err
	}
	results, err := form.Submit(ctx, nil)
	if err != nil {
		return err
	}
	for page, err := range listing.From(ctx, results, listing.NextLink("a.next"), listing.EachRow("ol.hits li")) {
		if err != nil {
			return err
		}
		hits, err := listing.Rows(page, "ol.hits a", "no titles found")
		if err != nil {
			return err
		}
		for _, hit := range hits.EachIter() {
			if err := o.title(ctx, v, page, hit.AttrOr("href", "")); err != nil {
				return err
			}
		}
	}
	return nil
}

var words = tables.NewVocabulary(map[tables.Meaning][]string{
	"isbn":     {"ISBN"},
	"title":    {"Title", "Titel", "Titre"},
	"author":   {"Author", "Verfasser", "Auteur"},
	"acquired": {"Acquired", "Erworben", "Acquis"},
})

// title reads the page of one title.
func (o *opac) title(ctx context.Context, v *site.Visit, list *agent.Page, href string) error {
	page, err := list.Get(ctx, href)
	if err != nil {
		return err
	}
	is, err := tables.FindPairs(page, words, "isbn", "title", "acquired")
	if err != nil {
		return err
	}
	acquired, err := dates.ParseIn(o.Locale, is.Text("acquired"))
	if err != nil {
		return v.Reject(ctx, is.Text("isbn"), err)
	}
	return v.SaveStruct(ctx, book{
		ISBN: is.Text("isbn"), Title: is.Text("title"), Author: is.Text("author"), Acquired: acquired, URL: page.URL.String(),
	})
}
