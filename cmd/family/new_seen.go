package family

import (
	"fmt"
	"io"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// What is told of a page: so many of a kind, in so many letters each.
const (
	mostTold    = 6
	mostLetters = 60
)

// summary is a page in a few words.
func summary(p *agent.Page) string {
	return fmt.Sprintf("%d %s (%d bytes)", p.Status, scraperutils.ShownURL(p.URL), len(p.Text))
}

// describe tells what is on a page that nothing was understood of, for those who look for another address, platform or option.
func describe(w io.Writer, p *agent.Page) {
	fmt.Fprintf(w, "\nWhat is at %s:\n", scraperutils.ShownURL(p.URL))
	told := false
	tell := func(what string, parts []string) {
		if len(parts) > mostTold {
			parts = append(parts[:mostTold:mostTold], fmt.Sprintf("and %d more", len(parts)-mostTold))
		}
		if len(parts) > 0 {
			fmt.Fprintf(w, "  %-9s %s\n", what, strings.Join(parts, " | "))
			told = true
		}
	}
	if document, err := p.Document(); err == nil {
		tell("title", texts(document.Find("title").First()))
		tell("headings", texts(document.Find("h1, h2, h3")))
		tell("columns", texts(document.Find("th")))
		tell("forms", forms(document))
	}
	if text := strings.Fields(p.Text); !told && len(text) > 0 {
		tell("text", []string{short(strings.Join(text[:min(len(text), mostLetters)], " "))})
	}
	if !told {
		fmt.Fprintln(w, "  nothing")
	}
}

// texts returns what elements say, without those that say nothing.
func texts(elements *goquery.Selection) (all []string) {
	for _, e := range elements.EachIter() {
		if text := short(e.Text()); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// forms returns each form with the names of its visible fields.
func forms(document *goquery.Document) (all []string) {
	for _, f := range document.Find("form").EachIter() {
		var fields []string
		for _, field := range f.Find("input, select, textarea").EachIter() {
			if name := field.AttrOr("name", ""); name != "" && !strings.EqualFold(field.AttrOr("type", ""), "hidden") {
				fields = append(fields, name)
			}
		}
		all = append(all, short(strings.TrimSpace(f.AttrOr("id", f.AttrOr("name", f.AttrOr("action", "")))+" ("+strings.Join(fields, ", ")+")")))
	}
	return all
}

// short puts a text on one line and cuts it.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if letters := []rune(text); len(letters) > mostLetters {
		return string(letters[:mostLetters]) + "…"
	}
	return text
}
