package epathway

import (
	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
)

var (
	panels      = cascadia.MustCompile("table.ContentPanel")
	headingRows = cascadia.MustCompile("tr.ContentPanelHeading")
	contentRows = cascadia.MustCompile("tr.ContentPanel, tr.AlternateContentPanel")
)

// panel is a table as this platform makes them: its own rows, told apart by their classes.
type panel struct {
	headings []string
	rows     []register.Row
}

// readPanel reads a table.ContentPanel. Rows with fewer cells than there are headings are notes and passed over.
func readPanel(table *goquery.Selection) panel {
	var heading *html.Node
	var rows []*html.Node
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch {
			case c.Type != html.ElementNode || c.Data == "table": // whose rows are its own
			case heading == nil && headingRows.Match(c):
				heading = c
			case contentRows.Match(c):
				rows = append(rows, c)
			default:
				walk(c)
			}
		}
	}
	for _, n := range table.Nodes {
		walk(n)
	}
	p := panel{headings: cells(heading).Texts()}
	for _, tr := range rows {
		if row := cells(tr); len(row) > 0 && len(row) >= len(p.headings) {
			p.rows = append(p.rows, row)
		}
	}
	return p
}

// cells returns the cells of a row, none of nil.
func cells(tr *html.Node) register.Row {
	var row register.Row
	if tr == nil {
		return nil
	}
	for c := tr.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && (c.Data == "td" || c.Data == "th") {
			row = append(row, register.Cell{Text: scraperutils.Trim(textOf(c)), Node: c})
		}
	}
	return row
}

func textOf(n *html.Node) string { return (&goquery.Selection{Nodes: []*html.Node{n}}).Text() }
