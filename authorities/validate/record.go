package validate

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site/dates"
)

// What an importer's columns hold, in characters.
const (
	maxReference = 50
	maxInfoURL   = 1024
)

var (
	requiredFields = []string{"council_reference", "address", "description", "info_url", "date_scraped"}
	textFields     = []string{"council_reference", "address", "description", "info_url"}
	dateFields     = []string{"date_scraped", "date_received", "on_notice_from", "on_notice_to"}
)

// Record reports whether importers will take a record. Its error is a *scraperutils.UnprocessableRecord whose Reason names all
// that is wrong, with "; " between. Dates are text like 2025-05-07 or a time.Time; date_received must not be after the date
// in the middle of Australia at now, the real time whatever day is being scraped.
func Record(r scraperutils.Record, now time.Time) error {
	c := recordCheck{record: r}
	c.required()
	c.infoURL()
	c.dates(dates.Today(now, register.Zone()))
	c.limits()
	c.notice()
	if len(c.problems) == 0 {
		return nil
	}
	return &scraperutils.UnprocessableRecord{Reason: strings.Join(c.problems, "; ")}
}

// recordCheck collects what is wrong with one record.
type recordCheck struct {
	record   scraperutils.Record
	problems []string
}

func (c *recordCheck) wrong(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

func (c *recordCheck) required() {
	for _, field := range requiredFields {
		v, _ := c.record.Get(field)
		if text, ok := v.(string); v == nil || ok && scraperutils.Blank(text) {
			c.wrong("%s can't be blank", field)
		}
	}
	// One value of another type makes the importers drop the whole authority.
	for _, field := range textFields {
		v, _ := c.record.Get(field)
		if _, ok := v.(string); v != nil && !ok {
			c.wrong("%s must be text, not %T", field, v)
		}
	}
}

func (c *recordCheck) infoURL() {
	v, _ := c.record.Get("info_url")
	text, ok := v.(string)
	if !ok || scraperutils.Blank(text) {
		return
	}
	if problem := urlProblem(text); problem != "" {
		c.wrong("info_url %s", problem)
	}
}

func (c *recordCheck) dates(today time.Time) {
	for _, field := range dateFields {
		v, _ := c.record.Get(field)
		if v == nil {
			continue
		}
		day, ok := dayOf(v)
		switch {
		case !ok:
			c.wrong("Invalid date format for %s: %s is not a valid ISO 8601 date", field, inspect(v))
		case field == "date_received" && day.After(today):
			c.wrong("Invalid date for %s: %s is in the future", field, inspect(v))
		}
	}
}

func (c *recordCheck) limits() {
	for _, limit := range []struct {
		field string
		most  int
	}{{"council_reference", maxReference}, {"info_url", maxInfoURL}} {
		v, _ := c.record.Get(limit.field)
		text, _ := v.(string)
		if n := utf8.RuneCountInString(text); n > limit.most {
			c.wrong("%s is longer than %d characters (%d)", limit.field, limit.most, n)
		}
	}
}

func (c *recordCheck) notice() {
	v, _ := c.record.Get("on_notice_from")
	w, _ := c.record.Get("on_notice_to")
	from, ok := dayOf(v)
	to, okTo := dayOf(w)
	if ok && okTo && to.Before(from) {
		c.wrong("on_notice_to %s can't be earlier than on_notice_from %s", inspect(w), inspect(v))
	}
}

// dayOf returns the day that a value means, as midnight UTC: of a time, the one that it shows in its own zone.
func dayOf(v any) (time.Time, bool) {
	switch v := v.(type) {
	case string:
		day, err := time.Parse(time.DateOnly, v)
		return day, err == nil
	case time.Time:
		return time.Date(v.Year(), v.Month(), v.Day(), 0, 0, 0, 0, time.UTC), true
	}
	return time.Time{}, false
}

// inspect writes a value for a message.
func inspect(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("%q", v)
	case time.Time:
		return v.Format(`"2006-01-02"`)
	default:
		return fmt.Sprint(v)
	}
}
