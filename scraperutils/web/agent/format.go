package agent

import "github.com/multiscraper/multiscraper/scraperutils"

// Format is a language that pages are written in, with limits on how much of it is parsed. A parsed page may take a hundred times the
// memory of the page, so a page is counted before it is parsed: each mark, such as a tag, becomes an element or two, and each word may
// become an attribute. The limits are more than ten times what the largest page of the recorded sites has.
//
// Counting looks only at bytes, whatever they are part of. A script or a value that contains them thus counts for more than it is, and no
// page can hide anything.
type Format struct {
	name     string
	maxBytes int
	maxMarks int
	marks    string // what they are called
	maxWords int    // 0 is any number
}

// These are the formats of pages.
var (
	HTML = Format{name: "HTML", maxBytes: 10 << 20, maxMarks: 200_000, marks: "tags", maxWords: 400_000}
	XML  = Format{name: "XML", maxBytes: 16 << 20, maxMarks: 700_000, marks: "tags", maxWords: 1_200_000}
	JSON = Format{name: "JSON", maxBytes: 16 << 20, maxMarks: 500_000, marks: "values"}
)

// check counts what a text of the format has. Its error is a *scraperutils.TooLargeError.
func (f Format) check(text string) error {
	_, err := f.count(text)
	return err
}

// count returns how many marks and words a text has.
func (f Format) count(text string) (int, error) {
	if len(text) > f.maxBytes {
		return 0, f.tooLarge(f.maxBytes>>20, "MiB")
	}
	kinds := &markup
	if f.name == JSON.name {
		kinds = &values
	}
	marks, words := 0, 0
	before := other
	for i := range len(text) {
		kind := kinds[text[i]]
		switch {
		case kind == mark:
			marks++
		case kind == word, kind == space && before != space:
			words++
		}
		before = kind
	}
	switch {
	case marks > f.maxMarks:
		return 0, f.tooLarge(f.maxMarks, f.marks)
	case f.maxWords > 0 && words > f.maxWords:
		return 0, f.tooLarge(f.maxWords, "words and references")
	}
	return marks + words, nil
}

func (f Format) tooLarge(limit int, unit string) error {
	return &scraperutils.TooLargeError{What: "the page, read as " + f.name + ",", Limit: limit, Unit: unit}
}

// byteKind is what a byte may mean to a parser.
type byteKind byte

const (
	other byteKind = iota
	mark           // a tag or value begins
	word           // a reference does
	space          // a run of these stands between words and attributes
)

var (
	markup = [256]byteKind{'<': mark, '&': word, ' ': space, '\t': space, '\n': space, '\f': space, '\r': space, '/': space, '"': space, '\'': space}
	values = [256]byteKind{'{': mark, '[': mark, ',': mark}
)
