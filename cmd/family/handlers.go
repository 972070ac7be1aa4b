package family

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/fixtures/misbehave"
	"github.com/multiscraper/multiscraper/fixtures/web"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// Handlers returns built-in sites that are handlers: site makes that of a row as it is on a day, or returns nil where there can be
// none. Sites of one host are told apart by the paths of their addresses.
//
// They misbehave in all ways but two that a site itself has to know: a handler that is an EmptySite can be empty, and one that is an
// EndlessSite can have a list without end.
func Handlers(site func(e registry.Entry, today time.Time) http.Handler) BuiltIn {
	return handlers{site}
}

// EmptySite is a handler that knows how it looks with nothing in it.
type EmptySite interface {
	ServeEmpty(http.ResponseWriter, *http.Request)
}

// EndlessSite is a handler that knows how its list looks if that always has another page, every row a new one.
type EndlessSite interface {
	ServeEndless(http.ResponseWriter, *http.Request)
}

// latency is the median time of an answer.
const latency = 20 * time.Millisecond

type handlers struct {
	site func(registry.Entry, time.Time) http.Handler
}

// Available returns why there can be no site for a row, or nil.
func (h handlers) Available(e registry.Entry) error {
	if h.site(e, time.Time{}) == nil {
		return errors.New("there is no handler for it")
	}
	return nil
}

// Start serves the sites of a day.
func (h handlers) Start(today time.Time, entries []registry.Entry, bad map[string]misbehave.Way) (Sites, error) {
	var all []*builtInHost
	for _, e := range entries {
		address, err := url.Parse(e.URL)
		if err != nil {
			return nil, fmt.Errorf("site %s: %w", e.Label, err)
		}
		s := &builtInSite{label: e.Label, path: address.Path, how: bad[e.Label], well: h.site(e, today)}
		i := slices.IndexFunc(all, func(host *builtInHost) bool { return web.Endpoint(host.address) == web.Endpoint(address) })
		if i < 0 {
			i, all = len(all), append(all, &builtInHost{address: address})
		}
		all[i].sites = append(all[i].sites, s)
	}
	var hosts []web.Host
	for _, host := range all {
		if err := host.misbehave(); err != nil {
			return nil, err
		}
		hosts = append(hosts, host.web())
	}
	server, err := web.Start(web.Config{Latency: latency}, hosts)
	if err != nil {
		return nil, err
	}
	return server, nil
}

// builtInSite is one site of a host.
type builtInSite struct {
	label string
	path  string // that its own begin with
	how   misbehave.Way
	well  http.Handler
	bad   http.Handler // that misbehaves; nil where it does not
}

// builtInHost is sites under one name and port. It is a web.Site, and does not change after it is served.
type builtInHost struct {
	address *url.URL // of one of its sites
	sites   []*builtInSite
}

// misbehave makes those sites fail that are to. Its error is a *misbehave.ImpossibleError.
func (h *builtInHost) misbehave() error {
	slices.SortStableFunc(h.sites, func(a, b *builtInSite) int { return cmp.Compare(len(b.path), len(a.path)) }) // the nearest first
	for _, s := range h.sites {
		if s.how == "" {
			continue
		}
		if why := h.impossible(s); why != "" {
			return &misbehave.ImpossibleError{Label: s.label, How: s.how, Why: why}
		}
		site := misbehave.Site{Well: s.well}
		if endless, ok := s.well.(EndlessSite); ok {
			site.Endless = endless.ServeEndless
		}
		s.bad = misbehave.New(s.how, site)
		if empty, ok := s.well.(EmptySite); ok && s.how == misbehave.Empty {
			s.bad = http.HandlerFunc(empty.ServeEmpty)
		}
	}
	return nil
}

// impossible returns why a site can't fail as it is to, or "".
func (h *builtInHost) impossible(s *builtInSite) string {
	_, empty := s.well.(EmptySite)
	_, endless := s.well.(EndlessSite)
	var others []string
	for _, other := range h.sites {
		if other.how != s.how {
			others = append(others, other.label)
		}
	}
	switch {
	case s.how == misbehave.Empty && !empty, s.how == misbehave.Endless && !endless:
		return "its built-in site does not say how that looks"
	case s.how == misbehave.Certificate && h.address.Scheme != "https":
		return "its address is not https"
	case s.how.OfTheHost() && len(others) > 0:
		return "its host would take others with it; expected the same of " + strings.Join(others, ", ")
	}
	return ""
}

// web returns the host as the server has it.
func (h *builtInHost) web() web.Host {
	w := web.Host{Scheme: h.address.Scheme, Address: h.address.Host, Site: h}
	switch h.sites[0].how {
	case misbehave.Refused:
		w.Dial = web.Refused
	case misbehave.Nowhere:
		w.Dial = web.Unknown
	case misbehave.Certificate:
		w.Incomplete = true
	}
	return w
}

// site returns the one that a request is for.
func (h *builtInHost) site(r *http.Request) *builtInSite {
	for _, s := range h.sites {
		if strings.HasPrefix(r.URL.Path, s.path) {
			return s
		}
	}
	return h.sites[len(h.sites)-1]
}

// Label returns the label of the site that a request is for.
func (h *builtInHost) Label(r *http.Request) string { return h.site(r).label }

// ServeHTTP answers, or fails as the request's site does. The robots.txt of a site that fails stays as it is, but where it is the
// robots.txt that fails.
func (h *builtInHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := h.site(r)
	if s.bad != nil && (r.URL.Path != "/robots.txt" || s.how.OfRobots()) {
		s.bad.ServeHTTP(w, r)
		return
	}
	s.well.ServeHTTP(w, r)
}
