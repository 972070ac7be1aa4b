package civica_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/civica"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

const day = "2019-05-15"

// site serves a council: its search page, the list that the form leads to, and detail pages.
type council struct {
	search  string
	list    string
	details []string // by their index
	log     []string
	from    []string // the referrer of each detail page
}

const (
	searchPath = "/eservice/daEnquiryInit.do?nodeNum=1"
	listPath   = "/eservice/daEnquiry/currentlyAdvertised.do?nodeNum=1"
)

func (s *council) answer(w http.ResponseWriter, r *http.Request) {
	s.log = append(s.log, r.Method+" "+r.RequestURI)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch r.URL.Path {
	case "/eservice/daEnquiryInit.do":
		fmt.Fprint(w, s.search)
	case "/eservice/daEnquiryDetails.do":
		s.from = append(s.from, r.Referer())
		var index int
		if _, err := fmt.Sscan(r.URL.Query().Get("index"), &index); err != nil || index < 0 || index >= len(s.details) {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, s.details[index])
	default:
		fmt.Fprint(w, s.list)
	}
}

func (s *council) scrape(t testing.TB, path string, o civica.Options) (*registertest.Memory, string, error) {
	t.Helper()
	url, transport := registertest.Serve(t, s.answer)
	scraper, err := civica.New(site.Site{Label: "test", URL: url + path}, o)
	require.NoError(t, err)
	m, err := registertest.Scrape(t, scraper, transport, day)
	return m, url, err
}

// advertised scrapes a list without a search.
func (s *council) advertised(t testing.TB, o civica.Options) (*registertest.Memory, error) {
	t.Helper()
	m, _, err := s.scrape(t, listPath, o)
	return m, err
}

const form = `<form action=menu/search.do><input name=search value="Menu Search"><input type=submit value=Go></form>
	<form action="daEnquiry.do" id="daEnquiryForm" name="daEnquiryForm">
	<input type=text name=number value=""><input type=radio name=lodgeRangeType>
	<input name=dateFrom value="x"><input name=dateTo value="y">
	<select name=houseNum><option value="0&#xA;&#x9;&#x9;">None</option><option value=1>1</option></select>
	<input type=radio name=searchMode value=A checked><input type=radio name=searchMode value=D><input type=radio name=searchMode value=C>
	<input type=submit name=submitButton value=Search><input type=button name=clearButton value=Clear></form>`

// results is a list page with these applications.
func results(applications ...string) string {
	return `<div class=infopanel><h4>Instructions</h4></div><div class="bodypanel" id=bodypanel1></div>
		<?xml version="1.0" encoding="UTF-8"?><div>` + strings.Join(applications, "") + `<div class=button-panel><a href="/eservice/daEnquiryInit.do">New Search</a></div></div><div></div>`
}

// application is a heading with a link to the detail page of an index, and pairs of keys and values.
func application(index int, address string, pairs ...string) string {
	html := fmt.Sprintf(`<h4 class=non_table_headers><a class=plain_header href="/eservice/daEnquiryDetails.do?index=%d">%s</a></h4>`, index, address)
	return html + block(pairs...) + `<p class=rowDataOnly> </p>`
}

func block(pairs ...string) string {
	html := `<div>`
	for i := 0; i+1 < len(pairs); i += 2 {
		html += `<p class=rowDataOnly><span class=key>` + pairs[i] + `</span><span class=inputField>` + pairs[i+1] + `</span></p>`
	}
	return html + `</div>`
}

// detail is a detail page with the rows of a task table: stage, opened, target, completed.
func detail(summary string, rows ...[4]string) string {
	html := `<table summary="Payment Requests"><tr><td></td><td>Notification</td><td>1/1/2030</td><td></td><td>2/1/2030</td></tr></table>
		<table summary="` + summary + `"><tr><th>Milestone</th><th>Stage Description</th><th>Opened</th><th>Target Date</th><th>Completed Date</th><th>Status</th></tr>`
	for _, r := range rows {
		html += `<tr><td /><td>` + r[0] + `</td><td>` + r[1] + `</td><td>` + r[2] + `</td><td>` + r[3] + `</td><td>Completed</td></tr>`
	}
	return html + `</table>`
}

const tasks = "Tasks Associated this Development Application"

