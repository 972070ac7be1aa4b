package epathway

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// A field is a label and a table cell that stands in no row. The parser drops such a cell, or ends a cell around the page with it.
var (
	strayCell = regexp.MustCompile(`(?i)</span>\s*<td\b`)
	strayEnd  = regexp.MustCompile(`(?i)</td>\s*(</div>|<span\b)`)
)

// withoutStrayCells makes those cells blocks.
func withoutStrayCells(text string) string {
	return strayEnd.ReplaceAllString(strayCell.ReplaceAllString(text, "</span><div"), "</div>$1")
}

// detail is what a detail page has: the fields that are there, empty or not, by their meaning.
type detail map[register.Meaning]string

// readDetail reads a detail page. Nothing in it is needed: what is not there, the list may have.
func readDetail(page *agent.Page) (detail, error) {
	document, err := agent.ParseHTML(withoutStrayCells(page.Text))
	if err != nil {
		return nil, fmt.Errorf("read %s as HTML: %w", scraperutils.ShownURL(page.URL), err)
	}
	d := detail{}
	readFields(d, document.Get(0))
	readTables(d, document)
	return d, nil
}

// replace puts what the detail page has in place of what the list had. The address is always the detail page's.
func (d detail) replace(a *register.Application, state string) {
	for field, meaning := range map[*string]register.Meaning{
		&a.Reference: register.Reference, &a.Description: register.Description, &a.Received: register.Received,
		&a.NoticeFrom: noticeFrom, &a.NoticeTo: noticeTo,
	} {
		if value, ok := d[meaning]; ok {
			*field = value
		}
	}
	a.Address = finishAddress(d[register.Address], state)
}

// readTables takes the address, where the page has no field for it, and the public notice each from the first table that has it. A
// table is read and forgotten: its cells may have all others inside.
func readTables(d detail, document *goquery.Document) {
	_, located := d[register.Address]
	noticed := false
	for _, table := range document.FindMatcher(panels).EachIter() {
		p := readPanel(table)
		if !located {
			d[register.Address], located = tableAddress(p)
		}
		if !noticed {
			noticed = readNotice(d, p)
		}
	}
}

// readFields finds each field by the first span that contains one of its labels.
func readFields(d detail, page *html.Node) {
	spans := readSpans(page)
	for meaning, names := range labels {
		for _, name := range names {
			if label := spans.first(name); label != nil {
				d[meaning] = valueAfter(label)
				break
			}
		}
	}
}

// spans are the spans of a page in order. They stand inside each other, so their texts are parts of one.
type spans struct {
	text string
	all  []span
}

type span struct {
	node     *html.Node
	from, to int // where its text begins and ends
}

func readSpans(page *html.Node) spans {
	var s spans
	var text strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			text.WriteString(n.Data)
		}
		i := len(s.all)
		isSpan := n.Type == html.ElementNode && n.Data == "span"
		if isSpan {
			s.all = append(s.all, span{node: n, from: text.Len()})
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
		if isSpan {
			s.all[i].to = text.Len()
		}
	}
	walk(page)
	s.text = text.String()
	return s
}

// first returns the first span whose text contains a name, or nil. The name is looked for once, not in each span.
func (s spans) first(name string) *html.Node {
	at := -1 // where the name stands next
	for _, span := range s.all {
		if at < span.from {
			n := strings.Index(s.text[span.from:], name)
			if n < 0 {
				return nil
			}
			at = span.from + n
		}
		if at+len(name) <= span.to {
			return span.node
		}
	}
	return nil
}

// valueAfter is the text of the node after a label.
func valueAfter(label *html.Node) string {
	if label.NextSibling == nil {
		return ""
	}
	return scraperutils.Trim(textOf(label.NextSibling))
}

// tableAddress is the address of a table that has nothing but addresses: of its one row, the primary one or the first.
func tableAddress(t panel) (address string, ok bool) {
	has := locations.Columns(t.headings)
	column := addressColumn(has)
	if column == "" || len(t.rows) == 0 || !onlyLocations(t.headings) {
		return "", false
	}
	best := t.rows[0]
	for _, r := range t.rows {
		if strings.EqualFold(has.Text(r, primary), "Yes") {
			best = r
			break
		}
	}
	return has.Text(best, column), true
}

func addressColumn(c register.Columns) register.Meaning {
	for _, m := range addressColumns {
		if c.Has(m) {
			return m
		}
	}
	return ""
}

func onlyLocations(headings []string) bool {
	for _, h := range headings {
		if locations.Meaning(h) == "" {
			return false
		}
	}
	return true
}

// readNotice takes the public notice from the first row of a table, where that has it.
func readNotice(d detail, t panel) bool {
	has := notices.Columns(t.headings)
	if !has.Has(noticeFrom, noticeTo) || len(t.rows) == 0 {
		return false
	}
	d[noticeFrom], d[noticeTo] = has.Text(t.rows[0], noticeFrom), has.Text(t.rows[0], noticeTo)
	return true
}
