package epathway

import (
	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
)

var (
	panels      = cascadia.MustCompile("table.ContentPanel")
	headingRows = cascadia.MustCompile("tr.ContentPanelHeading")
	contentRows = cascadia.MustCompile("tr.ContentPanel, tr.AlternateContentPanel")
	rowCells    = cascadia.MustCompile("th, td")
)

// panel is a table as this platform makes them: its own rows, told apart by their classes.
type panel struct {
	headings []string
	rows     []register.Row
}

// readPanel reads a table.ContentPanel. Rows with fewer cells than there are headings are notes and passed over.
func readPanel(table *goquery.Selection) panel {
	own := func(rows goquery.Matcher) *goquery.Selection {
		return table.FindMatcher(rows).FilterFunction(func(_ int, row *goquery.Selection) bool {
			return row.Closest("table").IsSelection(table)
		})
	}
	p := panel{headings: cells(own(headingRows).First()).Texts()}
	own(contentRows).Each(func(_ int, tr *goquery.Selection) {
		if row := cells(tr); len(row) > 0 && len(row) >= len(p.headings) {
			p.rows = append(p.rows, row)
		}
	})
	return p
}

func cells(tr *goquery.Selection) register.Row {
	var row register.Row
	tr.ChildrenMatcher(rowCells).Each(func(_ int, s *goquery.Selection) {
		row = append(row, register.Cell{Text: scraperutils.Trim(s.Text()), Node: s.Get(0)})
	})
	return row
}
