package horizon

import (
	"strconv"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// A council's rows come in one of two forms. The first is told by its reference.
var (
	accounts = register.NewVocabulary(map[register.Meaning][]string{
		register.Reference: {"AccountNumber"}, register.Address: {"Property"}, register.Description: {"Description"}, register.Received: {"Lodged"},
	})
	entries = register.NewVocabulary(map[register.Meaning][]string{
		register.Reference: {"EntryAccount"}, register.Address: {"PropertyDescription"}, register.Description: {"Details"}, register.Received: {"Lodged"},
	})
)

// answer is one page of rows.
type answer struct {
	total int // of all pages
	rows  []row
}

// row is an application as the answer has it.
type row struct{ reference, address, description, lodged string }

var pathToDataset = []string{"run_query_action_return", "run_query_action_success", "dataset"}

// readAnswer reads the rows and how many there are in all.
func readAnswer(page *agent.Page) (answer, error) {
	e, err := register.ReadXML(page, "root")
	if err != nil {
		return answer{}, err
	}
	for _, name := range pathToDataset {
		child := e.Child(name)
		if child == nil {
			return answer{}, page.Missing(name+" in "+e.Name, names(e)...)
		}
		e = child
	}
	text, ok := e.ChildText("total")
	total, err := strconv.Atoi(scraperutils.Trim(text))
	if err != nil {
		if !ok {
			return answer{}, page.Missing("total in dataset", names(e)...)
		}
		return answer{}, page.Missing("number in total", text)
	}
	rows, err := readRows(page, e)
	return answer{total: total, rows: rows}, err
}

// readRows reads the rows of a dataset. What one row lacks is blank; what all of them lack is missing from the page.
func readRows(page *agent.Page, dataset *register.Element) ([]row, error) {
	var rows []row
	needed := []register.Meaning{register.Reference, register.Address, register.Description}
	has := map[register.Meaning]bool{}
	var first *register.Element
	for _, e := range dataset.Children {
		if e.Name != "row" {
			continue
		}
		if first == nil {
			first = e
		}
		columns, values := readRow(e)
		for _, m := range needed {
			has[m] = has[m] || columns.Has(m)
		}
		rows = append(rows, row{
			reference:   columns.Text(values, register.Reference),
			address:     columns.Text(values, register.Address),
			description: columns.Text(values, register.Description),
			lodged:      columns.Text(values, register.Received),
		})
	}
	for _, m := range needed {
		if len(rows) > 0 && !has[m] {
			return nil, page.Missing("column "+string(m), names(first)...)
		}
	}
	return rows, nil
}

// readRow finds the columns of a row by the form that it has. Its values stand in attributes.
func readRow(e *register.Element) (register.Columns, register.Row) {
	var values register.Row
	for _, c := range e.Children {
		values = append(values, register.Cell{Text: scraperutils.Trim(c.Attribute("org_value"))})
	}
	headings := names(e)
	columns := accounts.Columns(headings)
	if !columns.Has(register.Reference) {
		columns = entries.Columns(headings)
	}
	return columns, values
}

func names(e *register.Element) []string {
	var all []string
	for _, c := range e.Children {
		all = append(all, c.Name)
	}
	return all
}
