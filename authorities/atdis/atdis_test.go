package atdis_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/atdis"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

const day = "2016-03-22"

// site serves a feed: a page by its number, "" for the first. A page that it does not have is a server error.
type council struct {
	pages  map[string]string
	status int // of a page that it does not have; 500
	log    []string
}

func (s *council) answer(w http.ResponseWriter, r *http.Request) {
	s.log = append(s.log, r.Method+" "+r.RequestURI)
	page, ok := s.pages[r.URL.Query().Get("page")]
	if !ok {
		http.Error(w, "failed", max(s.status, http.StatusInternalServerError))
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	fmt.Fprint(w, page)
}

func (s *council) scrape(t testing.TB, o atdis.Options) (*registertest.Memory, error) {
	t.Helper()
	url, transport := registertest.Serve(t, s.answer)
	scraper, err := atdis.New(site.Site{Label: "test", URL: url + "/atdis/1.0/"}, o)
	require.NoError(t, err)
	return registertest.Scrape(t, scraper, transport, day)
}

func one(json string) *council { return &council{pages: map[string]string{"": json}} }

// feed is a page with these items; pagination is its members.
func feed(pagination string, items ...string) string {
	return fmt.Sprintf(`{"response": [%s], "count": %d, "pagination": {"pages": 9, "per_page": 20, %s}}`, strings.Join(items, ","), len(items), pagination)
}

const (
	last      = `"current": 1`
	reference = `"reference": {"more_info_url": "http:\/\/a.example\/1?b=c%2F"}`
	located   = `"locations": [{"address": {"street": "1 High St", "suburb": "LARGS", "state": "NSW", "postcode": "2320"}}]`
	described = `"dat_id": "DA-1", "description": "Shed"`
)

func application(info, rest string) string {
	return `{"application": {"info": {` + info + `}, ` + rest + `}}`
}

func numbered(n int) string {
	return application(fmt.Sprintf(`"dat_id": "%d", "description": "Shed"`, n), reference+","+located)
}

func TestOptions(t *testing.T) {
	for zone, want := range map[string]string{
		"":                   "",
		"Australia/Sydney":   "",
		"Australia/Adelaide": "",
		"UTC":                "",
		"Sydney":             `timezone: can't use "Sydney": expected a name such as Australia/Sydney`,
		"Local":              `timezone: can't use "Local": expected a name such as Australia/Sydney`,
		"+10:00":             `timezone: can't use "+10:00"`,
		"../etc/passwd":      `timezone: can't use "../etc/passwd"`,
	} {
		_, err := atdis.New(site.Site{}, atdis.Options{Timezone: zone})
		if want == "" {
			assert.NoError(t, err, zone)
		} else {
			assert.ErrorContains(t, err, want)
		}
	}
}

func TestRecord(t *testing.T) {
	s := one(feed(last, application(`"dat_id": " DA%2F12+b ", "description": " Two  spaces\r\n and more ", "lodgement_date": "2016-03-21T15:00:00Z",
		"notification_start_date": "2016-03-22", "notification_end_date": "2016-04-05T00:00:00+10:00", "never_seen": [1]`, reference+","+located+`, "people": []`)))
	m, err := s.scrape(t, atdis.Options{})
	require.NoError(t, err)
	assert.Equal(t, []map[string]string{{
		"council_reference": "DA/12 b",
		"address":           "1 High St, LARGS, NSW 2320",
		"description":       "Two  spaces\n and more",
		"date_received":     "2016-03-22",
		"on_notice_from":    "2016-03-22",
		"on_notice_to":      "2016-04-05",
		"date_scraped":      day,
		"info_url":          "http://a.example/1?b=c%2F",
	}}, m.Rows())
	assert.Equal(t, []string{"GET /atdis/1.0//applications.json?lodgement_date_start=2016-02-21&lodgement_date_end=2016-03-22"}, s.log, "thirty days, the address as written")
}

// The period ends on the council's own day.
func TestTodayIsTheCouncils(t *testing.T) {
	now := time.Date(2016, 3, 21, 13, 30, 0, 0, time.UTC) // 00:30 in Sydney, 21:30 in Perth
	for zone, want := range map[string]string{"Australia/Sydney": "2016-03-22", "Australia/Perth": "2016-03-21"} {
		var asked string
		url, transport := registertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
			asked = r.URL.Query().Get("lodgement_date_end")
			fmt.Fprint(w, feed(last))
		})
		scraper, err := atdis.New(site.Site{URL: url}, atdis.Options{Timezone: zone})
		require.NoError(t, err)
		visit := &site.Visit{Agent: agent.New(agent.Config{Fetch: fetch.Config{Transport: transport}}), Clock: site.Clock{Now: now}, Sink: &registertest.Memory{}}
		require.NoError(t, scraper.Scrape(t.Context(), visit))
		assert.Equal(t, want, asked, zone)
	}
}

