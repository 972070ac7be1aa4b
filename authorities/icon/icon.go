// Package icon reads the registers of Icon (Infomaster's XC.Track).
//
//	search page → (terms: agree) → the same address as XML → an Application element a record
package icon

import (
	"context"
	"fmt"
	"strings"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// Options are a council's own.
type Options struct {
	Period site.Choice `yaml:"period"` // last14days, last28days, thisweek, thismonth; needed
	Types  []string    `yaml:"types"`  // the kinds of application to ask for; all
}

var periods = []string{"last7days", "last14days", "last28days", "thisweek", "lastweek", "thismonth", "lastmonth"}

// Scraper reads one council's register.
type Scraper struct {
	search string // …/SearchApplication.aspx
	period site.Choice
	types  []string
}

// New checks the options.
func New(a site.Site, o Options) (*Scraper, error) {
	if err := o.Period.Check("period", periods...); err != nil {
		return nil, err
	}
	return &Scraper{search: a.URL + "/SearchApplication.aspx", period: o.Period, types: o.Types}, nil
}

// Scrape agrees to the terms and reads the answer, which has no pages.
func (s *Scraper) Scrape(ctx context.Context, v *site.Visit) error {
	page, err := v.Agent.Get(ctx, s.search)
	if err != nil {
		return fmt.Errorf("fetch the search page: %w", err)
	}
	if err := agree(ctx, page); err != nil {
		return fmt.Errorf("agree to the terms: %w", err)
	}
	answer, err := v.Agent.Get(ctx, s.resultsURL(s.period.Of(v)))
	if err != nil {
		return fmt.Errorf("fetch the applications: %w", err)
	}
	applications, err := readApplications(answer)
	if err != nil {
		return err
	}
	for _, a := range applications {
		if err := s.save(ctx, v, a); err != nil {
			return err
		}
	}
	return nil
}

// agree presses the button of a terms page; where there is none, there are no terms. Where the answer redirects to is not
// followed: it may be an address that nobody serves any more.
func agree(ctx context.Context, page *agent.Page) error {
	forms, err := page.Forms()
	if err != nil {
		return err
	}
	for _, form := range forms {
		button := form.Button("Agree", "AGREE", "agree")
		if button == nil || strings.Contains(strings.ToLower(button.Label), "disagree") {
			continue
		}
		for _, field := range form.Fields() {
			if field.Type == "checkbox" && strings.Contains(field.Name, "Agree") {
				form.Choose(field)
			}
		}
		_, err := form.Submit(ctx, button, agent.KeepRedirect)
		return err
	}
	return nil
}

func (s *Scraper) resultsURL(period string) string {
	query := agent.Values{{Name: "d", Value: period}, {Name: "k", Value: "LodgementDate"}, {Name: "o", Value: "xml"}}
	if len(s.types) > 0 {
		query = append(query, agent.Value{Name: "t", Value: strings.Join(s.types, ",")})
	}
	return s.search + "?" + query.Encode()
}

// save hands an application on, unless it lacks what a record can't do without.
func (s *Scraper) save(ctx context.Context, v *site.Visit, e *register.Element) error {
	reference, _ := e.FindText("ReferenceNumber")
	a := register.Application{Reference: scraperutils.Trim(reference), InfoURL: s.infoURL(e)}
	var ok bool
	if a.Address, ok = address(e); !ok {
		v.Skip(ctx, a.Reference, "it has no address")
		return nil
	}
	if a.Description, ok = description(e); !ok {
		v.Skip(ctx, a.Reference, "it has no description")
		return nil
	}
	var err error
	if a.Received, err = lodged(e); err != nil {
		return v.Reject(ctx, a.Reference, err)
	}
	return register.Save(ctx, v, a)
}

func (s *Scraper) infoURL(e *register.Element) string {
	id, _ := e.ChildText("ApplicationId")
	url := s.search + "?id=" + scraperutils.Trim(id)
	if pprs, ok := e.FindText("ThePPRS"); ok {
		url += "&pprs=" + scraperutils.Trim(pprs)
	}
	return url
}
