package validate_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/validate"
	"github.com/multiscraper/multiscraper/scraperutils"
)

var isoDate = regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$`)

// A date that is taken is written as years, months and days of the calendar.
func FuzzDate(f *testing.F) {
	for _, s := range []string{"2025-05-07", "2024-02-30", "", "20250507", "2025-5-7", "-025-05-07", "2025-05-07T10:00:00", "٢٠٢٥-٠٥-٠٧"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		taken := problems(t, good().With("on_notice_from", s), noon) == nil
		if !taken {
			return
		}
		require.Regexp(t, isoDate, s)
		day, err := time.Parse(time.RFC3339, s+"T00:00:00Z")
		require.NoError(t, err)
		assert.Equal(t, s, day.Format(time.DateOnly))
	})
}

// An address of a page that is taken is one that a client can ask: ASCII, with a scheme and a host.
func FuzzInfoURL(f *testing.F) {
	for _, s := range []string{"https://e.gov.au/1", " HTTP://E.com:80/?a[0]=%20#b ", "https://", "mailto:a@e.com", "https://e.com/a|b", "http://[::1]/", "https://e.com/%zz", "//x", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if problems(t, good().With("info_url", s), noon) != nil {
			return
		}
		u, err := url.Parse(scraperutils.Trim(s))
		require.NoError(t, err)
		assert.Contains(t, []string{"http", "https"}, u.Scheme)
		assert.NotEmpty(t, u.Hostname())
		assert.NotRegexp(t, "[^!-~]", scraperutils.Trim(s))
	})
}

// Whatever is geocodable names a state, and is so too where case does not matter.
func FuzzGeocodable(f *testing.F) {
	for _, s := range []string{"123 Smith Street, Sydney NSW 2000", "70 Pacific Highway, TUGGERAH, NSW", "5 sowerby st, goulburn nsw 2580", "", "\xff St NSW 2000", "ı st ſa"} {
		f.Add(s, "Goulburn")
	}
	states := regexp.MustCompile(` (ACT|NSW|NT|QLD|SA|TAS|VIC|WA)( |$)`)
	f.Fuzz(func(t *testing.T, address, suburb string) {
		rule := validate.AddressRule{KnownSuburbs: []string{suburb}}
		if !rule.Geocodable(address) {
			return
		}
		assert.Regexp(t, states, address)
		rule.IgnoreCase = true
		assert.True(t, rule.Geocodable(address))
	})
}

// What is reasonable is no placeholder, and stays reasonable with more words around it.
func FuzzDescription(f *testing.F) {
	for _, s := range []string{"Construction of building", "New shed", "N/A", "", "  a  b  c ", "to be confirmed", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !validate.Reasonable(s) {
			return
		}
		assert.False(t, validate.Placeholder(s))
		assert.False(t, scraperutils.Blank(s))
		assert.True(t, validate.Reasonable("The "+s+" there"))
	})
}

// A page that has the values of a record, as HTML writes them, shows them.
func FuzzDetails(f *testing.F) {
	f.Add("DA - 2024/1", "5 Hill St, Lismore NSW 2480", "Fish & chip shop", "<p>")
	f.Add("", " NSW", "\xff\v\v", "")
	f.Fuzz(func(t *testing.T, reference, address, description, between string) {
		written := strings.NewReplacer("&#34;", "&quot;")
		body := "<p>" + between
		for _, value := range []string{reference, address, description} {
			body += "|" + written.Replace(html.EscapeString(value)) + "|" + between
		}
		r := good().With("council_reference", reference).With("address", address).With("description", description)
		check, out := checker()
		require.NoError(t, check.Details([]validate.Sample{{Record: r, Page: validate.Page{Status: 200, Body: body}}}))
		assert.Equal(t, "100.0% detail checks passed (0/3 failed)!\n", lastLine(out.String()))
	})
}

// Settings are read, or refused in one line.
func FuzzReadSettings(f *testing.F) {
	for _, s := range []string{"database: nope.sqlite", "known_suburbs: [a, b]", "a: &a [*a]", "geocodable_percentage: 1e999", "? {a: b}\n: c", "--- !!binary x", "\t", "info_url_variation: 0x10"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		dir, _ := write(t, validate.ConfigFile, text)
		s, _, err := validate.ReadSettings(dir, "")
		if err != nil {
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		assert.NotEmpty(t, s.Database)
		for _, threshold := range []validate.Threshold{s.Geocodable, s.Description, s.InfoURL} {
			assert.True(t, threshold.Percentage >= 0 && threshold.Percentage <= 100, "%v", threshold)
			assert.True(t, threshold.Variation >= 0, "%v", threshold)
		}
	})
}
