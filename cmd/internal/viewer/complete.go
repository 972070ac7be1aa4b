package viewer

import (
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils/run/look"
)

// Complete returns a line with as many letters more as are certain, and a space where it is whole.
func (s *Shell) Complete(line string) string {
	word, argument, more := strings.Cut(line, " ")
	if !more {
		var names []string
		for _, c := range commands() {
			names = append(names, c.name+" ")
		}
		return longest(word, names)
	}
	c, err := find(word)
	if err != nil || c.words == nil {
		return line
	}
	return word + " " + longest(argument, c.words(s))
}

// longest is what all of these words that begin so have in common.
func longest(begin string, words []string) string {
	words = slices.DeleteFunc(words, func(w string) bool { return !strings.HasPrefix(w, begin) })
	if len(words) == 0 {
		return begin
	}
	common := words[0]
	for _, w := range words[1:] {
		for !strings.HasPrefix(w, common) {
			common = common[:len(common)-1]
		}
	}
	return strings.ToValidUTF8(common, "")
}

// selectors, links, fields and buttons return what there is on the page.
func (s *Shell) selectors() (all []string) {
	if s.page != nil {
		o := look.OutlineOf(s.page)
		all = append(o.Tables, o.Forms...)
	}
	return all
}

func (s *Shell) links() (all []string) {
	if s.page == nil {
		return nil
	}
	found, err := look.Find(s.page, look.Selector{CSS: "a[href]"})
	if err != nil {
		return nil
	}
	for _, f := range found {
		if f.Text != "" {
			all = append(all, f.Text)
		}
	}
	return all
}

func (s *Shell) fields() (all []string) {
	for _, form := range s.forms {
		for _, f := range form.Fields() {
			if f.Name != "" && f.Type != "hidden" && !f.IsButton() {
				all = append(all, f.Name+" ")
			}
		}
	}
	return all
}

func (s *Shell) buttons() (all []string) {
	for _, form := range s.forms {
		for _, f := range form.Fields() {
			if f.IsButton() && labelOf(f) != "" {
				all = append(all, labelOf(f))
			}
		}
	}
	return all
}
