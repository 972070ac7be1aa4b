package validate_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/validate"
	"github.com/multiscraper/multiscraper/scraperutils"
)

func TestSampled(t *testing.T) {
	for n, want := range map[int][]int{
		0:  nil,
		1:  {0},
		2:  {0, 1},
		3:  {0, 1, 2},
		5:  {0, 1, 2, 3},
		10: {0, 1, 2, 3, 5, 8},
		60: {0, 1, 2, 3, 5, 8, 13, 21, 34, 55},
	} {
		assert.Equal(t, want, validate.Sampled(n), "of %d", n)
	}
}

// lastLine is the last line that a checker wrote.
func lastLine(out string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(out, "\n"), "\n")
	return lines[len(lines)-1] + "\n"
}

func TestInfoURLs(t *testing.T) {
	for _, c := range []struct {
		name                  string
		records               int
		codes                 map[string]int
		percentage, variation float64
		err, last             string
		came                  int
	}{
		{"all come", 10, nil, 90, 0, "", "100.0% info_url checks passed (0/6 failed)!\n", 6},
		{"one is missing", 10, map[string]int{"0": 404}, 75, 3, "", "83.3% info_url checks passed (1/6 failed)!\n", 5},
		{"many, but few pages were tried", 10, map[string]int{"0": 404, "1": 404, "2": 500, "3": 404}, 75, 3, "", "33.3% info_url checks passed (4/6 failed)!\n", 2},
		{"too many", 10, map[string]int{"0": 404, "1": 403, "2": 429}, 90, 0, "Too many failures: 0/1 passed (min required: 1)", "  Failed: 404\n", 0},
		{"a redirect is no page", 10, map[string]int{"5": 302}, 90, 0, "Too many failures: 4/5 passed (min required: 5)", "  Failed: 302\n", 0},
		{"a redirect, borne", 10, map[string]int{"5": 302}, 75, 0, "", "83.3% info_url checks passed (1/6 failed)!\n", 5},
		{"another success", 1, map[string]int{"0": 204}, 90, 0, "", "100.0% info_url checks passed (0/1 failed)!\n", 1},
		{"all refused", 4, map[string]int{"0": 403, "1": 403, "2": 403, "3": 429}, 90, 0, "", "  Bot protection detected - skipping\n", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			council := register(t, c.codes)
			check, out := checker()
			check.Settings.InfoURL = validate.Threshold{Percentage: c.percentage, Variation: c.variation}
			samples, err := check.InfoURLs(t.Context(), numbered(c.records, council.URL))
			assertReason(t, c.err, err)
			assert.Equal(t, c.last, lastLine(out.String()))
			assert.Len(t, samples, c.came)
			for _, s := range samples {
				assert.True(t, strings.HasSuffix(s.Record.Text("council_reference"), "/"+s.Record.Text("info_url")[len(council.URL)+1:]))
				assert.Less(t, s.Page.Status, 300)
			}
		})
	}
}

// gone is where nobody listens. No server of a test is given that port.
const gone = "http://127.0.0.1:1"

// A page that does not come is one that failed, with the reason.
func TestInfoURLsThatDoNotCome(t *testing.T) {
	check, out := checker()
	_, err := check.InfoURLs(t.Context(), []scraperutils.Record{good().With("info_url", nil), good().With("info_url", gone)})
	require.NoError(t, err)
	assert.Contains(t, out.String(), `  Failed: info_url must be a valid http/https URL with host, not ""`+"\n")
	assert.Contains(t, out.String(), "connection refused\n")
	assert.Equal(t, "0.0% info_url checks passed (2/2 failed)!\n", lastLine(out.String()))
}

// A page that came is one, whatever stands on it.
func TestInfoURLsDoNotReadPages(t *testing.T) {
	check, out := checker()
	check.Fetch = always(validate.Page{Status: 200, Body: "captcha"})
	_, err := check.InfoURLs(t.Context(), numbered(1, "https://e.com"))
	require.NoError(t, err)
	assert.Equal(t, "100.0% info_url checks passed (0/1 failed)!\n", lastLine(out.String()))
}

func TestBotProtected(t *testing.T) {
	for _, c := range []struct {
		page validate.Page
		want bool
	}{
		{validate.Page{Status: 200, Body: "Normal"}, false},
		{validate.Page{Status: 200}, false},
		{validate.Page{Status: 404, Body: "x"}, false},
		{validate.Page{Status: 503, Body: "x"}, false},
		{validate.Page{Status: 403, Body: "x"}, true},
		{validate.Page{Status: 429, Body: "x"}, true},
		{validate.Page{Status: 200, Body: "Please complete the reCAPTCHA"}, true},
		{validate.Page{Status: 200, Body: "CLOUDFLARE Ray"}, true},
		{validate.Page{Status: 200, Body: "Are you human?"}, true},
		{validate.Page{Status: 200, Body: "Bot detection"}, true},
		{validate.Page{Status: 200, Body: "Security check"}, true},
		{validate.Page{Status: 200, Body: "Verify you are human"}, true},
		{validate.Page{Status: 200, Body: "Access Denied"}, true},
		{validate.Page{Status: 200, Body: "a captcha"}, true},
		{validate.Page{Status: 200, Body: "This road is blocked to traffic"}, true},
	} {
		assert.Equal(t, c.want, c.page.BotProtected(), "%v", c.page)
	}
}

func TestOneInfoURL(t *testing.T) {
	council := register(t, map[string]int{"refused": 403, "missing": 404, "broken": 503, "moved": 302})
	for _, c := range []struct {
		name, page string
		bots       bool
		want       string
	}{
		{"fine", council.URL + "/1", false, ""},
		{"refused", council.URL + "/refused", false, "Expected 200 response from the one expected info_url, got 403"},
		{"refused, as expected", council.URL + "/refused", true, ""},
		{"missing", council.URL + "/missing", false, "Expected 200 response from the one expected info_url, got 404"},
		{"broken", council.URL + "/broken", true, "Expected 200 response from the one expected info_url, got 503"},
		{"moved", council.URL + "/moved", false, "Expected 200 response from the one expected info_url, got 302"},
		{"asks for a human", council.URL + "/captcha", false, ""},
		{"no server", gone, true, "Expected 200 response from the one expected info_url, got none"},
		{"no address", "x", false, "Expected 200 response from the one expected info_url, got none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			check, _ := checker()
			check.Settings.BotCheckExpected = c.bots
			records := []scraperutils.Record{good().With("info_url", c.page), good().With("info_url", c.page)}
			assertReason(t, c.want, check.OneInfoURL(t.Context(), records, c.page))
		})
	}
}

// Records that share a page are known by it; a page that is named must be that of all.
func TestCheckKnowsASharedPage(t *testing.T) {
	council := register(t, nil)
	shared := numbered(4, council.URL)
	for i := range shared {
		shared[i] = shared[i].With("info_url", council.URL+"/all")
	}
	check, out := checker()
	require.NoError(t, check.Check(t.Context(), shared))
	assert.Equal(t, "Checking the one expected info_url: "+council.URL+"/all\n", lastLine(out.String()))

	check.Settings.GlobalInfoURL = council.URL + "/all"
	require.NoError(t, check.Check(t.Context(), shared[:1]))
	assertReason(t, "Expected all records to have the one info_url "+council.URL+`/all, got "`+council.URL+`/0" at record 0`, check.Check(t.Context(), numbered(2, council.URL)))
}

// always is a web of one page.
func always(p validate.Page) validate.Fetch {
	return func(context.Context, string) (validate.Page, error) { return p, nil }
}
