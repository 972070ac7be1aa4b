package tables

import (
	"strings"

	"github.com/andybalholm/cascadia"

	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
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
	l := likeliest{known: -1}
	for _, node := range document.FindMatcher(tableElement).EachIter() {
		table := Read(node)
		if columns := words.Columns(table.Header); l.has(columns, needed) {
			return Found{Table: table, Columns: columns}, nil
		}
	}
	return Found{}, l.missing(page, "column", needed)
}

// likeliest is the table that has most of what is needed, while none has all of it.
type likeliest struct {
	columns Columns
	known   int // of the meanings that are needed; -1: there is no table
}

// has reports whether columns have all of the meanings.
func (l *likeliest) has(columns Columns, needed []Meaning) bool {
	known := 0
	for _, m := range needed {
		if columns.Has(m) {
			known++
		}
	}
	if known > l.known {
		l.columns, l.known = columns, known
	}
	return known == len(needed)
}

// missing returns the error for a page without a table that has all of it.
func (l *likeliest) missing(page *agent.Page, what string, needed []Meaning) error {
	if l.known < 0 {
		texts := make([]string, len(needed))
		for i, m := range needed {
			texts[i] = string(m)
		}
		return page.Missing("table with " + strings.Join(texts, ", "))
	}
	return page.Missing(what+" "+string(l.columns.Lacks(needed...)), l.columns.Names()...)
}

// Pairs is a table of names and values, one pair in a row, with what its names mean.
type Pairs struct {
	columns Columns
	values  Row
}

// Text returns the text of the value that has a meaning, or "".
func (p Pairs) Text(m Meaning) string { return p.columns.Text(p.values, m) }

// Of returns the value that has a meaning.
func (p Pairs) Of(m Meaning) (Cell, bool) { return p.columns.Of(p.values, m) }

// Names returns the names as they stand.
func (p Pairs) Names() []string { return p.columns.Names() }

// FindPairs returns the first table of a page that has a name and a value of each meaning, one pair in a row, as pages about one thing
// have them. Where there is none, the error is that of Find.
func FindPairs(page *agent.Page, words Vocabulary, needed ...Meaning) (Pairs, error) {
	document, err := page.Document()
	if err != nil {
		return Pairs{}, err
	}
	l := likeliest{known: -1}
	for _, node := range document.FindMatcher(tableElement).EachIter() {
		names, values := ReadPairs(node)
		if columns := words.Columns(names); l.has(columns, needed) {
			return Pairs{columns: columns, values: values}, nil
		}
	}
	return Pairs{}, l.missing(page, "name", needed)
}
