package tables

import (
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Cell is one cell of a table.
type Cell struct {
	Text string     // trimmed of ASCII white space
	Node *html.Node // nil: there is no such cell
}

// Selection returns the cell as a selection, an empty one where there is no such cell.
func (c Cell) Selection() *goquery.Selection {
	if c.Node == nil {
		return &goquery.Selection{}
	}
	return goquery.NewDocumentFromNode(c.Node).Selection
}

// Row is the cells of one row.
type Row []Cell

// Texts returns the cells' texts.
func (r Row) Texts() []string {
	texts := make([]string, len(r))
	for i, c := range r {
		texts[i] = c.Text
	}
	return texts
}

// Table is a table as it stands on a page: its own rows and cells, not those of tables inside it.
type Table struct {
	Header []string // of the thead, or else of the first row
	Rows   []Row    // the others, those with as many cells as the header
}

// Read reads a table element. Rows with another number of cells than the header (pagers, notes) are passed over.
func Read(table *goquery.Selection) Table {
	head, rows := ownRows(table)
	if head == nil {
		if len(rows) == 0 {
			return Table{}
		}
		head, rows = rows[0], rows[1:]
	}
	rows = slices.DeleteFunc(rows, func(row Row) bool { return len(row) != len(head) })
	return Table{Header: head.Texts(), Rows: rows}
}

// ReadPairs reads a table in which every row is a name and a value.
func ReadPairs(table *goquery.Selection) (names []string, values Row) {
	head, rows := ownRows(table)
	if head != nil {
		rows = append([]Row{head}, rows...)
	}
	for _, row := range rows {
		if len(row) == 2 {
			names, values = append(names, row[0].Text), append(values, row[1])
		}
	}
	return names, values
}

// ownRows returns the heading, or nil, and the rows of the rest. The heading is the last row of the thead, one with th cells
// rather than one without (a thead may hold a row of search boxes too). A tfoot has sums and pagers, no rows.
func ownRows(table *goquery.Selection) (head Row, rows []Row) {
	width := 0 // of the row before
	var walk func(n *html.Node, inHead bool)
	walk = func(n *html.Node, inHead bool) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch {
			case c.Type != html.ElementNode || c.Data == "table":
			case c.Data == "tfoot":
			case c.Data != "tr":
				walk(c, inHead || c.Data == "thead")
			case inHead:
				if row := ownCells(c, width); len(row) > 0 && (row.isHeading() || !head.isHeading()) {
					head = row
				}
			default:
				row := ownCells(c, width)
				rows, width = append(rows, row), len(row)
			}
		}
	}
	for _, n := range table.Nodes {
		walk(n, false)
	}
	return head, rows
}

func (r Row) isHeading() bool {
	return slices.ContainsFunc(r, func(c Cell) bool { return c.Node.Data == "th" })
}

// ownCells returns a row's cells, which are likely to be as many as likely.
func ownCells(tr *html.Node, likely int) Row {
	row := make(Row, 0, likely)
	for c := tr.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && (c.Data == "td" || c.Data == "th") {
			row = append(row, Cell{Text: scraperutils.Trim(textOf(c)), Node: c})
		}
	}
	return row
}

// String is the text of all rows, to tell one page of a list from another.
func (t Table) String() string {
	var b strings.Builder
	for _, row := range t.Rows {
		b.WriteString(strings.Join(row.Texts(), "\x1f"))
		b.WriteByte('\n')
	}
	return b.String()
}

// textOf is all text inside an element.
func textOf(n *html.Node) string {
	if only := n.FirstChild; only != nil && only.NextSibling == nil && only.Type == html.TextNode {
		return only.Data // as in most cells
	}
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.TextNode {
				b.WriteString(c.Data)
			}
			walk(c)
		}
	}
	walk(n)
	return b.String()
}
