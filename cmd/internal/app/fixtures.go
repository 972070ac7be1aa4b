package app

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/fixtures"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// startFixtures serves a site for every authority of the registry that there can be one for. Those that bad names (LABEL=HOW) fail
// in that way.
func startFixtures(clock register.Clock, registry *authorities.Registry, bad []string) (*fixtures.Server, error) {
	misbehave, err := misbehaviours(registry, bad)
	if err != nil {
		return nil, err
	}
	var sites []fixtures.Site
	for _, e := range registry.All() {
		if site := siteOf(e); fixtures.Available(site) == nil {
			sites = append(sites, site)
		}
	}
	server, err := fixtures.Start(fixtures.Config{Today: clock.Today(), Misbehave: misbehave}, sites)
	if err != nil {
		return nil, fmt.Errorf("built-in sites: %w", err)
	}
	return server, nil
}

// loopback is the way to built-in sites; nil is none.
func loopback(sites *fixtures.Server) *egress.Loopback {
	if sites == nil {
		return nil
	}
	return &egress.Loopback{Dial: sites.Dial, RootCAs: sites.RootCAs()}
}

func siteOf(e authorities.Entry) fixtures.Site {
	return fixtures.Site{Label: e.Label, Platform: e.Platform, URL: e.URL, State: e.State, TLSInsecure: e.TLSInsecure, Options: e.Options}
}

// withoutSite returns a warning that names the authorities for which there can be no built-in site, or none.
func withoutSite(entries []authorities.Entry) []string {
	var without []string
	for _, e := range entries {
		if fixtures.Available(siteOf(e)) != nil {
			without = append(without, e.Platform+"/"+e.Label)
		}
	}
	if len(without) == 0 {
		return nil
	}
	return []string{"there is no built-in site for " + strings.Join(without, ", ") + ": they can't be asked here"}
}

// misbehaviours reads LABEL=HOW. A label may have stars; what is said of an authority by its own label counts more.
func misbehaviours(registry *authorities.Registry, list []string) (map[string]fixtures.Misbehaviour, error) {
	misbehave := map[string]fixtures.Misbehaviour{}
	own := map[string]string{} // what is said of labels without stars
	stars := func(pair string) int { return -strings.Count(pair, "*") }
	for _, pair := range slices.SortedStableFunc(slices.Values(list), func(a, b string) int { return cmp.Compare(stars(a), stars(b)) }) {
		label, text, _ := strings.Cut(pair, "=")
		label, text = strings.TrimSpace(label), strings.TrimSpace(text)
		how := fixtures.Misbehaviour(text)
		if label == "" || !slices.Contains(fixtures.Misbehaviours(), how) {
			return nil, &scraperutils.ConfigError{Name: "--misbehave", Value: pair, Accepted: "LABEL=HOW, where HOW is one of " + words(fixtures.Misbehaviours())}
		}
		labels, err := expand(registry, "--misbehave", []string{label})
		if err != nil {
			return nil, err
		}
		for _, l := range labels {
			if before := own[l]; before != "" && before != text {
				return nil, &scraperutils.ConfigError{Name: "--misbehave", Value: pair, Accepted: "one way to fail for each label, and " + l + "=" + before + " is given too"}
			}
			if stars(label) == 0 {
				own[l] = text
			}
			misbehave[l] = how
		}
	}
	return misbehave, nil
}

func words(all []fixtures.Misbehaviour) string {
	texts := make([]string, len(all))
	for i, m := range all {
		texts[i] = string(m)
	}
	return strings.Join(texts, ", ")
}
