package crawl

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/extract"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/scope"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
)

// follower finds what answers lead to, by the worker's scope. Its methods may be called from any goroutine.
type follower struct {
	worker *Worker
	known  *knownLinks
	seeds  *seedHosts
}

func newFollower(w *Worker) *follower {
	return &follower{worker: w, known: newKnownLinks(), seeds: newSeedHosts(w.Scope.Kind)}
}

// answer is what is followed.
type answer struct {
	item Item
	page *Page // nil: there is nothing to read
	fate Fate
}

// bounded reports whether it matters how far a URL is from what was added.
func (f *follower) bounded() bool { return f.worker.Scope.Follows() && f.worker.Scope.Depth > 0 }

// leads is what an answer leads to.
type leads struct {
	found []Entry // to be fetched
	rest  []Entry // the other links in scope: of a page that is found nearer, they are to be fetched, or nearer
	left  []Trap  // links that were left out
}

// links packs all links that are to be kept; nil: none.
func (l leads) links(depth, most int) Links {
	if most <= 0 || len(l.found)+len(l.rest) == 0 {
		return nil
	}
	return PackLinks(depth, most, slices.Concat(l.found, l.rest))
}

// follow returns what an answer leads to. Sitemaps are those that the host names, where they are to be followed.
func (f *follower) follow(a answer, sitemaps []string) (to leads) {
	if !f.worker.Scope.Follows() {
		if a.fate.Moved != nil {
			to.found = append(to.found, *a.fate.Moved)
		}
		return to
	}
	asked, err := f.worker.Rules.Form.Parse(a.item.URL)
	if err != nil {
		return to // such a URL leads nowhere
	}
	f.known.remember(a.item.URL, a.item.Depth)
	s := &sorter{follower: f, item: a.item, page: scope.Page{URL: asked, Depth: a.item.Depth, Series: a.item.Series}}
	if a.item.Sitemap {
		s.page.Depth-- // what a sitemap names is no farther away than the sitemap
	}
	s.sitemaps(sitemaps)
	switch {
	case a.fate.Moved != nil:
		s.moved(*a.fate.Moved)
	case a.page != nil && len(a.page.Body) > 0:
		s.links(a.page)
	}
	return s.leads
}

// sorter gathers what one answer leads to.
type sorter struct {
	*follower
	leads
	item Item
	page scope.Page
}

// has reports whether a link need not be added: it is known, and no farther than here.
func (s *sorter) has(depth int) func(urls.URL) bool {
	if !s.bounded() {
		depth = math.MaxInt
	}
	return func(u urls.URL) bool { return s.known.has(u, depth) }
}

// links takes the links of a page.
func (s *sorter) links(p *Page) {
	base := s.page.URL
	if final, err := s.worker.Rules.Form.Parse(p.Final); err == nil {
		base = final
	}
	var pages, sitemaps []urls.URL
	for _, read := range s.readers() {
		found, _ := read(p) // what comes before an error counts, and pages are what they are
		links, tooLong := resolve(s.worker.Rules.Form, base, found)
		if tooLong > 0 {
			s.left = append(s.left, Trap{Host: base.Host(), Rule: scope.TrapLength, Count: tooLong, Example: base.String()})
		}
		for _, l := range links {
			if l.sitemap {
				sitemaps = append(sitemaps, l.url)
			} else {
				pages = append(pages, l.url)
			}
		}
	}
	s.take(false, pages)
	s.take(true, sitemaps)
}

// readers are what a page is read by.
func (s *sorter) readers() []Extractor {
	if s.item.Sitemap {
		return []Extractor{func(p *Page) (extract.Found, error) { return document(p.Body) }}
	}
	return s.worker.Extractors
}

// take takes what is in scope of some links.
func (s *sorter) take(sitemap bool, links []urls.URL) {
	found, rest, left := s.worker.Scope.Follow(s.page, links, s.seeds.has, s.has(s.page.Depth+1))
	s.found, s.rest = s.entries(s.found, sitemap, found), s.entries(s.rest, sitemap, rest)
	s.leave(left)
}

// moved takes where a redirect leads. What was asked for goes on there, with its ID.
func (s *sorter) moved(e Entry) {
	target, err := s.worker.Rules.Form.Parse(e.URL)
	if err != nil {
		return
	}
	page := s.page
	page.Depth = s.item.Depth
	found, rest, left := s.worker.Scope.Moved(page, target, s.seeds.has, s.has(page.Depth))
	before := len(s.found)
	s.found, s.rest = s.entries(s.found, s.item.Sitemap, found), s.entries(s.rest, s.item.Sitemap, rest)
	s.leave(left)
	for i := range s.found[before:] {
		s.found[before+i].ID, s.found[before+i].Redirects = e.ID, e.Redirects
	}
}

// sitemaps takes those that a host names.
func (s *sorter) sitemaps(named []string) {
	if s.worker.NoSitemaps || len(named) == 0 {
		return
	}
	root, err := s.worker.Rules.Form.Resolve(s.page.URL, "/robots.txt")
	if err != nil {
		return
	}
	found := extract.Found{}
	for _, u := range named[:min(len(named), maxSitemaps)] {
		found.Links = append(found.Links, extract.Link{URL: u})
	}
	links, _ := resolve(s.worker.Rules.Form, root, found)
	all := make([]urls.URL, len(links))
	for i, l := range links {
		all[i] = l.url
	}
	s.take(true, all)
}

// maxSitemaps is how many sitemaps of a robots.txt count.
const maxSitemaps = 1000

// entries appends links as they are added.
func (s *sorter) entries(to []Entry, sitemap bool, links []scope.Found) []Entry {
	sc := s.worker.Scope
	for _, f := range links {
		to = append(to, Entry{
			Host: f.URL.Host(), URL: f.URL.String(), Priority: s.item.Priority, Depth: f.Depth, Via: s.item.URL,
			Series: f.Series, Sitemap: sitemap, Limit: max(sc.PerHost, 0), Variants: sc.VariantsBound(),
		})
	}
	return to
}

func (s *sorter) leave(left []scope.Left) {
	for _, l := range left {
		s.left = append(s.left, Trap{Host: l.Example.Host(), Rule: l.Rule, Count: l.Count, Example: l.Example.String()})
	}
}

// foundAtOnce is how many URLs are added in one commit; a sitemap may name more.
const foundAtOnce = 5000

// addMany adds most of what an answer leads to before the answer counts, where that is a lot, and returns the rest: others shall not wait
// for one long commit.
func (f *follower) addMany(ctx context.Context, found []Entry) []Entry {
	for len(found) > foundAtOnce {
		if _, err := f.worker.Frontier.Add(ctx, time.Now(), found[:foundAtOnce]); err != nil {
			return found // the commit tries again
		}
		for _, e := range found[:foundAtOnce] {
			f.known.remember(e.URL, e.Depth)
		}
		found = found[foundAtOnce:]
	}
	return found
}
