package validate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/validate"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// noon is a time on 2025-05-07 in the middle of Australia.
var noon = time.Date(2025, 5, 7, 2, 30, 0, 0, time.UTC)

// good is a record that importers take.
func good() scraperutils.Record {
	return scraperutils.Record{
		{Name: "council_reference", Value: "DA1"},
		{Name: "address", Value: "1 Test St, Town NSW 2000"},
		{Name: "description", Value: "Shed"},
		{Name: "info_url", Value: "https://e.gov.au/1"},
		{Name: "date_scraped", Value: "2025-05-07"},
	}
}

// problems returns what is wrong with a record, nil for nothing.
func problems(t testing.TB, r scraperutils.Record, now time.Time) []string {
	t.Helper()
	err := validate.Record(r, now)
	if err == nil {
		return nil
	}
	var bad *scraperutils.UnprocessableRecord
	require.ErrorAs(t, err, &bad)
	return strings.Split(bad.Reason, "; ")
}

func TestRecord(t *testing.T) {
	day := time.Date(2025, 5, 7, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, field string
		value       any
		want        []string
	}{
		{"another field", "extra", "ok", nil},
		{"blank reference", "council_reference", "", []string{"council_reference can't be blank"}},
		{"reference of white space", "council_reference", " \t", []string{"council_reference can't be blank"}},
		{"reference of a no-break space, which is content", "council_reference", "\u00a0", nil},
		{"no reference", "council_reference", nil, []string{"council_reference can't be blank"}},
		{"a number as reference", "council_reference", int64(12), []string{"council_reference must be text, not int64"}},
		{"reference of 50 characters", "council_reference", strings.Repeat("ö", 50), nil},
		{"reference of 51 characters", "council_reference", strings.Repeat("ö", 51), []string{"council_reference is longer than 50 characters (51)"}},
		{"blank address", "address", "", []string{"address can't be blank"}},
		{"a time as address", "address", day, []string{"address must be text, not time.Time"}},
		{"blank description", "description", "  ", []string{"description can't be blank"}},
		{"no description", "description", nil, []string{"description can't be blank"}},
		{"blank info_url", "info_url", " ", []string{"info_url can't be blank"}},
		{"no info_url", "info_url", nil, []string{"info_url can't be blank"}},
		{"bytes as info_url", "info_url", []byte("https://e.gov.au/1"), []string{"info_url must be text, not []uint8"}},
		{"info_url of 1024 characters", "info_url", "https://e.com/" + strings.Repeat("a", 1010), nil},
		{"info_url of 1025 characters", "info_url", "https://e.com/" + strings.Repeat("a", 1011), []string{"info_url is longer than 1024 characters (1025)"}},
		{"blank date_scraped", "date_scraped", "", []string{"date_scraped can't be blank", `Invalid date format for date_scraped: "" is not a valid ISO 8601 date`}},
		{"no date_scraped", "date_scraped", nil, []string{"date_scraped can't be blank"}},
		{"date in words", "date_scraped", "23 Aug 2024", []string{`Invalid date format for date_scraped: "23 Aug 2024" is not a valid ISO 8601 date`}},
		{"day that February lacks", "date_scraped", "2024-02-30", []string{`Invalid date format for date_scraped: "2024-02-30" is not a valid ISO 8601 date`}},
		{"day that a leap year has", "date_scraped", "2024-02-29", nil},
		{"date with a time", "date_scraped", "2025-05-07T10:00:00", []string{`Invalid date format for date_scraped: "2025-05-07T10:00:00" is not a valid ISO 8601 date`}},
		{"date without dashes", "date_received", "20250507", []string{`Invalid date format for date_received: "20250507" is not a valid ISO 8601 date`}},
		{"date without zeros", "date_received", "2025-5-7", []string{`Invalid date format for date_received: "2025-5-7" is not a valid ISO 8601 date`}},
		{"date in spaces", "date_received", " 2025-05-07", []string{`Invalid date format for date_received: " 2025-05-07" is not a valid ISO 8601 date`}},
		{"a number as date", "date_received", int64(20250507), []string{"Invalid date format for date_received: 20250507 is not a valid ISO 8601 date"}},
		{"date_scraped in the future", "date_scraped", "2025-06-01", nil},
		{"date_scraped as a time", "date_scraped", day, nil},
		{"received today", "date_received", "2025-05-07", nil},
		{"received tomorrow", "date_received", "2025-05-08", []string{`Invalid date for date_received: "2025-05-08" is in the future`}},
		{"received today, as a time", "date_received", day.Add(23 * time.Hour), nil},
		{"received tomorrow, as a time", "date_received", day.AddDate(0, 0, 1), []string{`Invalid date for date_received: "2025-05-08" is in the future`}},
		{"no date_received", "date_received", nil, nil},
		{"notice from no date", "on_notice_from", "soon", []string{`Invalid date format for on_notice_from: "soon" is not a valid ISO 8601 date`}},
		{"notice from blank", "on_notice_from", "", []string{`Invalid date format for on_notice_from: "" is not a valid ISO 8601 date`}},
		{"notice to a month that is none", "on_notice_to", "2025-13-01", []string{`Invalid date format for on_notice_to: "2025-13-01" is not a valid ISO 8601 date`}},
		{"notice in the future", "on_notice_to", "2025-12-01", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, problems(t, good().With(c.field, c.value), noon))
		})
	}
}