func TestDates(t *testing.T) {
	for name, c := range map[string]struct{ zone, json, want string }{
		"midnight UTC is morning in Sydney":  {"", `"2016-03-21T00:00:00Z"`, "2016-03-21"},
		"evening UTC is the next day there":  {"", `"2016-03-21T13:00:00Z"`, "2016-03-22"},
		"an hour later outside summer time":  {"", `"2016-06-21T13:00:00Z"`, "2016-06-21"},
		"evening UTC in Perth":               {"Australia/Perth", `"2016-03-21T13:00:00Z"`, "2016-03-21"},
		"an offset":                          {"", `"2016-03-21T00:30:00+13:00"`, "2016-03-20"},
		"an offset without a colon":          {"", `"2016-03-21T23:30:00+0000"`, "2016-03-22"},
		"a fraction of a second":             {"", `"2016-03-21T13:00:00.123Z"`, "2016-03-22"},
		"no seconds":                         {"", `"2016-03-21T13:00Z"`, "2016-03-22"},
		"a space between":                    {"", `"2016-03-21 13:00:00 +0000"`, "2016-03-22"},
		"a space, and a colon in the offset": {"", `"2016-03-21 13:00:00 +00:00"`, "2016-03-22"},
		"small letters":                      {"", `"2016-03-21t13:00:00z"`, "2016-03-22"},
		"a date is taken as it is":           {"", `"2016-03-21"`, "2016-03-21"},
		"a date of a form":                   {"", `"21/03/2016"`, "2016-03-21"},
		"a time without an offset is theirs": {"", `"2016-03-21T23:59:59"`, "2016-03-21"},
		"null":                               {"", `null`, ""},
		"empty":                              {"", `""`, ""},
		"unreadable":                         {"", `"soon"`, ""},
		"a day that does not exist":          {"", `"2016-02-30"`, ""},
		"a time that does not exist":         {"", `"2016-03-21T25:00:00Z"`, ""},
		"a number":                           {"", `1458518400`, ""},
		"an object":                          {"", `{"date": "2016-03-21"}`, ""},
		"a truth value":                      {"", `true`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := one(feed(last, application(described+`, "lodgement_date": `+c.json, reference+","+located))).scrape(t, atdis.Options{Timezone: c.zone})
			require.NoError(t, err)
			require.Len(t, m.Rows(), 1, m.Rejected)
			got, has := m.Rows()[0]["date_received"]
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.want != "", has)
		})
	}
}

func TestReference(t *testing.T) {
	for json, want := range map[string]string{
		`"DA-2016-0589"`:   "DA-2016-0589",
		`"DA+2016%2f0589"`: "DA 2016/0589",
		`"100%25"`:         "100%",
		`"100% or 5%x"`:    "100% or 5%x",
		`"caf%C3%A9"`:      "café",
		`"caf%E9"`:         "caf%E9",
		`20160589`:         "20160589",
		`12.50`:            "12.50",
	} {
		m, err := one(feed(last, application(`"dat_id": `+json+`, "description": "Shed"`, reference+","+located))).scrape(t, atdis.Options{})
		require.NoError(t, err)
		require.Len(t, m.Rows(), 1, m.Rejected)
		assert.Equal(t, want, m.Rows()[0]["council_reference"])
	}
}

