package tables

import (
	"slices"
	"strings"
	"unicode"
)

// Meaning is what a column or label stands for, whatever a site calls it.
type Meaning string

// Vocabulary is the names that sites are known to use for each meaning. Names are folded when they are compared. It may be used by
// any number of goroutines.
type Vocabulary struct {
	byName  map[string]Meaning // folded
	written map[string]Meaning // in lower case
}

// NewVocabulary returns the vocabulary of these names.
func NewVocabulary(names map[Meaning][]string) Vocabulary {
	v := Vocabulary{byName: map[string]Meaning{}, written: map[string]Meaning{}}
	for meaning, all := range names {
		for _, name := range all {
			v.byName[Fold(name)] = meaning
			v.written[strings.ToLower(name)] = meaning
		}
	}
	return v
}

// longestName is how long a name may be, in bytes. What is longer is a page inside a cell, and means nothing.
const longestName = 1 << 10

// Meaning returns what a name means; "" is unknown.
func (v Vocabulary) Meaning(name string) Meaning {
	if len(name) > longestName {
		return ""
	}
	return v.byName[Fold(name)]
}

// First returns which of the names is the first to have a meaning: one that is written like a known name, in any case, before
// one that only folds to it. It is -1 where there is none.
func (v Vocabulary) First(m Meaning, names []string) int {
	i := slices.IndexFunc(names, func(name string) bool { return len(name) <= longestName && v.written[strings.ToLower(name)] == m })
	if i < 0 {
		i = slices.IndexFunc(names, func(name string) bool { return v.Meaning(name) == m })
	}
	return i
}

// Columns is where each meaning stands in a table.
type Columns struct {
	index    map[Meaning]int
	headings []string
}

// Columns finds the columns by their headings. Unknown ones are passed over; of two with one meaning, the one further
// right counts.
func (v Vocabulary) Columns(headings []string) Columns {
	c := Columns{index: map[Meaning]int{}, headings: headings}
	for i, heading := range headings {
		if m := v.Meaning(heading); m != "" {
			c.index[m] = i
		}
	}
	return c
}

// Has reports whether there is a column of each meaning.
func (c Columns) Has(meanings ...Meaning) bool { return c.Lacks(meanings...) == "" }

// Lacks returns the first of the meanings that has no column, or "".
func (c Columns) Lacks(meanings ...Meaning) Meaning {
	i := slices.IndexFunc(meanings, func(m Meaning) bool { _, ok := c.index[m]; return !ok })
	if i < 0 {
		return ""
	}
	return meanings[i]
}

// Of returns a row's cell in the column of a meaning.
func (c Columns) Of(row Row, m Meaning) (Cell, bool) {
	i, ok := c.index[m]
	if !ok || i >= len(row) {
		return Cell{}, false
	}
	return row[i], true
}

// Text returns the text of that cell, or "".
func (c Columns) Text(row Row, m Meaning) string {
	cell, _ := c.Of(row, m)
	return cell.Text
}

// Names returns the headings as they stand, those that say something.
func (c Columns) Names() []string {
	return slices.DeleteFunc(slices.Clone(c.headings), func(h string) bool { return strings.TrimSpace(h) == "" })
}

// Fold reduces a name to what it means: letters and digits in lower case, single spaces for anything between them.
func Fold(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
