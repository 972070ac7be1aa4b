package family

import (
	"cmp"
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/fixtures/misbehave"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// BuiltIn is sites that are asked on loopback instead of a family's own, under the same names.
type BuiltIn interface {
	// Available returns why there can be no site for a row, or nil.
	Available(e registry.Entry) error
	// Start serves the sites of these rows, on a day, until Close. Some misbehave, by their labels: the error says which can't.
	Start(today time.Time, entries []registry.Entry, bad map[string]misbehave.Way) (Sites, error)
}

// Sites is built-in sites that are served.
type Sites interface {
	// Dial connects to a site by its own name and port.
	Dial(ctx context.Context, network, address string) (net.Conn, error)
	// RootCAs returns whom to trust for their certificates.
	RootCAs() *x509.CertPool
	Close() error
}

// startBuiltIn serves a site for every row of the registry that there can be one for. Those that bad names (LABEL=HOW) fail in that
// way.
func (f *Family) startBuiltIn(clock site.Clock, known *registry.Registry, bad []string) (Sites, error) {
	ways, err := misbehaviours(known, bad)
	if err != nil {
		return nil, err
	}
	available := slices.DeleteFunc(known.All(), func(e registry.Entry) bool { return f.BuiltIn.Available(e) != nil })
	sites, err := f.BuiltIn.Start(clock.Today(), available, ways)
	if err != nil {
		return nil, fmt.Errorf("built-in sites: %w", err)
	}
	return sites, nil
}

// loopback is the way to built-in sites; nil is none.
func loopback(sites Sites) *egress.Loopback {
	if sites == nil {
		return nil
	}
	return &egress.Loopback{Dial: sites.Dial, RootCAs: sites.RootCAs()}
}

// withoutSite returns a warning that names the sites for which there can be no built-in site, or none.
func withoutSite(b BuiltIn, entries []registry.Entry) []string {
	var without []string
	for _, e := range entries {
		if b.Available(e) != nil {
			without = append(without, e.Platform+"/"+e.Label)
		}
	}
	if len(without) == 0 {
		return nil
	}
	return []string{"there is no built-in site for " + strings.Join(without, ", ") + ": they can't be asked here"}
}

// misbehaviours reads LABEL=HOW. A label may have stars; what is said of a site by its own label counts more.
func misbehaviours(known *registry.Registry, list []string) (map[string]misbehave.Way, error) {
	ways := map[string]misbehave.Way{}
	own := map[string]string{} // what is said of labels without stars
	stars := func(pair string) int { return -strings.Count(pair, "*") }
	for _, pair := range slices.SortedStableFunc(slices.Values(list), func(a, b string) int { return cmp.Compare(stars(a), stars(b)) }) {
		label, text, _ := strings.Cut(pair, "=")
		label, text = strings.TrimSpace(label), strings.TrimSpace(text)
		how := misbehave.Way(text)
		if label == "" || !slices.Contains(misbehave.Ways(), how) {
			return nil, &scraperutils.ConfigError{Name: "--misbehave", Value: pair, Accepted: "LABEL=HOW, where HOW is one of " + words(misbehave.Ways())}
		}
		labels, err := expand(known, "--misbehave", []string{label})
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
			ways[l] = how
		}
	}
	return ways, nil
}

func words(all []misbehave.Way) string {
	texts := make([]string, len(all))
	for i, m := range all {
		texts[i] = string(m)
	}
	return strings.Join(texts, ", ")
}
