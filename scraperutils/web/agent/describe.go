package agent

import (
	"fmt"
	"iter"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
)

// Part is one kind of thing on a page, with what the page has of it.
type Part struct {
	Kind  string   // title, headings, tables, columns, forms or text
	Texts []string // on one line each, shortened; never empty
}

// String writes the part as an error has it: headings Search | Results.
func (p Part) String() string { return p.Kind + " " + strings.Join(p.Texts, " | ") }

// What a description has of a page at most.
const (
	maxOfKind  = 6  // things of a kind; the last of more says how many
	maxLetters = 60 // letters of each
)

var (
	titleElement  = cascadia.MustCompile("title")
	headings      = cascadia.MustCompile("h1, h2, h3")
	tableElement  = cascadia.MustCompile("table")
	columnHeading = cascadia.MustCompile("th")
)

// Describe says what is on the page, for someone who looks for what is not: its title, its first headings, the ids, classes and
// columns of its tables, its forms with the names of their fields. A page that has none of these is described by how its text begins,
// an empty one by nothing.
func (p *Page) Describe() []Part {
	var all []Part
	if document, err := p.Document(); err == nil {
		all = add(all, "title", textsOf(document.FindMatcher(goquery.SingleMatcher(titleElement))))
		all = add(all, "headings", textsOf(document.FindMatcher(headings)))
		all = add(all, "tables", tableNames(document))
		all = add(all, "columns", textsOf(document.FindMatcher(columnHeading)))
		all = add(all, "forms", p.formNames())
	}
	if len(all) == 0 {
		all = add(all, "text", nonEmpty(oneLine(p.Text)))
	}
	return all
}

// Visible returns what the body of the page says to people, with single spaces: scripts and styles are left out. Of a large page it is
// the beginning, 256 KiB.
func (p *Page) Visible() (string, error) {
	document, err := p.Document()
	if err != nil {
		return "", err
	}
	return visibleText(document), nil
}

func add(all []Part, kind string, texts iter.Seq[string]) []Part {
	part := Part{Kind: kind}
	more := 0
	for text := range texts {
		if len(part.Texts) < maxOfKind {
			part.Texts = append(part.Texts, text)
		} else {
			more++
		}
	}
	if more > 0 {
		part.Texts = append(part.Texts, fmt.Sprintf("and %d more", more))
	}
	if len(part.Texts) == 0 {
		return all
	}
	return append(all, part)
}

func nonEmpty(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if text != "" {
			yield(text)
		}
	}
}

// textsOf yields what elements say, without those that say nothing.
func textsOf(elements *goquery.Selection) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, e := range elements.EachIter() {
			if text := oneLine(e.Text()); text != "" && !yield(text) {
				return
			}
		}
	}
}

// tableNames yields each table as a selector that finds it.
func tableNames(document *goquery.Document) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, table := range document.FindMatcher(tableElement).EachIter() {
			name := "table"
			if id := table.AttrOr("id", ""); id != "" {
				name += "#" + id
			}
			for _, class := range strings.Fields(table.AttrOr("class", "")) {
				name += "." + class
			}
			if !yield(oneLine(name)) {
				return
			}
		}
	}
}

// formNames yields each form with the names of its visible fields.
func (p *Page) formNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		forms, err := p.Forms()
		if err != nil {
			return
		}
		for _, f := range forms {
			name := f.node.AttrOr("id", f.node.AttrOr("name", f.node.AttrOr("action", "")))
			if !yield(oneLine(name + " (" + strings.Join(f.names(), ", ") + ")")) {
				return
			}
		}
	}
}

// oneLine puts a text on one line and cuts it. It looks no further than it needs to.
func oneLine(text string) string {
	const mostBytes = 16 * maxLetters // of white space too
	cut := len(text) > mostBytes
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text[:min(len(text), mostBytes)], "")), " ")
	letters := 0
	for i := range text {
		if letters++; letters > maxLetters {
			return text[:i] + "…"
		}
	}
	if cut {
		text += "…"
	}
	return text
}
