package main

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/listing"
)

// events is an API that answers with a page of events and where the next one begins.
type events struct{ first string }

type options struct {
	PerPage int `yaml:"per_page"` // 0 is 100
}

func newEvents(s site.Site, o options) (*events, error) {
	if o.PerPage < 0 || o.PerPage > 1000 {
		return nil, &scraperutils.ConfigError{Name: "per_page", Value: strconv.Itoa(o.PerPage), Accepted: "a number from 1 to 1000"}
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, err
	}
	if o.PerPage > 0 {
		query := u.Query()
		query.Set("limit", strconv.Itoa(o.PerPage))
		u.RawQuery = query.Encode()
	}
	return &events{u.String()}, nil
}

type event struct {
	ID      json.Number `json:"id" field:"id"`
	Title   string      `json:"title" field:"title"`
	Starts  time.Time   `json:"starts" field:"starts,time"`
	Price   json.Number `json:"price,omitempty" field:"price,omitempty"`
	SoldOut bool        `json:"sold_out" field:"sold_out"`
}

// Scrape reads page after page.
func (e *events) Scrape(ctx context.Context, v *site.Visit) error {
	for page, err := range listing.Pages(ctx, v.Agent, e.first, listing.Cursor("after", "meta.next_cursor")) {
		if err != nil {
			return err
		}
		var answer struct {
			Events []event `json:"events"`
		}
		if err := page.JSON(&answer); err != nil {
			return err
		}
		for _, event := range answer.Events {
			if err := v.SaveStruct(ctx, event); err != nil {
				return err
			}
		}
	}
	return nil
}