func TestRecordNotice(t *testing.T) {
	for _, c := range []struct {
		name     string
		from, to any
		want     []string
	}{
		{"in order", "2025-06-01", "2025-06-02", nil},
		{"one day", "2025-06-01", "2025-06-01", nil},
		{"the wrong way round", "2025-06-02", "2025-06-01", []string{`on_notice_to "2025-06-01" can't be earlier than on_notice_from "2025-06-02"`}},
		{"the wrong way round, as times", time.Date(2025, 6, 2, 0, 0, 0, 0, time.UTC), "2025-06-01", []string{`on_notice_to "2025-06-01" can't be earlier than on_notice_from "2025-06-02"`}},
		{"open end", "2025-06-02", nil, nil},
		{"one is no date", "2025-06-02", "x", []string{`Invalid date format for on_notice_to: "x" is not a valid ISO 8601 date`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, problems(t, good().With("on_notice_from", c.from).With("on_notice_to", c.to), noon))
		})
	}
}

// All that is wrong is told at once, what is missing first.
func TestRecordTellsAllProblems(t *testing.T) {
	assert.Equal(t, []string{"council_reference can't be blank", "address can't be blank", "info_url must be a valid http/https URL with host"},
		problems(t, good().With("council_reference", "").With("address", "").With("info_url", "x"), noon))
	assert.Equal(t, []string{"council_reference can't be blank", "address can't be blank", "description can't be blank", "info_url can't be blank", "date_scraped can't be blank"},
		problems(t, nil, noon))
	assert.EqualError(t, validate.Record(good().With("address", "").With("info_url", "x"), noon),
		"address can't be blank; info_url must be a valid http/https URL with host")
	assert.Equal(t, scraperutils.ClassQuality, scraperutils.ClassOf(validate.Record(nil, noon)))
}

// The day ends in the middle of Australia, wherever the program runs.
func TestRecordKnowsWhichDayItIs(t *testing.T) {
	r := good().With("date_received", "2025-05-08")
	midnight := time.Date(2025, 5, 7, 14, 30, 0, 0, time.UTC)
	assert.Error(t, validate.Record(r, midnight.Add(-time.Second)))
	assert.NoError(t, validate.Record(r, midnight))
	assert.NoError(t, validate.Record(r, midnight.In(time.FixedZone("", -10*60*60))))
}

func TestInfoURL(t *testing.T) {
	const notURL, noPlace = "info_url must be a valid http/https URL", "info_url must be a valid http/https URL with host"
	for value, want := range map[string]string{
		"https://e.gov.au/1":                        "",
		"  https://e.com/x ":                        "",
		"HTTP://E.com":                              "",
		"https://e.com:8443/a;b=c/(d)?e=f&g[0]=%5b": "",
		"https://user:secret@e.com/#/view":          "",
		"http://[2001:db8::1]/x":                    "",
		"http://e_services.e.com/":                  "",
		"ftp://e.com":                               noPlace,
		"https://":                                  noPlace,
		"https:///x":                                noPlace,
		"https:e.com":                               noPlace,
		"http://:80/":                               noPlace,
		"not-a-url":                                 noPlace,
		"//e.com/x":                                 noPlace,
		"mailto:a@e.com":                            noPlace,
		"not a url":                                 notURL,
		"https://e.com/a|b":                         notURL,
		"https://e.com/a b":                         notURL,
		"https://e.com/?a b":                        notURL,
		"https://e.com/a\nb":                        notURL,
		"https://e.com/[a]":                         notURL,
		"https://e.com/%5Ba%5D":                     "",
		"https://e.com/%zz":                         notURL,
		"https://e.com/?a=100%":                     notURL,
		"https://e.com/%4":                          notURL,
		"https://e.com/#a#b":                        notURL,
		"https://e.com/café":                        notURL,
		"https://e.com:port/":                       notURL,
		"http://[::1/":                              notURL,
		"https://e.com/\"x\"":                       notURL,
		"://e.com":                                  notURL,
	} {
		t.Run(value, func(t *testing.T) {
			var all []string
			if want != "" {
				all = []string{want}
			}
			assert.Equal(t, all, problems(t, good().With("info_url", value), noon))
		})
	}
}
