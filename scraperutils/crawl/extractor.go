package crawl

import (
	"bytes"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/extract"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
)

// Extractor finds the links of a page. For a page that is not of its kind it finds none. Links that it found before an error count. Many
// goroutines may call it at once.
type Extractor func(p *Page) (extract.Found, error)

// Pages finds the links of HTML pages and of their headers.
func Pages(h extract.HTML) Extractor {
	return func(p *Page) (extract.Found, error) { return h.Links(p.Header, p.Body) }
}

// Feeds finds the URLs that sitemaps and feeds name.
func Feeds(p *Page) (extract.Found, error) {
	if !extract.IsFeed(p.Header, p.Body) {
		return extract.Found{}, nil
	}
	return document(p.Body)
}

// document reads a sitemap or a feed, zipped or not.
func document(body []byte) (found extract.Found, err error) {
	text, err := extract.Text(bytes.NewReader(body))
	if err != nil {
		return found, err
	}
	for link, err := range extract.Document(text, extract.MaxEntries) {
		if err != nil {
			return found, err
		}
		found.Links = append(found.Links, link)
	}
	return found, nil
}

// DefaultExtractors returns extractors for everything that DefaultAccept lets in.
func DefaultExtractors() []Extractor { return []Extractor{Pages(extract.HTML{}), Feeds} }

// link is what a page leads to.
type link struct {
	url     urls.URL
	sitemap bool
}

// resolve returns what links mean on a page. What is no URL that can be fetched is passed over; tooLong is how many are longer than a URL
// may be.
func resolve(form urls.Form, page urls.URL, found extract.Found) (links []link, tooLong int) {
	base := page
	if found.Base != "" {
		if b, err := form.Resolve(page, found.Base); err == nil {
			base = b
		}
	}
	for _, l := range found.Links {
		u, err := form.Resolve(base, l.URL)
		if err != nil {
			if urls.IsTooLong(err) {
				tooLong++
			}
			continue
		}
		links = append(links, link{u, l.Sitemap})
	}
	return links, tooLong
}
