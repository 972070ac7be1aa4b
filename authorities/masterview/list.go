package masterview

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// What a list has besides the usual.
const (
	link    register.Meaning = "link"
	details register.Meaning = "details" // address and description in one cell
)

var vocabulary = register.NewVocabulary(map[register.Meaning][]string{
	link:               {"Link", "Show", ""},
	register.Reference: {"Application", "Number", "App No"},
	register.Received:  {"Submitted", "Date Lodged"},
	details:            {"Details", "Address/Details", "Description", "Property/Application Details"},
	register.Address:   {"Address"},
})

// row is an application as the list has it.
type row struct {
	link   string
	fields fields
	err    error // it can't be read; why
}

// lists is where the list may stand, what is surest first.
var lists = []cascadia.Selector{
	cascadia.MustCompile("table.rgMasterTable"),
	cascadia.MustCompile("table table"),
	cascadia.MustCompile("#ctl03_lblData table"),
}

// readList reads a page of the list. The first table with fitting columns is it; where none fits, the error is about the
// first one.
func readList(page *agent.Page) ([]row, error) {
	document, err := page.Document()
	if err != nil {
		return nil, err
	}
	if err := serverError(page, document); err != nil {
		return nil, err
	}
	var missing error
	for _, where := range lists {
		for _, node := range document.FindMatcher(where).EachIter() {
			table := register.ReadTable(node)
			columns := vocabulary.Columns(table.Header)
			lacks := lacksColumn(columns)
			if lacks == "" {
				return readRows(columns, table.Rows), nil
			}
			if missing == nil {
				missing = page.Missing("column "+string(lacks), columns.Names()...)
			}
		}
	}
	if missing == nil {
		missing = page.Missing("table.rgMasterTable")
	}
	return nil, missing
}

// lacksColumn names what a list can't do without, or "". A detail page has all but the way to itself; a table with that way
// alone is no list, for a heading that says nothing counts as one.
func lacksColumn(c register.Columns) register.Meaning {
	if !c.Has(link) {
		return link
	}
	for _, m := range []register.Meaning{register.Reference, register.Received, details, register.Address} {
		if c.Has(m) {
			return ""
		}
	}
	return register.Reference
}

func readRows(c register.Columns, rows []register.Row) []row {
	var all []row
	for _, cells := range rows {
		all = append(all, readRow(c, cells))
	}
	return all
}

func readRow(c register.Columns, cells register.Row) row {
	r := row{fields: fields{}}
	for _, m := range []register.Meaning{register.Reference, register.Received, register.Address} {
		if cell, ok := c.Of(cells, m); ok {
			r.fields[m] = cell.Text
		}
	}
	if cell, ok := c.Of(cells, details); ok {
		r.err = readDetails(cell, r.fields)
	} else if reference, description, ok := strings.Cut(r.fields[register.Reference], "-"); ok {
		r.fields[register.Reference] = scraperutils.Trim(reference)
		r.fields[register.Description] = scraperutils.Trim(description)
	}
	if address, ok := r.fields[register.Address]; ok {
		r.fields[register.Address] = oneLine(address)
	}
	if r.link = linkIn(c, cells); r.link == "" && r.err == nil {
		r.err = &scraperutils.UnprocessableRecord{Reason: "its row has no link"}
	}
	return r
}

var (
	anchor  = cascadia.MustCompile("a[href]")
	nowhere = regexp.MustCompile(`(?i)^\s*(?:$|#|[a-z]+script:|mailto:|tel:)`)
)

// linkIn returns the link in the link column. A column without heading counts as one and may be empty: then it is the first
// link in the row.
func linkIn(c register.Columns, cells register.Row) string {
	cell, _ := c.Of(cells, link)
	for _, cell := range append(register.Row{cell}, cells...) {
		for _, a := range cell.Selection().FindMatcher(anchor).EachIter() {
			if href := a.AttrOr("href", ""); !nowhere.MatchString(href) {
				return href
			}
		}
	}
	return ""
}

var (
	notDetails       = regexp.MustCompile(`(?i)^(?:applicant|status)\s*:`)
	descriptionLabel = regexp.MustCompile(`(?i)^description\s*:\s*`)
)

// readDetails reads the cell in which address and description stand one below the other.
func readDetails(cell register.Cell, f fields) error {
	lines := slices.DeleteFunc(readLines(cell.Selection()), notDetails.MatchString)
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var address, description string
	switch n := len(lines); n {
	case 0:
	case 1:
		description = lines[0]
	case 2, 3:
		address, description = register.SingleSpaces(lines[0]), lines[n-1]
	default:
		return &scraperutils.UnprocessableRecord{Reason: fmt.Sprintf("its details have %d lines: expected at most 3 (%q)", n, lines[:min(n, 10)])}
	}
	f[register.Description] = descriptionLabel.ReplaceAllString(description, "")
	if len(lines) != 1 && f[register.Address] == "" {
		f[register.Address] = address
	}
	return nil
}

var (
	controlContent = cascadia.MustCompile("div.ControlContent")
	unexpected     = regexp.MustCompile(`(?i)an unexpected error has occurr?ed\.?`)
)

// serverError is what the server says about itself, or nil.
func serverError(page *agent.Page, document *goquery.Document) error {
	if says := unexpected.FindString(document.FindMatcher(controlContent).Text()); says != "" {
		return &ServerError{URL: scraperutils.ShownURL(page.URL), Says: says}
	}
	return nil
}
