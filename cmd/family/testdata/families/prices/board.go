package main

import (
	"context"
	"time"

	"golang.org/x/text/language"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/money"
	"github.com/multiscraper/multiscraper/scraperutils/site/tables"
)

// board is a page with today's prices in one table.
type board struct {
	site.Site
	options
}

type options struct {
	Locale language.Tag `yaml:"locale"`
}

func newBoard(s site.Site, o options) (*board, error) {
	if o.Locale == language.Und {
		return nil, &scraperutils.ConfigError{Name: "locale", Accepted: "one with a country, such as en-AU"}
	}
	return &board{s, o}, nil
}

type price struct {
	Day      time.Time    `field:"day"`
	Product  string       `field:"product"`
	Grade    string       `field:"grade"`
	Price    money.Amount `field:"price"`
	Currency string       `field:"currency"`
}

var words = tables.NewVocabulary(map[tables.Meaning][]string{
	"product": {"Product", "Ware", "Produit"},
	"grade":   {"Grade", "Klasse", "Catégorie"},
	"price":   {"Price per kg", "Preis je kg", "Prix au kg"},
})

// Scrape reads the board. Whatever changed since yesterday, today's prices are records of their own.
func (b *board) Scrape(ctx context.Context, v *site.Visit) error {
	page, err := v.Agent.Get(ctx, b.URL)
	if err != nil {
		return err
	}
	table, err := tables.Find(page, words, "product", "grade", "price")
	if err != nil {
		return err
	}
	for _, row := range table.Rows {
		product := table.Text(row, "product")
		amount, err := money.Parse(b.Locale, table.Text(row, "price"))
		if err != nil {
			if err := v.Reject(ctx, product, err); err != nil {
				return err
			}
			continue
		}
		if amount == (money.Amount{}) {
			v.Skip(ctx, product, "it has no price today")
			continue
		}
		if err := v.SaveStruct(ctx, price{v.Clock.Today(), product, table.Text(row, "grade"), amount, amount.Currency}); err != nil {
			return err
		}
	}
	return nil
}