func TestAddress(t *testing.T) {
	address := func(json string) string { return `{"address": ` + json + `, "land_title_ref": {}}` }
	full := address(`{"street": "1 High St", "suburb": "LARGS", "state": "NSW", "postcode": "2320"}`)
	for name, c := range map[string]struct{ locations, want, rejected string }{
		"the first of two":          {`[` + full + `,` + address(`{"street": "2 Low St"}`) + `]`, "1 High St, LARGS, NSW 2320", ""},
		"the first that has one":    {`[{"geometry": {}}, {"address": null}, ` + full + `]`, "1 High St, LARGS, NSW 2320", ""},
		"spaces around":             {`[` + address(`{"street": " 1  High St\n", "suburb": " LARGS ", "state": "NSW", "postcode": "2320"}`) + `]`, "1  High St, LARGS, NSW 2320", ""},
		"a number as postcode":      {`[` + address(`{"street": "1 High St", "suburb": "LARGS", "state": "NSW", "postcode": 2320}`) + `]`, "1 High St, LARGS, NSW 2320", ""},
		"no street":                 {`[` + address(`{"street": null, "suburb": "LARGS", "state": "NSW", "postcode": "2320"}`) + `]`, "LARGS, NSW 2320", ""},
		"no suburb":                 {`[` + address(`{"street": "1 High St", "state": "NSW", "postcode": "2320"}`) + `]`, "1 High St, NSW 2320", ""},
		"no postcode":               {`[` + address(`{"street": "1 High St", "suburb": "LARGS", "state": "NSW"}`) + `]`, "1 High St, LARGS, NSW", ""},
		"no state":                  {`[` + address(`{"street": "1 High St", "suburb": "LARGS", "postcode": "2320"}`) + `]`, "1 High St, LARGS, 2320", ""},
		"a state is no address":     {`[` + address(`{"street": " ", "suburb": "", "state": "NSW", "postcode": "2320"}`) + `]`, "", "DA-1: address is blank"},
		"an empty one is taken":     {`[` + address(`{}`) + `,` + full + `]`, "", "DA-1: address is blank"},
		"no location":               {`[]`, "", "DA-1: address is blank"},
		"no locations":              {`null`, "", "DA-1: address is blank"},
		"an address that is a text": {`[{"address": "1 High St"}]`, "", "DA-1: read the application: application.locations.address is a JSON string"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := one(feed(last, application(described, reference+`, "locations": `+c.locations))).scrape(t, atdis.Options{})
			require.NoError(t, err)
			if c.want == "" {
				assert.Equal(t, []string{c.rejected}, m.Rejected)
				return
			}
			require.Len(t, m.Rows(), 1, m.Rejected)
			assert.Equal(t, c.want, m.Rows()[0]["address"])
		})
	}
}

// An item that is no good is rejected, and the others go on.
func TestItemsThatAreNoRecords(t *testing.T) {
	for name, c := range map[string]struct{ item, want string }{
		"no reference":        {application(`"description": "Shed"`, reference+","+located), ": council_reference is blank"},
		"no description":      {application(`"dat_id": "1", "description": null`, reference+","+located), "1: description is blank"},
		"no more_info_url":    {application(described, located), "DA-1: info_url is blank"},
		"no application":      {`{}`, ": council_reference is blank"},
		"null":                {`null`, ": council_reference is blank"},
		"a number":            {`7`, ": read the application: it is a JSON number"},
		"info that is a list": {`{"application": {"info": []}}`, ": read the application: application.info is a JSON array"},
		"locations as one":    {application(described, reference+`, "locations": {"address": {}}`), "DA-1: read the application: application.locations is a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := one(feed(last, c.item, numbered(2))).scrape(t, atdis.Options{})
			require.NoError(t, err)
			assert.Equal(t, []string{c.want}, m.Rejected)
			assert.Contains(t, m.ByReference, "2")
		})
	}
}