func TestOptions(t *testing.T) {
	build := func(path, period string) error {
		_, err := civica.New(site.Site{URL: "http://a.example" + path}, civica.Options{Period: period})
		return err
	}
	assert.EqualError(t, build(searchPath, "ever"), `period: can't use "ever": expected one of last7days, last10days, last30days, lastmonth, last2months, advertised`)
	assert.ErrorContains(t, build(searchPath, ""), `period: can't use "": expected one of`)
	assert.NoError(t, build(listPath, ""), "a list needs no period")
	assert.ErrorContains(t, build(listPath, "ever"), `period: can't use "ever"`)
}

func TestRecord(t *testing.T) {
	s := &council{search: form, list: results(application(0, " 1  High St   TOWN\u00a0 NSW - Lot  3 - x ",
		"Type", "DA", "Type of Work", " Two  spaces\n and\ta tab ", "Application No.", "12/2019", "Date Lodged", "1/2/2019", "Cost of Work", "$1"))}
	m, url, err := s.scrape(t, searchPath, civica.Options{Period: "last30days"})
	require.NoError(t, err)
	assert.Equal(t, []map[string]string{{
		"council_reference": "12/2019",
		"address":           "1 High St TOWN\u00a0 NSW",
		"description":       "Two  spaces\n and\ta tab",
		"date_received":     "2019-02-01",
		"date_scraped":      day,
		"info_url":          url + searchPath,
	}}, m.Rows())
	assert.Len(t, s.log, 2, "no detail page")
}

// The form goes out with its defaults as they stand, line ends and tabs included, and without its buttons.
func TestSearch(t *testing.T) {
	const defaults = "&houseNum=0%0A%09%09&searchMode="
	for period, want := range map[string]string{
		"last7days":   "dateFrom=08%2F05%2F2019&dateTo=15%2F05%2F2019" + defaults + "A",
		"last10days":  "dateFrom=05%2F05%2F2019&dateTo=15%2F05%2F2019" + defaults + "A",
		"last30days":  "dateFrom=15%2F04%2F2019&dateTo=15%2F05%2F2019" + defaults + "A",
		"lastmonth":   "dateFrom=15%2F04%2F2019&dateTo=15%2F05%2F2019" + defaults + "A",
		"last2months": "dateFrom=15%2F03%2F2019&dateTo=15%2F05%2F2019" + defaults + "A",
		"advertised":  "dateFrom=&dateTo=" + defaults + "C",
	} {
		t.Run(period, func(t *testing.T) {
			s := &council{search: form, list: results()}
			_, _, err := s.scrape(t, searchPath, civica.Options{Period: period})
			require.NoError(t, err)
			assert.Equal(t, []string{"GET " + searchPath, "GET /eservice/daEnquiry.do?number=&" + want}, s.log)
		})
	}
	t.Run("a form known by its name", func(t *testing.T) {
		s := &council{search: strings.Replace(form, `id="daEnquiryForm"`, "", 1), list: results()}
		_, _, err := s.scrape(t, searchPath, civica.Options{Period: "last7days"})
		assert.NoError(t, err)
	})
	t.Run("a search mode that is no choice", func(t *testing.T) {
		s := &council{search: `<form id=daEnquiryForm action=daEnquiry.do><input name=dateFrom><input name=dateTo><input type=hidden name=searchMode value=A></form>`, list: results()}
		_, _, err := s.scrape(t, searchPath, civica.Options{Period: "advertised"})
		require.NoError(t, err)
		assert.Equal(t, "GET /eservice/daEnquiry.do?dateFrom=&dateTo=&searchMode=C", s.log[1])
	})
}

func TestMonthsEndWhereTheyEnd(t *testing.T) {
	for today, want := range map[string]string{"2019-03-31": "28%2F02%2F2019", "2020-03-31": "29%2F02%2F2020", "2019-01-31": "31%2F12%2F2018", "2019-03-01": "01%2F02%2F2019"} {
		var log []string
		url, transport := registertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
			log = append(log, r.RequestURI)
			fmt.Fprint(w, form, results())
		})
		scraper, err := civica.New(site.Site{URL: url + searchPath}, civica.Options{Period: "lastmonth"})
		require.NoError(t, err)
		_, err = registertest.Scrape(t, scraper, transport, today)
		require.NoError(t, err)
		require.Len(t, log, 2)
		assert.Contains(t, log[1], "dateFrom="+want, today)
	}
}

