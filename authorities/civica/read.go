package civica

import (
	"fmt"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// row is an application as the list has it.
type row struct {
	address string
	link    string // to the detail page; "" where there is none
	columns register.Columns
	values  register.Row
}

func (r row) text(m register.Meaning) string { return r.columns.Text(r.values, m) }

func (r row) description() string {
	if !r.columns.Has(register.Description) {
		return "No description provided"
	}
	return r.text(register.Description)
}

var (
	bodyPanel = cascadia.MustCompile("div.bodypanel")

	headings = cascadia.MustCompile("h4, h2")
	links    = cascadia.MustCompile("a[href]")
	lines    = cascadia.MustCompile("p")
	keys     = cascadia.MustCompile("span.key")
	fields   = cascadia.MustCompile("span.inputField")
)

// maxLines is how many lines a list may have, those counted again that stand inside several rows.
const maxLines = 200_000

// readList reads the list: each heading is an address, and what follows it the application's other values.
func readList(page *agent.Page) ([]row, error) {
	document, err := page.Document()
	if err != nil {
		return nil, err
	}
	results := afterPanel(document)
	if results.Length() == 0 {
		return nil, page.Missing("div after div.bodypanel")
	}
	var (
		rows   []row
		names  []string // of all rows
		found  bool     // one of them has a reference
		looked int      // at lines
	)
	for _, heading := range results.FindMatcher(headings).EachIter() {
		block := heading.Next().FindMatcher(lines)
		if looked += block.Length(); looked > maxLines {
			return nil, fmt.Errorf("%s: %w", scraperutils.ShownURL(page.URL), &scraperutils.TooLargeError{What: "the list", Limit: maxLines, Unit: "lines"})
		}
		r := newRow(heading, block)
		if r.link == "" && len(r.values) == 0 {
			continue // a heading of the page
		}
		rows = append(rows, r)
		names = append(names, r.columns.Names()...)
		found = found || r.columns.Has(register.Reference)
	}
	if len(rows) > 0 && !found {
		slices.Sort(names)
		return nil, page.Missing("span.key "+string(register.Reference), slices.Compact(names)...)
	}
	return rows, nil
}

// afterPanel returns the first div that stands behind a div.bodypanel in the same element: div.bodypanel ~ div, which as a selector
// is looked for among all that stands before each div.
func afterPanel(document *goquery.Document) *goquery.Selection {
	var find func(*html.Node) *html.Node
	find = func(parent *html.Node) *html.Node {
		passed := false
		for n := parent.FirstChild; n != nil; n = n.NextSibling {
			isDiv := n.Type == html.ElementNode && n.Data == "div"
			if isDiv && passed {
				return n
			}
			if found := find(n); found != nil {
				return found
			}
			passed = passed || isDiv && bodyPanel.Match(n)
		}
		return nil
	}
	for _, root := range document.Nodes {
		if n := find(root); n != nil {
			return goquery.NewDocumentFromNode(n).Selection
		}
	}
	return &goquery.Selection{}
}

// newRow reads a heading and the lines of what follows it.
func newRow(heading, block *goquery.Selection) row {
	address, _, _ := strings.Cut(heading.Text(), " - ")
	r := row{
		address: scraperutils.Trim(address),
		link:    scraperutils.Trim(heading.FindMatcher(links).First().AttrOr("href", "")),
	}
	var names []string
	block.Each(func(_ int, line *goquery.Selection) {
		key, value := line.FindMatcher(keys).First(), line.FindMatcher(fields).First()
		if key.Length() == 0 || value.Length() == 0 {
			return
		}
		names = append(names, scraperutils.Trim(key.Text()))
		r.values = append(r.values, register.Cell{Text: scraperutils.Trim(value.Text()), Node: value.Get(0)})
	})
	r.columns = vocabulary.Columns(names)
	return r
}

var taskTables = register.NewVocabulary(map[register.Meaning][]string{
	"tasks": {"Tasks Associated this Development Application", "Tasks Associated with this Development Application"},
})

// notices are the stages in which the public may have its say. All others are the council's own business.
var notices = []string{"Notification to Neighbours", "Advert-Went/Courier 30 Days", "Notification"}

// readNotice returns the dates of the public notice that was opened last. Both are "" where there was none.
func readNotice(page *agent.Page) (from, to string, err error) {
	document, err := page.Document()
	if err != nil {
		return "", "", err
	}
	tables := document.Find("table[summary]").FilterFunction(func(_ int, s *goquery.Selection) bool {
		return taskTables.Meaning(s.AttrOr("summary", "")) != ""
	})
	found := false
	tables.Find("tr").EachWithBreak(func(_ int, tr *goquery.Selection) bool {
		cells := tr.ChildrenFiltered("td, th").Map(func(_ int, s *goquery.Selection) string { return scraperutils.Trim(s.Text()) })
		if len(cells) < 5 || !slices.Contains(notices, cells[1]) {
			return true
		}
		var opened string
		if opened, err = register.ParseDate(cells[2]); err == nil && (!found || opened > from) {
			found, from = true, opened
			to, err = register.ParseDate(cells[4])
		}
		if err != nil {
			err = fmt.Errorf("stage %s: %w", cells[1], err)
		}
		return err == nil
	})
	return from, to, err
}
