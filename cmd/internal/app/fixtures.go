package app

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/fixtures"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// startFixtures serves a site for every authority of the registry. Those that bad names, by label or as platform/*, fail in that
// way; where it says two things of one, its label counts.
func startFixtures(clock register.Clock, registry *authorities.Registry, bad map[string]string) (*fixtures.Server, error) {
	misbehave := map[string]fixtures.Misbehaviour{}
	all := func(label string) int { return -strings.Count(label, "*") }
	for _, label := range slices.SortedFunc(maps.Keys(bad), func(a, b string) int { return cmp.Or(all(a)-all(b), cmp.Compare(a, b)) }) {
		how := bad[label]
		if !slices.Contains(fixtures.Misbehaviours(), fixtures.Misbehaviour(how)) {
			return nil, &scraperutils.ConfigError{Name: "--misbehave", Value: label + "=" + how, Accepted: fmt.Sprintf("a label and one of %s", words(fixtures.Misbehaviours()))}
		}
		labels, err := expand(registry, "--misbehave", []string{label})
		if err != nil {
			return nil, err
		}
		for _, label := range labels {
			misbehave[label] = fixtures.Misbehaviour(how)
		}
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
