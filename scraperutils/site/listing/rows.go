package listing

import (
	"strings"

	"github.com/PuerkitoBio/goquery"

	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// Rows returns the elements of a page that a CSS selector finds: one at least. Where it finds none, and the page says one of the texts
// for "nothing found", in any case, there are none and it is no error; else it is a *scraperutils.LayoutError that says what the page has
// instead. A row that the site writes for that text is not told apart from the others: such a selector should leave it out.
func Rows(page *agent.Page, selector string, nothing ...string) (*goquery.Selection, error) {
	rows, err := find(page, selector)
	if err != nil || rows.Length() > 0 {
		return rows, err
	}
	visible, err := page.Visible()
	if err != nil {
		return nil, err
	}
	says := folded(visible)
	for _, text := range nothing {
		if strings.Contains(says, folded(text)) {
			return rows, nil
		}
	}
	return nil, page.Missing(selector)
}

func folded(text string) string { return strings.ToLower(oneLine(text)) }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// find returns what a selector finds on a page, parsed as HTML.
func find(page *agent.Page, selector string) (*goquery.Selection, error) {
	matcher, err := compiled(selector)
	if err != nil {
		return nil, err
	}
	document, err := page.Document()
	if err != nil {
		return nil, err
	}
	return document.FindMatcher(matcher), nil
}

func rowTexts(page *agent.Page, selector string) ([]string, error) {
	rows, err := find(page, selector)
	if err != nil {
		return nil, err
	}
	return rows.Map(func(_ int, row *goquery.Selection) string { return row.Text() }), nil
}
