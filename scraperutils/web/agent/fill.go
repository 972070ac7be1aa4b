package agent

import (
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// Fill does what a person does with a field: types into it, picks an option of a select by its value or its text, or picks one of
// the radio buttons and checkboxes of a name by its value. A field, an option or a choice that is not there is a
// *scraperutils.LayoutError that names those that are.
func (f *Form) Fill(name, value string) error {
	field := f.find(func(field *Field) bool { return field.Name == name && !field.IsButton() })
	switch {
	case field == nil:
		return f.Missing("field " + name)
	case field.Type == "select":
		return f.pick(field, value)
	case field.isChoice():
		return f.tick(name, value)
	}
	field.Value, field.disabled = value, false
	return nil
}

// pick selects an option.
func (f *Form) pick(field *Field, value string) error {
	var texts []string
	options := field.Node.FindMatcher(option)
	for _, says := range []func(*goquery.Selection) string{optionValue, optionText} {
		for _, o := range options.EachIter() {
			if says(o) == value {
				field.Value, field.more, field.disabled = optionValue(o), nil, false
				return nil
			}
		}
	}
	for _, o := range options.EachIter() {
		texts = append(texts, optionText(o))
	}
	return f.page.Missing("option "+value+" of field "+field.Name, texts...)
}

// tick chooses one of the radio buttons or checkboxes of a name.
func (f *Form) tick(name, value string) error {
	var values []string
	for _, choice := range f.fields {
		if choice.Name != name || !choice.isChoice() {
			continue
		}
		if choice.Value == value {
			f.Choose(choice)
			return nil
		}
		values = append(values, choice.Value)
	}
	return f.page.Missing("choice "+value+" of field "+name, values...)
}

// Press returns the button whose label or value has one of the words, for Submit. Where there is none, the error is a
// *scraperutils.LayoutError that names the fields and buttons of the form.
func (f *Form) Press(words ...string) (*Field, error) {
	if b := f.Button(words...); b != nil {
		return b, nil
	}
	return nil, f.Missing("button " + strings.Join(words, " or "))
}

func (f *Field) isChoice() bool { return slices.Contains([]string{"radio", "checkbox"}, f.Type) }

func optionText(o *goquery.Selection) string { return strings.Join(strings.Fields(o.Text()), " ") }

func optionValue(o *goquery.Selection) string {
	if value, ok := o.Attr("value"); ok {
		return value
	}
	return optionText(o)
}
