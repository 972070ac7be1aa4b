package epathway

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"

	"github.com/multiscraper/multiscraper/authorities/aspnet"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

var (
	// scripted is where the first page's script leads, the surest form first: a council's theme may have scripts of its own.
	scripted = []*regexp.Regexp{
		regexp.MustCompile(`window\.location\.href='([^']*EnquiryLists\.aspx[^']*)'`),
		regexp.MustCompile(`window\.location\.href='([^']+)'`),
		regexp.MustCompile(`\blocation(?:\.href)?\s*=\s*["']([^"']*EnquiryLists\.aspx[^"']*)["']`),
	}
	fromDate = regexp.MustCompile(`FromDatePicker`)
	toDate   = regexp.MustCompile(`ToDatePicker`)

	tabLinks = cascadia.MustCompile("table.tabcontrol a")
	inside   = cascadia.MustCompile("input[type=radio], table.tabcontrol, table.ContentPanel")
)

// enter opens the enquiry lists: a page whose script leads to the same page with a number that tells that scripts run.
func enter(ctx context.Context, a *agent.Agent, url string) (*agent.Page, error) {
	page, err := a.Get(ctx, url)
	if err != nil {
		return nil, err
	}
	if err := page.Check(agent.HTML); err != nil {
		return nil, err
	}
	for _, script := range scripted {
		if m := script.FindStringSubmatch(page.Text); m != nil {
			return page.Get(ctx, m[1])
		}
	}
	document, err := page.Document()
	if err != nil {
		return nil, err
	}
	if document.FindMatcher(inside).Length() == 0 {
		return nil, page.Missing("script window.location.href")
	}
	return page, nil
}

// What is looked at: what stands around each of many buttons may be the whole page.
const (
	maxLists = 100
	maxLabel = 500 // bytes
)

// chooseList chooses the list where there is more than one. Searches by date are made in the list of all applications.
func chooseList(ctx context.Context, page *agent.Page, name string) (*agent.Page, error) {
	form, radios, button, err := listChoice(page)
	if err != nil || form == nil {
		return page, err
	}
	wanted := listRegister
	if name == listAdvertising {
		wanted = listAdvertised
	}
	radios = radios[:min(len(radios), maxLists)]
	found := make([]string, len(radios))
	for i, radio := range radios {
		if label := labelOf(radio.Node); len(label) <= maxLabel {
			found[i] = strings.Clone(label) // of what may be the whole page
		}
	}
	i := choices.First(wanted, found)
	if i < 0 {
		return nil, page.Missing(string(wanted), found...)
	}
	form.Choose(radios[i])
	return form.Submit(ctx, button)
}

// listChoice returns the parts of a choice of lists: a form with radio buttons and one to go on. A page without is no choice.
func listChoice(page *agent.Page) (form *agent.Form, radios []*agent.Field, button *agent.Field, err error) {
	forms, err := page.Forms()
	for _, f := range forms {
		radios = nil
		for _, field := range f.Fields() {
			if field.Type == "radio" {
				radios = append(radios, field)
			}
		}
		if button = f.Button(listButtons...); button != nil && len(radios) > 0 {
			return f, radios, button, nil
		}
	}
	return nil, nil, nil, err
}

// labelOf is the text of the cell beside a radio button, or else what stands around the button.
func labelOf(radio *goquery.Selection) string {
	if label := scraperutils.Trim(radio.Closest("td, th").Next().Text()); label != "" {
		return label
	}
	return scraperutils.Trim(radio.Parent().Text())
}

// search opens the tab of dates and presses Search. The tab's own dates are the last 30 days.
func (s *Scraper) search(ctx context.Context, page *agent.Page, year int) (*agent.Page, error) {
	page, err := openDates(ctx, page)
	if err != nil {
		return nil, fmt.Errorf("open the tab: %w", err)
	}
	form, err := aspnet.Form(page)
	if err != nil {
		return nil, err
	}
	if s.list == listThisYear {
		if err := setYear(form, year); err != nil {
			return nil, err
		}
	}
	button := searchButton(form)
	if button == nil {
		return nil, form.Missing("button Search")
	}
	return form.Submit(ctx, button)
}

// searchButton is the one that says Search and nothing else, or else that says it among other things.
func searchButton(form *agent.Form) *agent.Field {
	for _, field := range form.Fields() {
		if field.IsButton() && scraperutils.Trim(field.Label) == "Search" {
			return field
		}
	}
	return form.Button("Search")
}

// openDates follows the link of the tab, which may be the one that is open.
func openDates(ctx context.Context, page *agent.Page) (*agent.Page, error) {
	document, err := page.Document()
	if err != nil {
		return nil, err
	}
	labels := func(links *goquery.Selection) []string {
		return links.Map(func(_ int, link *goquery.Selection) string { return scraperutils.Trim(link.Text()) })
	}
	all := document.FindMatcher(tabLinks)
	links := all.FilterFunction(func(_ int, link *goquery.Selection) bool {
		_, _, ok := aspnet.Postback(link)
		return ok
	})
	i := tabs.First(dateTab, labels(links))
	if i < 0 {
		return nil, page.Missing(string(dateTab), labels(all)...)
	}
	return aspnet.Follow(ctx, page, links.Eq(i))
}

// setYear asks for a whole year. The last day stays where it is earlier: some searches refuse a day to come.
func setYear(form *agent.Form, year int) error {
	from, to := form.Match(fromDate), form.Match(toDate)
	if from == nil {
		return form.Missing("field FromDatePicker")
	}
	if to == nil {
		return form.Missing("field ToDatePicker")
	}
	first, last := time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC), time.Date(year, time.December, 31, 0, 0, 0, 0, time.UTC)
	from.Value = first.Format("02/01/2006")
	if there, _ := register.ParseDate(to.Value); there == "" || there > last.Format(time.DateOnly) { // "" if it can't be read, too
		to.Value = last.Format("02/01/2006")
	}
	return nil
}
