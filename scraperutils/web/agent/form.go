package agent

import (
	"regexp"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Form is a form on a page. It holds the values that it has there, until they are changed.
type Form struct {
	page   *Page
	node   *goquery.Selection
	fields []*Field // in the order of the page, those without a name too
}

// Field is a control of a form.
type Field struct {
	Name    string
	Type    string // of an input or button, in lowercase; or "select" or "textarea"
	Value   string // the value that the form sends
	Label   string // the text on a button
	Checked bool   // of a radio or checkbox
	Node    *goquery.Selection

	more     []string // further values of a multiple select
	disabled bool
}

// IsButton reports whether the field is a button. A form sends a button only if it is pressed.
func (f *Field) IsButton() bool {
	return slices.Contains([]string{"submit", "image", "button", "reset"}, f.Type)
}

// Forms returns the forms of the page in order.
func (p *Page) Forms() ([]*Form, error) {
	document, err := p.Document()
	if err != nil {
		return nil, err
	}
	r := formReader{page: p, byID: map[string]*Form{}}
	for _, n := range document.Nodes {
		r.walk(n, nil, false)
	}
	return r.forms, nil
}

// formReader gathers the forms of a page on one way through it.
type formReader struct {
	page  *Page
	forms []*Form
	byID  map[string]*Form

	// A form that begins between the parts of a table is closed by the parser at once; what follows is still its own.
	closedEarly *Form
}

// walk reads what is below a node: within a form, or nil, and within a fieldset that is disabled or not.
func (r *formReader) walk(n *html.Node, within *Form, disabled bool) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		form, off := within, disabled
		if c.Type == html.ElementNode {
			switch c.Data {
			case "form":
				form = r.begin(c)
			case "fieldset":
				off = off || has(c, "disabled")
			case "input", "select", "textarea", "button":
				r.add(c, within, disabled)
			}
		}
		r.walk(c, form, off)
	}
}

func (r *formReader) begin(n *html.Node) *Form {
	form := &Form{page: r.page, node: goquery.NewDocumentFromNode(n).Selection}
	r.forms = append(r.forms, form)
	r.byID[form.node.AttrOr("id", "")] = form
	r.closedEarly = nil
	if form.node.Children().Length() == 0 {
		r.closedEarly = form
	}
	return form
}

func (r *formReader) add(n *html.Node, within *Form, disabled bool) {
	s := goquery.NewDocumentFromNode(n).Selection
	owner := r.closedEarly
	if id, ok := s.Attr("form"); ok {
		owner = r.byID[id]
	} else if within != nil {
		owner = within
	}
	if owner != nil {
		owner.fields = append(owner.fields, newField(s, disabled))
	}
}

func has(n *html.Node, attribute string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == attribute })
}

// Form returns the first form that matches a CSS selector.
func (p *Page) Form(selector string) (*Form, error) {
	forms, err := p.Forms()
	if err != nil {
		return nil, err
	}
	var others []string
	for _, f := range forms {
		if f.node.Is(selector) {
			return f, nil
		}
		others = append(others, "form#"+f.node.AttrOr("id", f.node.AttrOr("name", "")))
	}
	return nil, p.Missing("form "+selector, others...)
}

func newField(s *goquery.Selection, disabled bool) *Field {
	f := &Field{Name: s.AttrOr("name", ""), Type: goquery.NodeName(s), Node: s, disabled: disabled || has(s.Get(0), "disabled")}
	value, hasValue := s.Attr("value")
	switch f.Type {
	case "select":
		f.readOptions()
	case "textarea":
		f.Value = s.Text()
	case "button":
		f.Type, f.Value, f.Label = strings.ToLower(s.AttrOr("type", "submit")), value, s.Text()
	default:
		f.Type, f.Value = strings.ToLower(s.AttrOr("type", "text")), value
		f.Label = s.AttrOr("alt", value)
		if f.isChoice() {
			_, f.Checked = s.Attr("checked")
			if !hasValue {
				f.Value = "on"
			}
		}
	}
	return f
}

