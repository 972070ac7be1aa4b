package technologyone

import (
	"strings"

	"github.com/PuerkitoBio/goquery"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// row is an application as the list has it.
type row struct {
	reference, received  string
	address, description string
	needsDetail          bool // the list has no column for one of these two
}

// readList reads a page of the list: one grid with one row per application, or one grid per application with one row per field.
func readList(page *agent.Page) ([]row, error) {
	document, err := page.Document()
	if err != nil {
		return nil, err
	}
	grids := document.Find("table.grid").FilterFunction(func(_ int, s *goquery.Selection) bool {
		return s.ParentsFiltered("table.grid").Length() == 0
	})
	if grids.Length() == 0 {
		return nil, page.Missing("table.grid")
	}
	if grids.Length() == 1 {
		table := register.ReadTable(grids)
		columns := vocabulary.Columns(table.Header)
		lacks := columns.Lacks(register.Reference, register.Received)
		if lacks == "" {
			return readRows(columns, table.Rows), nil
		}
		if rows, err := readGrids(page, grids); err == nil { // the only application of a list that has a grid for each
			return rows, nil
		}
		return nil, page.Missing("column "+string(lacks), columns.Names()...)
	}
	return readGrids(page, grids)
}

func readRows(columns register.Columns, all []register.Row) []row {
	var rows []row
	for _, cells := range all {
		rows = append(rows, newRow(columns, cells))
	}
	return rows
}

func readGrids(page *agent.Page, grids *goquery.Selection) (rows []row, err error) {
	for _, grid := range grids.EachIter() {
		names, values := register.ReadPairs(grid)
		columns := vocabulary.Columns(names)
		if lacks := columns.Lacks(register.Reference, register.Received); lacks != "" {
			return nil, page.Missing("field "+string(lacks), columns.Names()...)
		}
		rows = append(rows, newRow(columns, values))
	}
	return rows, nil
}

func newRow(c register.Columns, cells register.Row) row {
	return row{
		reference:   c.Text(cells, register.Reference),
		received:    c.Text(cells, register.Received),
		address:     c.Text(cells, register.Address),
		description: c.Text(cells, register.Description),
		needsDetail: !c.Has(register.Address, register.Description),
	}
}

// longestHeading is how much of a heading an error has, in bytes. Headings may stand inside each other.
const longestHeading = 100

// readDetail reads the two fields that a list may lack, as they stand: each follows the first heading that contains its name.
func readDetail(page *agent.Page) (address, description string, err error) {
	document, err := page.Document()
	if err != nil {
		return "", "", err
	}
	headings := document.Find("td.headerColumn")
	after := func(name string) (string, error) {
		heading := headings.FilterFunction(func(_ int, s *goquery.Selection) bool { return strings.Contains(s.Text(), name) }).First()
		if heading.Length() == 0 {
			return "", page.Missing("td.headerColumn "+name, headings.Map(func(_ int, s *goquery.Selection) string { return scraperutils.Shortened(s.Text(), longestHeading) })...)
		}
		return scraperutils.Trim(heading.NextFiltered("td, th").Text()), nil
	}
	if address, err = after("Address"); err != nil {
		return "", "", err
	}
	description, err = after("Description")
	return address, description, err
}