func TestAListNeedsNoSearch(t *testing.T) {
	for _, period := range []string{"", "advertised", "last30days"} {
		s := &council{list: results(application(0, "1 High St", "Application No.", "1", "Type of Work", "Shed"))}
		m, url, err := s.scrape(t, listPath, civica.Options{Period: period})
		require.NoError(t, err)
		assert.Equal(t, []string{"GET " + listPath}, s.log)
		require.Len(t, m.Rows(), 1)
		assert.Equal(t, url+listPath, m.Rows()[0]["info_url"])
	}
}

// Every name that a key is known by is understood, in any case and with a colon; others are passed over.
func TestKeys(t *testing.T) {
	for _, names := range [][3]string{
		{"Type of Work", "Application No.", "Date Lodged"},
		{"Description of Work", "Reference No.", "Date Lodged"},
		{"Development Description", "Application No.", "Date Lodged"},
		{"TYPE OF WORK:", "application  no", "date lodged :"},
	} {
		t.Run(strings.Join(names[:], ","), func(t *testing.T) {
			s := &council{list: results(application(0, "1 High St", "Never seen", "?", names[0], "Shed", names[1], "1", names[2], "1/2/2019", "Applicant", "A", "Date Lodged To", "x"))}
			m, err := s.advertised(t, civica.Options{})
			require.NoError(t, err)
			require.Len(t, m.Rows(), 1)
			row := m.Rows()[0]
			assert.Equal(t, []string{"Shed", "1", "2019-02-01"}, []string{row["description"], row["council_reference"], row["date_received"]})
		})
	}
	t.Run("twice: the later one counts", func(t *testing.T) {
		s := &council{list: results(application(0, "1 High St", "Type of Work", "House", "Application No.", "1", "Description of Work", "Shed"))}
		m, err := s.advertised(t, civica.Options{})
		require.NoError(t, err)
		assert.Equal(t, "Shed", m.Rows()[0]["description"])
	})
}

func TestHeadings(t *testing.T) {
	one := application(0, "1 High St", "Application No.", "1", "Type of Work", "Shed")
	for name, html := range map[string]string{
		"h4":                         one,
		"h2":                         strings.ReplaceAll(one, "h4", "h2"),
		"without a link":             `<h4>1 High St</h4>` + block("Application No.", "1", "Type of Work", "Shed"),
		"after a heading of no one":  `<h2>Search Results</h2><p>We found one</p>` + one,
		"in an element of their own": `<ul><li>` + one + `</li></ul>`,
	} {
		t.Run(name, func(t *testing.T) {
			m, err := (&council{list: results(html)}).advertised(t, civica.Options{})
			require.NoError(t, err)
			require.Len(t, m.Rows(), 1)
			assert.Equal(t, "1 High St", m.Rows()[0]["address"])
			assert.Empty(t, m.Rejected)
		})
	}
	t.Run("an element that is written as an empty one ends", func(t *testing.T) {
		m, err := (&council{list: `<div class="bodypanel"><div class="clear" /></div><div>` + one + `</div>`}).advertised(t, civica.Options{})
		require.NoError(t, err)
		assert.Len(t, m.Rows(), 1)
	})
	t.Run("those elsewhere do not count", func(t *testing.T) {
		m, err := (&council{list: one + results() + one}).advertised(t, civica.Options{})
		require.NoError(t, err)
		assert.Empty(t, m.Rows())
	})
}

