// Package civica reads the registers of Civica Authority eServices.
//
//	search page → form daEnquiryForm, with a period → list (or the list at once, where the address is one)
//	→ a heading and the block after it a record → (detail page, for the notice period alone)
package civica

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// Options are a council's own.
type Options struct {
	Period       string `yaml:"period"`        // last7days, last10days, last30days, lastmonth, last2months, advertised; needed unless the address is a list
	NoticePeriod bool   `yaml:"notice_period"` // the notice period too, which costs one page per application; false
}

// advertised asks for what is on exhibition now, whenever it was lodged.
const advertised = "advertised"

// periods is how each begins; all of them end today.
var periods = map[string]func(today time.Time) time.Time{
	"last7days":   func(today time.Time) time.Time { return today.AddDate(0, 0, -7) },
	"last10days":  func(today time.Time) time.Time { return today.AddDate(0, 0, -10) },
	"last30days":  func(today time.Time) time.Time { return today.AddDate(0, 0, -30) },
	"lastmonth":   func(today time.Time) time.Time { return monthsBefore(today, 1) },
	"last2months": func(today time.Time) time.Time { return monthsBefore(today, 2) },
}

// Scraper reads one council's register.
type Scraper struct {
	url          string
	period       string // "" where the address is a list
	noticePeriod bool
}

// New checks the options.
func New(a site.Site, o Options) (*Scraper, error) {
	s := &Scraper{url: a.URL, period: o.Period, noticePeriod: o.NoticePeriod}
	isList := strings.Contains(a.URL, "currentlyAdvertised.do")
	if !isList || o.Period != "" {
		if err := site.OneOf("period", o.Period, "last7days", "last10days", "last30days", "lastmonth", "last2months", advertised); err != nil {
			return nil, err
		}
	}
	if isList {
		s.period = ""
	}
	return s, nil
}

var vocabulary = register.NewVocabulary(map[register.Meaning][]string{
	register.Description: {"Type of Work", "Description of Work", "Development Description"},
	register.Reference:   {"Application No.", "Reference No."},
	register.Received:    {"Date Lodged"},
})

// Scrape searches and reads the list, which has no pages.
func (s *Scraper) Scrape(ctx context.Context, v *site.Visit) error {
	page, err := v.Agent.Get(ctx, s.url)
	if err != nil {
		return fmt.Errorf("fetch %s: %w", s.what(), err)
	}
	if s.period != "" {
		if page, err = s.search(ctx, page, v.Clock.Today()); err != nil {
			return fmt.Errorf("search: %w", err)
		}
	}
	rows, err := readList(page)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := s.save(ctx, v, page, r); err != nil {
			return err
		}
	}
	return nil
}

// what is at the address.
func (s *Scraper) what() string {
	if s.period == "" {
		return "the list"
	}
	return "the search page"
}

// search sends the form as it stands but for the period.
func (s *Scraper) search(ctx context.Context, page *agent.Page, today time.Time) (*agent.Page, error) {
	form, err := page.Form(`#daEnquiryForm, [name="daEnquiryForm"]`)
	if err != nil {
		return nil, err
	}
	var from, to string
	if s.period == advertised {
		if err := chooseAdvertised(form); err != nil {
			return nil, err
		}
	} else {
		from, to = periods[s.period](today).Format("02/01/2006"), today.Format("02/01/2006")
	}
	for _, date := range (agent.Values{{Name: "dateFrom", Value: from}, {Name: "dateTo", Value: to}}) {
		if form.Field(date.Name) == nil {
			return nil, form.Missing("field " + date.Name)
		}
		form.Set(date.Name, date.Value)
	}
	return form.Submit(ctx, nil)
}

// chooseAdvertised makes searchMode C, by its radio button where it has several.
func chooseAdvertised(form *agent.Form) error {
	const name, mode = "searchMode", "C"
	isRadio := false
	for _, field := range form.Fields() {
		if field.Name != name || field.Type != "radio" {
			continue
		}
		if isRadio = true; field.Value == mode {
			form.Choose(field)
			return nil
		}
	}
	if isRadio {
		return form.Missing("field " + name + " " + mode)
	}
	form.Set(name, mode)
	return nil
}

// save hands a row on, with the notice period of its detail page where that is wanted.
func (s *Scraper) save(ctx context.Context, v *site.Visit, list *agent.Page, r row) error {
	a := register.Application{
		Reference:   r.text(register.Reference),
		Address:     register.SingleSpaces(r.address),
		Description: r.description(),
		InfoURL:     s.url,
	}
	var err error
	if a.Received, err = register.ParseDate(r.text(register.Received)); err != nil {
		return v.Reject(ctx, a.Reference, err)
	}
	if !s.noticePeriod {
		return register.Save(ctx, v, a)
	}
	if r.link == "" {
		return v.Reject(ctx, a.Reference, list.Missing("link to the detail page beside "+a.Address))
	}
	page, err := list.Get(ctx, r.link)
	if err != nil {
		return fmt.Errorf("fetch detail of %s: %w", a.Reference, err)
	}
	if a.NoticeFrom, a.NoticeTo, err = readNotice(page); err != nil {
		return v.Reject(ctx, a.Reference, err)
	}
	return register.Save(ctx, v, a)
}

// monthsBefore is the same day of an earlier month, or that month's last day where it has no such day.
func monthsBefore(day time.Time, months int) time.Time {
	before := day.AddDate(0, -months, 0)
	if before.Day() != day.Day() {
		before = before.AddDate(0, 0, -before.Day())
	}
	return before
}
