package epathway

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/andybalholm/cascadia"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

var (
	links     = cascadia.MustCompile("a[href]")
	pageLabel = cascadia.MustCompile("#ctl00_MainBodyContent_mPagingControl_pageNumberLabel")
	pageOf    = regexp.MustCompile(`(?i)page\s+\d+\s+of\s+(\d+)`)
)

// row is an application as the list has it.
type row struct {
	reference, description, received string
	place, suburb                    string           // of which listAddress makes an address
	link                             string           // to its detail page, or ""
	lacks                            register.Meaning // a column that the list does not have and the detail page may, or ""
}

// readList reads a page of the list. A page without the table has no rows.
func readList(page *agent.Page) ([]row, error) {
	document, err := page.Document()
	if err != nil {
		return nil, err
	}
	table := document.FindMatcher(panels).First()
	if table.Length() == 0 {
		return nil, nil
	}
	p := readPanel(table)
	has := columns.Columns(p.headings)
	lacks := has.Lacks(register.Reference, register.Address, register.Description)
	received := dateColumn(has)
	if received == "" && lacks == "" {
		lacks = register.Received
	}
	var rows []row
	linked := false
	for _, c := range p.rows {
		r := row{
			reference: has.Text(c, register.Reference), description: has.Text(c, register.Description), received: has.Text(c, received),
			place: has.Text(c, register.Address), suburb: has.Text(c, suburb), link: linkOf(c), lacks: lacks,
		}
		linked = linked || r.link != ""
		rows = append(rows, r)
	}
	if lacks != "" && len(rows) > 0 && !linked {
		return nil, page.Missing("column "+string(lacks), has.Names()...)
	}
	return rows, nil
}

// dateColumn is the column of the date: that of lodgement where there is no other.
func dateColumn(c register.Columns) register.Meaning {
	for _, m := range []register.Meaning{register.Received, lodged} {
		if c.Has(m) {
			return m
		}
	}
	return ""
}

// linkOf is where the row's first link leads that is no script.
func linkOf(r register.Row) string {
	for _, cell := range r {
		for _, a := range cell.Selection().FindMatcher(links).EachIter() {
			href := scraperutils.Trim(a.AttrOr("href", ""))
			if href != "" && href[0] != '#' && !strings.HasPrefix(strings.ToLower(href), "javascript:") {
				return href
			}
		}
	}
	return ""
}

// readPageCount is how many pages the list says it has; one, where it does not say.
func readPageCount(page *agent.Page) (int, error) {
	document, err := page.Document()
	if err != nil {
		return 0, err
	}
	label := document.FindMatcher(pageLabel)
	if label.Length() == 0 {
		return 1, nil
	}
	m := pageOf.FindStringSubmatch(label.Text())
	if m == nil {
		return 0, page.Missing("Page 1 of N", scraperutils.Trim(label.Text()))
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0, page.Missing("Page 1 of N", m[0])
	}
	return n, nil
}