func TestMissingAndEmptyValues(t *testing.T) {
	for name, c := range map[string]struct {
		pairs                 []string
		description, rejected string
	}{
		"no description":       {[]string{"Application No.", "1"}, "No description provided", ""},
		"an empty description": {[]string{"Application No.", "1", "Type of Work", " "}, "", "1: description is blank"},
		"no reference":         {[]string{"Type of Work", "Shed"}, "", ": council_reference is blank"},
		"an empty reference":   {[]string{"Application No.", "", "Type of Work", "Shed"}, "", ": council_reference is blank"},
		"no date":              {[]string{"Application No.", "1", "Type of Work", "Shed"}, "Shed", ""},
		"an empty date":        {[]string{"Application No.", "1", "Type of Work", "Shed", "Date Lodged", ""}, "Shed", ""},
		"a broken date":        {[]string{"Application No.", "1", "Type of Work", "Shed", "Date Lodged", "31/2/2019"}, "", `1: "31/2/2019" is no date: expected one like 31/12/2019`},
	} {
		t.Run(name, func(t *testing.T) {
			other := application(1, "2 High St", "Application No.", "2", "Type of Work", "House")
			m, err := (&council{list: results(application(0, "1 High St", c.pairs...), other)}).advertised(t, civica.Options{})
			require.NoError(t, err)
			if c.rejected != "" {
				assert.Equal(t, []string{c.rejected}, m.Rejected)
				assert.Len(t, m.Rows(), 1, "the others go on")
				return
			}
			require.Len(t, m.Rows(), 2)
			assert.Equal(t, c.description, m.ByReference["1"]["description"])
			assert.NotContains(t, m.ByReference["1"], "date_received")
		})
	}
	t.Run("nothing after an address", func(t *testing.T) {
		other := application(1, "2 High St", "Application No.", "2", "Type of Work", "House")
		m, err := (&council{list: results(application(0, "1 High St"), other)}).advertised(t, civica.Options{})
		require.NoError(t, err)
		assert.Equal(t, []string{": council_reference is blank"}, m.Rejected)
	})
}

func TestLayoutErrors(t *testing.T) {
	for name, c := range map[string]struct {
		site *council
		want string
	}{
		"no form":         {&council{search: `<form id=login></form>`}, `search: no form #daEnquiryForm, [name="daEnquiryForm"] in http`},
		"no date field":   {&council{search: strings.Replace(form, "name=dateTo", "name=until", 1)}, `search: no field dateTo in http`},
		"no search mode":  {&council{search: strings.Replace(form, "searchMode value=C", "searchMode value=X", 1)}, `search: no field searchMode C in http`},
		"no list":         {&council{search: form, list: `<p>Sorry`}, `no div after div.bodypanel in http`},
		"no one's number": {&council{search: form, list: results(application(0, "1 High St", "No.", "1", "Type of Work", "Shed"), application(1, "2 High St", "No.", "2"))}, `(found: No., Type of Work)`},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := c.site.scrape(t, searchPath, civica.Options{Period: "advertised"})
			var layout *scraperutils.LayoutError
			require.ErrorAs(t, err, &layout)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestNoApplications(t *testing.T) {
	m, err := (&council{list: results()}).advertised(t, civica.Options{NoticePeriod: true})
	require.NoError(t, err)
	assert.Empty(t, m.Rows())
	assert.Empty(t, m.Rejected)
}

func FuzzScrape(f *testing.F) {
	full := application(0, "1 High St", "Application No.", "1", "Type of Work", "Shed", "Date Lodged", "1/2/2019")
	f.Add(form, results(full), detail(tasks, [4]string{"Notification", "1/1/2019", "", "2/1/2019"}))
	f.Add("<form name=daEnquiryForm><table><form>", "<div class=bodypanel></div><div><h4><a href='%zz'><h2><a href=''>", "<table summary=x><tr><td><tr>")
	f.Fuzz(func(t *testing.T, search, list, detail string) {
		s := &council{search: search, list: list, details: []string{detail}}
		scraper, err := civica.New(site.Site{URL: "http://a.example" + searchPath}, civica.Options{Period: "advertised", NoticePeriod: true})
		require.NoError(t, err)
		_, _ = registertest.Scrape(t, scraper, registertest.InProcess(s.answer), day)
		if len(s.log) > 1000 {
			t.Fatalf("%d requests", len(s.log))
		}
	})
}

// Lines are looked at once for each heading before them, up to a limit: blocks may stand inside each other.
func TestHeadingsAroundHeadings(t *testing.T) {
	list := `<div class=bodypanel></div><div>` + strings.Repeat("<h4><a href=x>1</a></h4><div>", 200) + strings.Repeat("<p>x", 1001)
	_, err := (&council{list: list}).advertised(t, civica.Options{})
	var large *scraperutils.TooLargeError
	require.ErrorAs(t, err, &large)
	assert.ErrorContains(t, err, "the list has more than 200000 lines")
}
