package councils

import (
	"time"

	"github.com/multiscraper/multiscraper/cmd/family"
	"github.com/multiscraper/multiscraper/fixtures"
	"github.com/multiscraper/multiscraper/fixtures/misbehave"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// builtIn is the council sites of package fixtures.
type builtIn struct{}

// Available returns why there can be no site for a row, or nil.
func (builtIn) Available(e registry.Entry) error { return fixtures.Available(siteOf(e)) }

// Start serves the registers of a day.
func (builtIn) Start(today time.Time, entries []registry.Entry, bad map[string]misbehave.Way) (family.Sites, error) {
	var sites []fixtures.Site
	for _, e := range entries {
		sites = append(sites, siteOf(e))
	}
	return fixtures.Start(fixtures.Config{Today: today, Misbehave: bad}, sites)
}

func siteOf(e registry.Entry) fixtures.Site {
	s := fixtures.Site{Label: e.Label, Platform: e.Platform, URL: e.URL, TLSInsecure: e.TLSInsecure, Options: e.Options}
	s.State = s.Text("state")
	return s
}
