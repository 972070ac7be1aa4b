package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/fixtures"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// startFixtures serves a site for every authority of the registry. Those that bad names fail in that way.
func startFixtures(clock register.Clock, registry *authorities.Registry, bad map[string]string) (*fixtures.Server, error) {
	misbehave := map[string]fixtures.Misbehaviour{}
	for label, how := range bad {
		if !slices.Contains(fixtures.Misbehaviours(), fixtures.Misbehaviour(how)) {
			return nil, &scraperutils.ConfigError{Name: "--misbehave", Value: label + "=" + how, Accepted: fmt.Sprintf("a label and one of %s", words(fixtures.Misbehaviours()))}
		}
		misbehave[label] = fixtures.Misbehaviour(how)
	}
	var sites []fixtures.Site
	for _, e := range registry.All() {
		sites = append(sites, fixtures.Site{
			Label: e.Label, Platform: e.Platform, URL: e.URL, State: e.State, TLSInsecure: e.TLSInsecure, Options: e.Options,
		})
	}
	return fixtures.Start(fixtures.Config{Today: clock.Today(), Misbehave: misbehave}, sites)
}

func words(all []fixtures.Misbehaviour) string {
	texts := make([]string, len(all))
	for i, m := range all {
		texts[i] = string(m)
	}
	return strings.Join(texts, ", ")
}
