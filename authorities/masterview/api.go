package masterview

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/dates"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// scrapeAPI agrees to the terms and asks for page after page until all applications have come.
func (s *Scraper) scrapeAPI(ctx context.Context, v *site.Visit, span dates.Range) error {
	front, err := v.Agent.Get(ctx, s.url+"/")
	if err != nil {
		return fmt.Errorf("fetch the front page: %w", err)
	}
	if _, err := agree(ctx, front); err != nil {
		return err
	}
	var listing agent.Listing
	var d detailPages
	for start := 0; ; {
		answer, err := s.ask(ctx, v, span, start)
		if err != nil {
			return fmt.Errorf("ask for applications from number %d on: %w", start, err)
		}
		seen, err := listing.Seen(fmt.Sprint(answer.Data))
		if err != nil || seen || len(answer.Data) == 0 {
			return err
		}
		for _, cells := range answer.Data {
			if err := s.saveAnswered(ctx, v, &d, cells); err != nil {
				return err
			}
		}
		start += len(answer.Data)
		if total, err := answer.RecordsTotal.Int64(); err == nil && int64(start) >= total {
			return nil
		}
	}
}

// question is what the search page's script asks for. The server wants all of it.
type question struct {
	DateFrom                       string
	DateTo                         string
	DateType                       string
	RemoveUndeterminedApplications bool
	ShowOutstandingApplications    bool
	ShowExhibitedApplications      bool
	IncludeDocuments               bool
	ApplicationType                string `json:",omitempty"`
}

const lodged = "1" // DateType

func (s *Scraper) question(span dates.Range) ([]byte, error) {
	return json.Marshal(question{
		DateFrom: span.From.Format(dayMonthYear), DateTo: span.To.Format(dayMonthYear), DateType: lodged,
		ApplicationType: strings.Join(s.options.Types, ","),
	})
}

// answer is a page of applications.
type answer struct {
	RecordsTotal json.Number `json:"recordsTotal"`
	Data         [][]any     `json:"data"`
}

func (s *Scraper) ask(ctx context.Context, v *site.Visit, span dates.Range, start int) (*answer, error) {
	question, err := s.question(span)
	if err != nil {
		return nil, err
	}
	page, err := v.Agent.Post(ctx, s.url+"/Application/GetApplications", agent.Values{
		{Name: "start", Value: strconv.Itoa(start)},
		{Name: "length", Value: strconv.Itoa(s.options.PageSize)},
		{Name: "json", Value: string(question)},
	})
	if err != nil {
		return nil, err
	}
	return readAnswer(page)
}

func readAnswer(page *agent.Page) (*answer, error) {
	if err := page.Check(agent.JSON); err != nil {
		return nil, err
	}
	var a answer
	decoder := json.NewDecoder(strings.NewReader(page.Text))
	decoder.UseNumber()
	if err := decoder.Decode(&a); err != nil {
		return nil, page.Missing("JSON with recordsTotal and data", err.Error())
	}
	if a.Data == nil {
		return nil, page.Missing("data in the JSON")
	}
	return &a, nil
}

var (
	lineBreak = regexp.MustCompile(`(?i)<br\s*/?>`)
	bold      = regexp.MustCompile(`(?is)^<b>(.*?)(?:</b>)?$`)
)

// readAnswered reads an application as the API has it: id, reference, type, date, details. Entities in it stay as they are.
func readAnswered(cells []any) (id, reference string, f fields, err error) {
	texts := make([]string, 5)
	for i := range min(len(cells), len(texts)) {
		texts[i] = cellText(cells[i])
	}
	id, reference = texts[0], texts[1]
	if len(cells) < len(texts) {
		reason := fmt.Sprintf("it has %d values: expected id, reference, type, date and details", len(cells))
		return id, reference, nil, &scraperutils.UnprocessableRecord{Reason: reason}
	}
	f = fields{register.Received: texts[3], register.Description: texts[2]}
	details := lineBreak.Split(texts[4], -1)
	for i := range details {
		details[i] = scraperutils.Trim(details[i])
	}
	last := details[len(details)-1]
	if m := bold.FindStringSubmatch(last); m != nil {
		last, details = m[1], details[:len(details)-1]
	} else if len(details) == 1 {
		last = "" // an address alone
	}
	if last = scraperutils.Trim(register.SingleSpaces(last)); last != "" {
		f[register.Description] = last
	}
	if len(details) > 0 {
		f[register.Address] = details[0]
	}
	return id, reference, f, nil
}

func cellText(cell any) string {
	if cell == nil {
		return ""
	}
	return scraperutils.Trim(fmt.Sprint(cell))
}

// saveAnswered completes an application and hands it on.
func (s *Scraper) saveAnswered(ctx context.Context, v *site.Visit, d *detailPages, cells []any) error {
	id, reference, f, err := readAnswered(cells)
	if s.options.LongCouncilReference {
		reference = id
	}
	if err != nil {
		return v.Reject(ctx, reference, err)
	}
	f[register.Reference] = reference
	infoURL := s.url + "/Application/ApplicationDetails/" + id
	if s.options.ForceDetail {
		page, err := v.Agent.Get(ctx, infoURL)
		detail, err := d.read(ctx, v, reference, page, err)
		if detail == nil {
			return err
		}
		f.take(detail, register.Address, register.Description, register.Received)
	}
	return s.save(ctx, v, f, infoURL)
}
