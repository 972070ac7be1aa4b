package tables

import (
	"strings"

	"github.com/andybalholm/cascadia"

	"github.com/multiscraper/multiscraper/scraperutils/agent"
)

// Found is a table with what its columns mean.
type Found struct {
	Table
	Columns
}

var tableElement = cascadia.MustCompile("table")

// Find returns the first table of a page that has a column of each meaning. It may have no rows. Where there is none, the error is a
// *scraperutils.LayoutError that names the first meaning that the likeliest table lacks, and the columns that it has.
func Find(page *agent.Page, words Vocabulary, needed ...Meaning) (Found, error) {
	document, err := page.Document()
	if err != nil {
		return Found{}, err
	}
	var likeliest *Columns
	most := -1
	for _, node := range document.FindMatcher(tableElement).EachIter() {
		table := Read(node)
		columns := words.Columns(table.Header)
		known := columns.count(needed)
		if known == len(needed) {
			return Found{Table: table, Columns: columns}, nil
		}
		if known > most {
			likeliest, most = &columns, known
		}
	}
	if likeliest == nil {
		return Found{}, page.Missing("table with the columns " + joined(needed))
	}
	return Found{}, page.Missing("column "+string(likeliest.Lacks(needed...)), likeliest.Names()...)
}

func (c Columns) count(meanings []Meaning) int {
	n := 0
	for _, m := range meanings {
		if c.Has(m) {
			n++
		}
	}
	return n
}

func joined(meanings []Meaning) string {
	texts := make([]string, len(meanings))
	for i, m := range meanings {
		texts[i] = string(m)
	}
	return strings.Join(texts, ", ")
}