func TestPages(t *testing.T) {
	for name, c := range map[string]struct {
		pages   map[string]string
		asked   []string
		records int
	}{
		"to the last": {map[string]string{
			"":  feed(`"current": 1, "next": 2`, numbered(1)),
			"2": feed(`"current": 2, "next": "3"`, numbered(2)),
			"3": feed(`"current": 3, "next": null`, numbered(3)),
		}, []string{"", "2", "3"}, 3},
		"in a circle, as their own numbers tell": {map[string]string{
			"":  feed(`"current": 1, "next": 2`, numbered(1)),
			"2": feed(`"current": 2, "next": 3`, numbered(2)),
			"3": feed(`"current": 2, "next": 3`, numbered(3)),
		}, []string{"", "2", "3"}, 2},
		"in a circle, as their rows tell": {map[string]string{
			"":  feed(`"next": 2`, numbered(1)),
			"2": feed(`"next": 2`, numbered(2)),
		}, []string{"", "2", "2"}, 2},
		"until one without pagination": {map[string]string{
			"":  feed(`"current": 1, "next": 2`, numbered(1)),
			"2": `{"response": [` + numbered(2) + `]}`,
		}, []string{"", "2"}, 1},
		"until one whose pagination is null": {map[string]string{
			"":  feed(`"current": 1, "next": 2`, numbered(1)),
			"2": `{"response": [` + numbered(2) + `], "pagination": null}`,
		}, []string{"", "2"}, 1},
		"until one whose pagination is a list": {map[string]string{"": `{"response": [` + numbered(1) + `], "pagination": []}`}, []string{""}, 0},
		"until one without applications": {map[string]string{
			"":  feed(`"current": 1, "next": 2`, numbered(1)),
			"2": feed(`"current": 2, "next": 3`),
		}, []string{"", "2"}, 1},
		"a feed that says it is empty":       {map[string]string{"": `{"response": [], "count": 0, "pagination": {"pages": 1, "current": 1}}`}, []string{""}, 0},
		"a response of null":                 {map[string]string{"": `{"response": null, "pagination": {"current": 1, "next": 2}}`}, []string{""}, 0},
		"pages without numbers of their own": {map[string]string{"": feed(`"next": 2`, numbered(1)), "2": feed(`"pages": 2`, numbered(2))}, []string{"", "2"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := &council{pages: c.pages}
			m, err := s.scrape(t, atdis.Options{})
			require.NoError(t, err)
			var asked []string
			for _, request := range s.log {
				_, page, _ := strings.Cut(request, "&page=")
				asked = append(asked, page)
				assert.Contains(t, request, "?lodgement_date_start=2016-02-21&lodgement_date_end=2016-03-22", "every page is of the same period")
			}
			assert.Equal(t, c.asked, asked)
			assert.Len(t, m.Rows(), c.records)
			assert.Empty(t, m.Rejected)
		})
	}
}

func FuzzScrape(f *testing.F) {
	f.Add(feed(`"current": 1, "next": 2`, numbered(1)), feed(`"current": 2, "next": 2`, numbered(2)))
	f.Add(`{"pagination": {"next": {}}, "response": [[], null, {"application": {"locations": [null]}}]}`, `{"pagination": 1, "response": 2}`)
	f.Fuzz(func(t *testing.T, first, second string) {
		s := &council{pages: map[string]string{"": first, "2": second}}
		scraper, err := atdis.New(site.Site{URL: "http://a.example"}, atdis.Options{})
		require.NoError(t, err)
		_, _ = registertest.Scrape(t, scraper, registertest.InProcess(s.answer), day)
		if len(s.log) > 4 {
			t.Fatalf("%d requests", len(s.log))
		}
	})
}

// A row may ask for the run's plan of days: the last ones every time, older ones in turn.
func TestDateRanges(t *testing.T) {
	s := one(feed(last, "{"+`"application": {"info": {`+described+`}}`+"}"))
	_, err := s.scrape(t, atdis.Options{DateRanges: true})
	require.NoError(t, err)
	assert.Equal(t, []string{"GET /atdis/1.0//applications.json?lodgement_date_start=2016-03-04&lodgement_date_end=2016-03-22"}, s.log, "half of 33 days")
}