var option, isSelected = cascadia.MustCompile("option"), cascadia.MustCompile("[selected]")

func (f *Field) readOptions() {
	options := f.Node.FindMatcher(option)
	_, multiple := f.Node.Attr("multiple")
	selected := options.FilterMatcher(isSelected)
	switch {
	case multiple:
	case selected.Length() > 0:
		selected = selected.Last()
	default:
		selected = options.First()
	}
	var values []string
	selected.Each(func(_ int, o *goquery.Selection) {
		values = append(values, optionValue(o))
	})
	if len(values) == 0 {
		f.disabled = true // nothing to send
		return
	}
	f.Value, f.more = values[0], values[1:]
}

// Fields returns the form's controls in order.
func (f *Form) Fields() []*Field { return f.fields }

// Field returns the first field with a name, or nil.
func (f *Form) Field(name string) *Field {
	return f.find(func(field *Field) bool { return field.Name == name })
}

// Match returns the first field that is not a button and whose name matches, or nil.
func (f *Form) Match(name *regexp.Regexp) *Field {
	return f.find(func(field *Field) bool { return !field.IsButton() && name.MatchString(field.Name) })
}

// Button returns the first button whose label or value contains one of the words, or nil. Earlier words are preferred.
func (f *Form) Button(words ...string) *Field {
	for _, word := range words {
		says := func(field *Field) bool {
			return strings.Contains(field.Label, word) || strings.Contains(field.Value, word)
		}
		if b := f.find(func(field *Field) bool { return field.IsButton() && says(field) }); b != nil {
			return b
		}
	}
	return nil
}

func (f *Form) find(is func(*Field) bool) *Field {
	if i := slices.IndexFunc(f.fields, is); i >= 0 {
		return f.fields[i]
	}
	return nil
}

// Set sets the first field with a name, or adds a hidden one, as a page's script does. For what a person types or picks, see Fill.
func (f *Form) Set(name, value string) {
	if field := f.Field(name); field != nil {
		field.Value, field.more, field.disabled = value, nil, false
		return
	}
	f.fields = append(f.fields, &Field{Name: name, Type: "hidden", Value: value})
}

// Choose checks a checkbox, or selects a radio button instead of the others with its name.
func (f *Form) Choose(choice *Field) {
	if choice.Type == "radio" {
		for _, field := range f.fields {
			if field.Type == "radio" && field.Name == choice.Name {
				field.Checked = false
			}
		}
	}
	choice.Checked = true
}

// Values returns what the form sends when a button is pressed, or without a button. It sends every named field that is not disabled, but
// no unchecked choice and no other button. Values are exactly as they stand.
func (f *Form) Values(pressed *Field) Values {
	var values Values
	for _, field := range f.fields {
		switch {
		case field.disabled || field.isChoice() && !field.Checked || field.IsButton() && field != pressed:
		case field.Type == "image":
			prefix := field.Name
			if prefix != "" {
				prefix += "."
			}
			values = append(values, Value{prefix + "x", "0"}, Value{prefix + "y", "0"})
		case field.Name != "":
			values = append(values, Value{field.Name, field.Value})
			for _, more := range field.more {
				values = append(values, Value{field.Name, more})
			}
		}
	}
	return values
}

// Missing returns the error for something that a form lacks. It names the fields that the form has.
func (f *Form) Missing(what string) error { return f.page.Missing(what, f.names()...) }

// names returns what a person sees of the form: the names of its fields, and what stands on its buttons.
func (f *Form) names() []string {
	var names []string
	for _, field := range f.fields {
		if label := scraperutils.Trim(field.Label); field.IsButton() && label != "" {
			names = append(names, "button "+label)
		} else if field.Name != "" && field.Type != "hidden" {
			names = append(names, field.Name)
		}
	}
	return names
}
