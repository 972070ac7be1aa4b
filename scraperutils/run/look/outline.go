package look

import (
	"regexp"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// Outline is what a page is built of, as far as scrapers look for it. Each name is there once, in the order of the page.
type Outline struct {
	Title    string
	Tables   []string // as selectors that find them: table#list.grid
	Columns  []string // headings of their columns
	Forms    []string // as selectors
	Fields   []string // names of their fields, hidden ones included
	Headings []string
	Elements []string // of a document that is no page: names in XML, keys in JSON
}

// Part is one kind of things in an outline.
type Part struct {
	Kind  string
	Names []string
}

// Parts returns the outline by kind, what scrapers depend on most first.
func (o Outline) Parts() []Part {
	return []Part{{"tables", o.Tables}, {"columns", o.Columns}, {"forms", o.Forms}, {"fields", o.Fields}, {"headings", o.Headings}, {"elements", o.Elements}}
}

// Selector returns a selector that finds what a page has: its first table that has a name, or else something that every page has.
func (o Outline) Selector() string {
	for _, name := range slices.Concat(o.Tables, o.Forms) {
		if strings.ContainsAny(name, "#.[") {
			return name
		}
	}
	if len(o.Tables) > 0 {
		return "table"
	}
	return "body *"
}

// OutlineOf returns the outline of a page. That of a page that can't be read as HTML is empty.
func OutlineOf(p *agent.Page) (o Outline) {
	document, err := p.Document()
	if err != nil {
		return o
	}
	if o.Elements = elementsOf(p.Text, document); len(o.Elements) > 0 {
		return o
	}
	o.Title = textOf(document.Find("title").First())
	for _, t := range document.Find("table").EachIter() {
		o.Tables = once(o.Tables, selectorOf(t, "id", "class"))
	}
	for _, h := range document.Find("th").EachIter() {
		o.Columns = once(o.Columns, textOf(h))
	}
	for _, f := range document.Find("form").EachIter() {
		o.Forms = once(o.Forms, formOf(f))
	}
	for _, f := range document.Find("input[name], select[name], textarea[name], button[name]").EachIter() {
		o.Fields = once(o.Fields, f.AttrOr("name", ""))
	}
	for _, h := range document.Find("h1, h2, h3").EachIter() {
		o.Headings = once(o.Headings, textOf(h))
	}
	return o
}

// formOf is a form as a selector: by its id, or else its name, or else its classes.
func formOf(f *goquery.Selection) string {
	for _, attribute := range []string{"id", "name"} {
		if f.AttrOr(attribute, "") != "" {
			return selectorOf(f, attribute)
		}
	}
	return selectorOf(f, "class")
}

// once adds a name, unless it is there or says nothing.
func once(names []string, name string) []string {
	if name == "" || slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// plainName is what a selector can name without quotes.
var plainName = regexp.MustCompile(`^-?[A-Za-z_][-A-Za-z0-9_]*$`)

// selectorOf is a selector that finds an element, by those of its attributes that are given.
func selectorOf(e *goquery.Selection, attributes ...string) string {
	name := goquery.NodeName(e)
	for _, attribute := range attributes {
		value := e.AttrOr(attribute, "")
		switch {
		case value == "":
		case attribute == "id" && plainName.MatchString(value):
			name += "#" + value
		case attribute == "class":
			for _, class := range strings.Fields(value) {
				if plainName.MatchString(class) {
					name += "." + class
				}
			}
		default:
			name += `[` + attribute + `="` + strings.ReplaceAll(value, `"`, `\"`) + `"]`
		}
	}
	return name
}

// mostLetters is how much of a text an outline has.
const mostLetters = 80

func textOf(e *goquery.Selection) string {
	text := strings.Join(strings.Fields(e.Text()), " ")
	if letters := []rune(text); len(letters) > mostLetters {
		return string(letters[:mostLetters]) + "…"
	}
	return text
}
