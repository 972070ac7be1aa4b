// Package horizon reads the registers of SolOrient Horizon.
//
//	log-on as a guest (a cookie) → urlRequest.aw beside it, an answer a number of rows → XML → a row element a record
package horizon

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// Options are a council's own.
type Options struct {
	register.Place `yaml:",inline"`

	PageSize    int    `yaml:"page_size"`    // rows of an answer; 500
	QueryString string `yaml:"query_string"` // what to ask for; the applications lodged this month
	QueryName   string `yaml:"query_name"`   // what that is called; SubmittedThisMonth
}

const (
	lodgedThisMonth = "FIND Applications WHERE MONTH(Applications.Lodged)=CURRENT_MONTH AND YEAR(Applications.Lodged)=CURRENT_YEAR ORDER BY Applications.Lodged DESC"
	defaultPageSize = 500
)

// Scraper reads one council's register.
type Scraper struct {
	url         string   // of the log-on
	requests    *url.URL // urlRequest.aw beside it
	state       string   // "" adds none
	pageSize    int
	queryString string
	queryName   string
}

// New checks the options.
func New(a site.Site, o Options) (*Scraper, error) {
	base, err := url.Parse(a.URL)
	if err != nil {
		return nil, &scraperutils.ConfigError{Name: "url", Value: a.URL, Accepted: "a URL such as http://host/Horizon/logonGuest.aw"}
	}
	if o.PageSize < 0 {
		return nil, &scraperutils.ConfigError{Name: "page_size", Value: strconv.Itoa(o.PageSize), Accepted: "a number of rows"}
	}
	s := &Scraper{
		url: a.URL, requests: base.ResolveReference(&url.URL{Path: "urlRequest.aw"}), state: o.State,
		pageSize: o.PageSize, queryString: o.QueryString, queryName: o.QueryName,
	}
	if s.pageSize == 0 {
		s.pageSize = defaultPageSize
	}
	if s.queryString == "" {
		s.queryString = lodgedThisMonth
	}
	if s.queryName == "" {
		s.queryName = "SubmittedThisMonth"
	}
	return s, nil
}

// Scrape goes through the answers.
func (s *Scraper) Scrape(ctx context.Context, v *site.Visit) error {
	guest, err := v.Agent.Get(ctx, s.url)
	if err != nil {
		return fmt.Errorf("log on as a guest: %w", err)
	}
	var listing agent.Listing
	for start := 0; ; start += s.pageSize {
		page, err := guest.Get(ctx, s.queryURL(start))
		if err != nil {
			return fmt.Errorf("fetch the applications from number %d on: %w", start, err)
		}
		answer, err := readAnswer(page)
		if err != nil || len(answer.rows) == 0 {
			return err
		}
		seen, err := listing.Seen(fmt.Sprint(answer.rows))
		if err != nil || seen {
			return err
		}
		for _, r := range answer.rows {
			if err := s.save(ctx, v, r); err != nil {
				return err
			}
		}
		if start+s.pageSize > answer.total {
			return nil
		}
	}
}

// queryURL asks for a page that begins with the row of a number. take and skip are what the site's own pages send.
func (s *Scraper) queryURL(start int) string {
	u := *s.requests
	u.RawQuery = agent.Values{
		{Name: "actionType", Value: "run_query_action"},
		{Name: "query_string", Value: s.queryString},
		{Name: "query_name", Value: s.queryName},
		{Name: "take", Value: "50"},
		{Name: "skip", Value: "0"},
		{Name: "start", Value: strconv.Itoa(start)},
		{Name: "pageSize", Value: strconv.Itoa(s.pageSize)},
	}.Encode()
	return u.String()
}

func (s *Scraper) save(ctx context.Context, v *site.Visit, r row) error {
	a := register.Application{
		Reference:   r.reference,
		Address:     s.address(r.address),
		Description: r.description,
		InfoURL:     s.url,
	}
	var err error
	if a.Received, err = register.ParseDate(r.lodged); err != nil {
		return v.Reject(ctx, a.Reference, err)
	}
	return register.Save(ctx, v, a)
}

// address leaves out what comes after the first comma (the parcels, further properties) and adds the state.
func (s *Scraper) address(property string) string {
	address, _, _ := strings.Cut(property, ", ")
	if scraperutils.Blank(address) || s.state == "" {
		return address
	}
	return address + " " + s.state
}
