package viewer

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/look"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// View writes what is on the pages of a tape.
type View struct {
	Out  io.Writer
	Tape *look.Tape
	HTML bool // elements are written whole, as HTML
}

// List writes a line for each exchange.
func (v *View) List() {
	for _, e := range v.Tape.Exchanges() {
		fmt.Fprintln(v.Out, exchangeLine(e))
	}
	if missing, truncated := v.Tape.Missing(); missing > 0 {
		fmt.Fprintf(v.Out, "     %s missing: the recorder had no room for them\n", scraperutils.Count(missing, "exchange"))
	} else if truncated {
		fmt.Fprintln(v.Out, "     the bodies of some are missing: the recorder had no room for them")
	}
}

func exchangeLine(e look.Exchange) string {
	status, what := fmt.Sprint(e.Status), ""
	page, err := e.Page()
	switch {
	case e.Failure != "":
		status, what = "-", e.Failure
	case e.Location != "":
		what = "to " + e.Location
	case err != nil:
		what = err.Error()
	default:
		what = strings.TrimSpace(fmt.Sprintf("%s %s", size(len(page.Text)), look.OutlineOf(page).Title))
	}
	if e.Superseded {
		what += " (asked for again)"
	}
	return fmt.Sprintf("%4d  %-3s  %-4s %s  %s", e.Number, status, e.Method, e.URL, short(what, 100))
}

func size(bytes int) string {
	if bytes < 10_000 {
		return scraperutils.Count(bytes, "byte")
	}
	return scraperutils.Digits(bytes/1000) + " kB"
}

// Outline writes what the page of an exchange is built of, and returns a selector that finds something of it.
func (v *View) Outline(e look.Exchange) (selector string, err error) {
	page, err := e.Page()
	if err != nil {
		return "", err
	}
	v.outline(fmt.Sprintf("page %d", e.Number), page)
	return look.OutlineOf(page).Selector(), nil
}

// mostNames is how many things of a kind an outline shows.
const mostNames = 12

func (v *View) outline(name string, page *agent.Page) {
	fmt.Fprintf(v.Out, "%s: %d %s\n", name, page.Status, scraperutils.ShownURL(page.URL))
	outline := look.OutlineOf(page)
	parts := append([]look.Part{{Kind: "title", Names: []string{outline.Title}}}, outline.Parts()...)
	nothing := true
	for _, part := range parts {
		if names := shown(part.Names); names != "" {
			fmt.Fprintf(v.Out, "  %-9s %s\n", part.Kind, names)
			nothing = false
		}
	}
	if nothing {
		fmt.Fprintf(v.Out, "  %-9s %s\n", "text", cmp.Or(short(page.Text, 300), "nothing"))
	}
}

// shown is a list of names, cut.
func shown(names []string) string {
	if more := len(names) - mostNames; more > 0 {
		names = append(names[:mostNames:mostNames], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, " | ")
}

// mostFound is how many elements are written; the rest are counted.
const mostFound = 50

// Find writes what a selector finds on some pages. It reports whether that is anything.
func (v *View) Find(s look.Selector, on ...look.Exchange) (found bool, err error) {
	for _, e := range on {
		page, err := e.Page()
		if err != nil {
			return found, err
		}
		all, err := look.Find(page, s)
		if err != nil {
			return found, err
		}
		if len(all) == 0 {
			continue
		}
		found = true
		fmt.Fprintf(v.Out, "page %d: %s\n", e.Number, scraperutils.Count(len(all), "match", "matches"))
		v.write(all)
	}
	if !found {
		fmt.Fprintf(v.Out, "%s finds nothing on %s\n", s, pages(on))
	}
	return found, nil
}

func (v *View) write(all []look.Found) {
	for i, f := range all {
		switch {
		case v.HTML:
			fmt.Fprintln(v.Out, f.HTML)
		case i == mostFound:
			fmt.Fprintf(v.Out, "  and %d more\n", len(all)-i)
			return
		default:
			fmt.Fprintf(v.Out, "  %s\n", strings.TrimSpace(short(f.Tag, 120)+" "+short(f.Text, 200)))
		}
	}
}

// pages names some exchanges.
func pages(all []look.Exchange) string {
	var numbers []string
	for _, e := range all {
		numbers = append(numbers, fmt.Sprint(e.Number))
	}
	switch len(numbers) {
	case 0:
		return "any page: there is none"
	case 1:
		return "page " + numbers[0]
	}
	return "pages " + strings.Join(numbers, ", ")
}

// Differ writes how the tape differs from a good one, and returns the first page that does, or nil.
func (v *View) Differ(good *look.Tape) *look.Difference {
	d := look.Differ(v.Tape, good)
	if d == nil {
		fmt.Fprintln(v.Out, "No page differs from the good recording in its tables, columns, forms, fields or headings.")
		return nil
	}
	fmt.Fprintf(v.Out, "The first page that differs is page %d: %s %s\n", d.Page.Number, d.Page.Method, d.Page.URL)
	if d.Good.Number > 0 {
		fmt.Fprintf(v.Out, "(in the good recording it is page %d)\n", d.Good.Number)
	}
	if d.Why != "" {
		fmt.Fprintf(v.Out, "  %s\n", d.Why)
	}
	for _, c := range d.Parts {
		if len(c.Gone) > 0 {
			fmt.Fprintf(v.Out, "  %-9s gone: %s\n", c.Kind, shown(c.Gone))
		}
		if len(c.New) > 0 {
			fmt.Fprintf(v.Out, "  %-9s new:  %s\n", c.Kind, shown(c.New))
		}
	}
	return d
}

// short is a text on one line, cut.
func short(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return text
}
