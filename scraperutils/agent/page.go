package agent

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/text/encoding"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Page is an answer that a scraper reads.
type Page struct {
	URL    *url.URL // where it came from, after redirects
	Status int
	Header http.Header
	Text   string // the body, in UTF-8

	agent    *Agent
	encoding encoding.Encoding // as it was sent
	document *goquery.Document // parsed at its first use
}

func newPage(a *Agent, r *scraperutils.Response) *Page {
	p := &Page{URL: r.URL, Status: r.Status, Header: r.Header, agent: a}
	p.Text, p.encoding = text(r.Body, r.Header.Get("Content-Type"))
	return p
}

// Document returns the page as HTML. It is parsed once.
func (p *Page) Document() (*goquery.Document, error) {
	if p.document == nil {
		root, err := html.Parse(strings.NewReader(p.Text))
		if err != nil {
			return nil, fmt.Errorf("read %s as HTML: %w", p.URL.Redacted(), err)
		}
		p.document = goquery.NewDocumentFromNode(root)
	}
	return p.document, nil
}

// Resolve returns the absolute URL that a link of the page means.
func (p *Page) Resolve(href string) (*url.URL, error) {
	base := p.URL
	if p.document != nil {
		if b, ok := p.document.Find("base[href]").First().Attr("href"); ok {
			if u, err := parseURL(b); err == nil {
				base = base.ResolveReference(u)
			}
		}
	}
	u, err := parseURL(href)
	if err != nil {
		return nil, fmt.Errorf("link %q in %s: %w", href, p.URL.Redacted(), err)
	}
	return base.ResolveReference(u), nil
}

// Get follows a link of the page, with the page as referrer.
func (p *Page) Get(ctx context.Context, href string, options ...RequestOption) (*Page, error) {
	u, err := p.Resolve(href)
	if err != nil {
		return nil, err
	}
	return p.agent.fetch(ctx, http.MethodGet, u, nil, p.URL, options)
}

// Missing is the error for what a page ought to have; found is what it has instead, if that helps. A page that speaks of
// maintenance or keeps bots out is an error of that kind.
func (p *Page) Missing(what string, found ...string) error {
	if err := p.trouble(); err != nil {
		return err
	}
	return &scraperutils.LayoutError{URL: p.URL.Redacted(), Missing: what, Found: found}
}
