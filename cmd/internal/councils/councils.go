package councils

import (
	"net/http"

	"github.com/PuerkitoBio/goquery"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/authorities/validate"
	"github.com/multiscraper/multiscraper/cmd/family"
	"github.com/multiscraper/multiscraper/cmd/internal/scaffold"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// Family returns the family of councils.
func Family() family.Family {
	return family.Family{
		Name: "scrape", Variables: "MORPH", Registry: authorities.Registry(),
		Table: family.Table{
			Label: "authority_label", Keys: []string{"council_reference"}, Title: []string{"council_reference", "address"},
			Day: "date_scraped", Rows: "applications",
		},
		Check: validate.Record, Searches: true, Zone: register.Zone(),
		Proxy: family.Proxy{
			Variable: "AUSTRALIAN_PROXY", For: "authorities that answer Australian addresses only",
			Header: http.Header{"Accept-Language": {"en-AU,en-US;q=0.9,en;q=0.8"}},
		},
		BuiltIn: builtIn{},
		New: family.New{
			Recognize: authorities.Recognize, Guesses: authorities.Guesses, Columns: columns, Meaning: meaning,
			Flags: func() family.RowFlags { return &place{} }, File: "authorities/authorities.yml", Guide: "docs/adding-a-council.md",
		},
		Commands: func() []any { return []any{&commands{}} },
		Help: family.Help{
			Label: "kyogle", Pattern: "noo*", NewLabel: "north_haverbrook", Option: "period=L28", Source: "register",
			BuiltIn: "council sites", AsOf: "dates of searches, date_scraped",
		},
	}
}

// commands is what councils have beside what every family has.
type commands struct {
	Validate validateCommand  `cmd:"" help:"Check the quality of a finished database: addresses, descriptions, references, and pages."`
	Init     scaffold.Command `cmd:"" help:"Write a module for sites of another kind, which runs at once."`
}

// place is what the row of a new council may have beside what the row of every family may.
type place struct {
	State string `help:"Add this state to addresses that lack it, if the platform does so." placeholder:"NSW"`
}

// Pairs returns the keys of a row.
func (p *place) Pairs() []registry.Pair {
	if p.State == "" {
		return nil
	}
	return []registry.Pair{{Key: "state", Value: registry.Quoted(p.State)}}
}

func columns(table *goquery.Selection) []string { return register.ReadTable(table).Header }

// meaning is what a platform understands by the heading of a column.
func meaning(s site.Scraper, heading string) string {
	var v register.Vocabulary
	if s, ok := s.(interface{ Vocabulary() register.Vocabulary }); ok {
		v = s.Vocabulary()
	}
	return string(v.Meaning(heading))
}
