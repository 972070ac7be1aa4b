package look

import (
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent/actions"
)

// Selector finds elements of a page.
type Selector struct {
	CSS   string
	XPath string // if CSS is ""
}

func (s Selector) String() string {
	if s.CSS == "" {
		return s.XPath
	}
	return s.CSS
}

// Found is an element that a selector has found.
type Found struct {
	Tag  string // how it begins, as in <tr class="odd">
	Text string // what it says, on one line
	HTML string // all of it
}

// Find returns what a selector finds on a page, in order. The error is a *scraperutils.ConfigError if the selector can't be read.
func Find(p *agent.Page, s Selector) ([]Found, error) {
	document, err := p.Document()
	if err != nil {
		return nil, err
	}
	find, by := actions.CSS, s.CSS
	if s.CSS == "" {
		find, by = actions.XPath, s.XPath
	}
	elements, err := find(document, by)
	if err != nil {
		return nil, err
	}
	var all []Found
	for _, e := range elements.EachIter() {
		all = append(all, found(e))
	}
	return all, nil
}

func found(e *goquery.Selection) Found {
	n := e.Get(0)
	text := strings.Join(strings.Fields(wordsOf(n)), " ")
	if n.Type != html.ElementNode { // of an XPath expression: text, or an attribute's value
		return Found{Text: text, HTML: text}
	}
	outer, err := goquery.OuterHtml(e)
	if err != nil { // a writer into memory does not fail
		outer = text
	}
	return Found{Tag: tag(n), Text: text, HTML: outer}
}

// tag is how an element begins.
func tag(n *html.Node) string {
	var b strings.Builder
	b.WriteString("<" + n.Data)
	for _, a := range n.Attr {
		b.WriteString(" " + a.Key + `="` + html.EscapeString(a.Val) + `"`)
	}
	return b.String() + ">"
}

// wordsOf is the text below a node, with a space where one element ends and the next begins: cells of a row are apart.
func wordsOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && (c.Data == "script" || c.Data == "style") {
			continue
		}
		b.WriteString(wordsOf(c))
		if c.Type == html.ElementNode {
			b.WriteByte(' ')
		}
	}
	return b.String()
}
