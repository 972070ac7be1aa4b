package agent

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/text/encoding"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// Page is an answer for a scraper to read.
type Page struct {
	URL    *url.URL // where it came from, after redirects
	Status int
	Header http.Header
	Text   string // the body, in UTF-8

	agent    *Agent
	base     *url.URL          // what links are relative to; found at its first use
	encoding encoding.Encoding // as it was sent
	document *goquery.Document // parsed at its first use
}

func newPage(a *Agent, r *scraperutils.Response) (*Page, error) {
	p := &Page{URL: r.URL, Status: r.Status, Header: r.Header, agent: a}
	var err error
	if p.Text, p.encoding, err = text(r.Body, r.Header.Get("Content-Type")); err != nil {
		return nil, fmt.Errorf("%s: %w", scraperutils.ShownURL(p.URL), err)
	}
	return p, nil
}

// Document returns the page as HTML. It parses the page once. If the page is too large for that, the error is a
// *scraperutils.TooLargeError.
func (p *Page) Document() (*goquery.Document, error) {
	if p.document == nil {
		document, err := ParseHTML(p.Text)
		if err != nil {
			return nil, fmt.Errorf("read %s as HTML: %w", scraperutils.ShownURL(p.URL), err)
		}
		p.document = document
	}
	return p.document, nil
}

// Check counts what the page contains, read as a format, before anything is parsed. Its error is a *scraperutils.TooLargeError.
func (p *Page) Check(f Format) error {
	if err := f.check(p.Text); err != nil {
		return fmt.Errorf("%s: %w", scraperutils.ShownURL(p.URL), err)
	}
	return nil
}

// ParseHTML parses a text as Document parses a page. It is for pages whose text needs repair first.
func ParseHTML(text string) (*goquery.Document, error) {
	if err := checkHTML(text); err != nil {
		return nil, err
	}
	root, err := html.Parse(strings.NewReader(wellFormed(text)))
	if err != nil {
		return nil, err
	}
	return goquery.NewDocumentFromNode(root), nil
}

// Resolve returns the absolute URL of a link on the page.
func (p *Page) Resolve(href string) (*url.URL, error) {
	u, err := fetch.ParseURL(href)
	if err != nil {
		return nil, fmt.Errorf("link %q in %s: %w", shortened(scraperutils.ShownLink(href)), scraperutils.ShownURL(p.URL), err)
	}
	return p.baseURL().ResolveReference(u), nil
}

var baseElement = cascadia.MustCompile("base[href]")

// baseURL is the page's own address, or what its base element says.
func (p *Page) baseURL() *url.URL {
	if p.base != nil || p.document == nil {
		return cmp.Or(p.base, p.URL)
	}
	p.base = p.URL
	if href, ok := p.document.FindMatcher(goquery.SingleMatcher(baseElement)).Attr("href"); ok {
		if u, err := fetch.ParseURL(href); err == nil {
			p.base = p.URL.ResolveReference(u)
		}
	}
	return p.base
}

// Get follows a link on the page, with the page as referrer.
func (p *Page) Get(ctx context.Context, href string, options ...RequestOption) (*Page, error) {
	u, err := p.Resolve(href)
	if err != nil {
		return nil, err
	}
	return p.agent.fetch(ctx, http.MethodGet, u, nil, p.URL, options)
}

// Missing returns the error for something that a page lacks. Found names what the page has instead, if that helps. The error is a
// *scraperutils.LayoutError that also has what Describe says; for a page that mentions maintenance, or keeps bots out, it is a
// *MaintenanceError or a *BlockedError.
func (p *Page) Missing(what string, found ...string) error {
	if err := p.trouble(); err != nil {
		return err
	}
	e := &scraperutils.LayoutError{URL: scraperutils.ShownURL(p.URL), Missing: shortened(what)}
	for _, name := range found[:min(len(found), maxFound)] {
		e.Found = append(e.Found, shortened(name))
	}
	if more := len(found) - len(e.Found); more > 0 {
		e.Found = append(e.Found, fmt.Sprintf("and %d more", more))
	}
	for _, part := range p.Describe() {
		e.Page = append(e.Page, part.String())
	}
	return e
}

// What an error has of a page at most.
const (
	maxFound  = 40  // things
	maxQuoted = 200 // bytes of each
)

// shortened is a text of a page as an error has it.
func shortened(text string) string { return scraperutils.Shortened(text, maxQuoted) }
