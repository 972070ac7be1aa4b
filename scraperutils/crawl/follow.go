package crawl

import (
	"context"
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

// follow returns what an answer leads to: what is to be fetched, and what was left out. Sitemaps are those that the host names, where they
// have not been followed yet.
func (f *follower) follow(a answer, sitemaps []string) (found []Entry, left []Trap) {
	if !f.worker.Scope.Follows() {
		if a.fate.Moved != nil {
			found = append(found, *a.fate.Moved)
		}
		return found, nil
	}
	asked, err := f.worker.Rules.Form.Parse(a.item.URL)
	if err != nil {
		return nil, nil // such a URL leads nowhere
	}
	f.known.remember(a.item.URL)
	s := &sorter{follower: f, item: a.item, page: scope.Page{URL: asked, Depth: a.item.Depth, Series: a.item.Series}}
	s.sitemaps(sitemaps)
	switch {
	case a.fate.Moved != nil:
		s.moved(*a.fate.Moved)
	case a.page != nil && len(a.page.Body) > 0:
		s.links(a.page)
	}
	return s.found, s.left
}

// sorter gathers what one answer leads to.
type sorter struct {
	*follower
	item  Item
	page  scope.Page
	found []Entry
	left  []Trap
}

// links takes the links of a page.
func (s *sorter) links(p *Page) {
	base := s.page.URL
	if final, err := s.worker.Rules.Form.Parse(p.Final); err == nil {
		base = final
	}
	if s.item.Sitemap {
		s.page.Depth-- // what a sitemap names is no farther away than the sitemap
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
	found, left := s.worker.Scope.Follow(s.page, links, s.seeds.has, s.known.has)
	s.add(sitemap, found, left)
}

// moved takes where a redirect leads. What was asked for goes on there, with its ID.
func (s *sorter) moved(e Entry) {
	target, err := s.worker.Rules.Form.Parse(e.URL)
	if err != nil {
		return
	}
	found, left := s.worker.Scope.Moved(s.page, target, s.seeds.has, s.known.has)
	before := len(s.found)
	s.add(s.item.Sitemap, found, left)
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

func (s *sorter) add(sitemap bool, found []scope.Found, left []scope.Left) {
	sc := s.worker.Scope
	for _, f := range found {
		s.found = append(s.found, Entry{
			Host: f.URL.Host(), URL: f.URL.String(), Priority: s.item.Priority, Depth: f.Depth, Via: s.item.URL,
			Series: f.Series, Sitemap: sitemap, Limit: max(sc.PerHost, 0), Variants: sc.VariantsBound(),
		})
	}
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
			f.known.remember(e.URL)
		}
		found = found[foundAtOnce:]
	}
	return found
}
