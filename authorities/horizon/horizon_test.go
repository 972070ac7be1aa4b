package horizon_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/horizon"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

const (
	day   = "2019-05-15"
	logOn = "/Horizon/logonGuest.aw?domain=horizondap"
)

// site serves a council: the log-on, and an answer for each start.
type council struct {
	answers map[string]string // by start; "" is for all others
	log     []string
	asked   []url.Values // the queries after the log-on
}

func (s *council) answer(w http.ResponseWriter, r *http.Request) {
	s.log = append(s.log, r.Method+" "+r.URL.Path)
	if r.URL.Path != "/Horizon/urlRequest.aw" {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "guest"})
		fmt.Fprint(w, "<p>Loading")
		return
	}
	if _, err := r.Cookie("session"); err != nil {
		http.Error(w, "log on first", http.StatusForbidden)
		return
	}
	query := r.URL.Query()
	s.asked = append(s.asked, query)
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	answer, ok := s.answers[query.Get("start")]
	if !ok {
		answer = s.answers[""]
	}
	fmt.Fprint(w, answer)
}

func (s *council) scrape(t testing.TB, o horizon.Options) (*registertest.Memory, string, error) {
	t.Helper()
	base, transport := registertest.Serve(t, s.answer)
	o.State = "NSW"
	scraper, err := horizon.New(site.Site{Label: "test", URL: base + logOn}, o)
	require.NoError(t, err)
	m, err := registertest.Scrape(t, scraper, transport, day)
	return m, base, err
}

func answered(xml string) *council { return &council{answers: map[string]string{"": xml}} }

// dataset is an answer with these rows, of a total number.
func dataset(total string, rows ...string) string {
	return "<?xml version='1.0' encoding='UTF-8' ?>\n<root> <run_query_action_return> <run_query_action_success> <dataset> <total>" + total + "</total> " +
		strings.Join(rows, "\n") + " </dataset> </run_query_action_success> </run_query_action_return> </root>"
}

// row is one with pairs of names and values.
func row(pairs ...string) string {
	xml := "<row> <id>7</id> <BAS_REF_VALUE>Applications:7</BAS_REF_VALUE>"
	for i := 0; i+1 < len(pairs); i += 2 {
		xml += fmt.Sprintf(` <%s org_value="%s"></%s>`, pairs[i], pairs[i+1], pairs[i])
	}
	return xml + " <BAS_PROTECTED></BAS_PROTECTED> </row>"
}

func numbered(n int) string {
	return row("AccountNumber", fmt.Sprint(n), "Property", "1 High St TOWN 2000", "Description", "Shed", "Lodged", "1/2/2019")
}

func TestOptions(t *testing.T) {
	_, err := horizon.New(site.Site{URL: "http://a.example/Horizon/logonGuest.aw"}, horizon.Options{PageSize: -1})
	assert.EqualError(t, err, `page_size: can't use "-1": expected a number of rows`)
	_, err = horizon.New(site.Site{URL: "http://a.example/%zz"}, horizon.Options{})
	assert.ErrorContains(t, err, `url: can't use "http://a.example/%zz": expected a URL`)
}

func TestRecord(t *testing.T) {
	s := answered(dataset(" 1 ", row("AccountNumber", " DA 2019/63.1 ", "Property", " 1  High St TOWN 2000, 2 Low St, Lot 3 ", "Description", "Shed &amp; two  decks&#10;and more ",
		"Lodged", " 1/2/2019 ", "AppType", "DA")))
	m, url, err := s.scrape(t, horizon.Options{})
	require.NoError(t, err)
	assert.Equal(t, []map[string]string{{
		"council_reference": "DA 2019/63.1",
		"address":           "1  High St TOWN 2000 NSW",
		"description":       "Shed & two  decks\nand more",
		"date_received":     "2019-02-01",
		"date_scraped":      day,
		"info_url":          url + logOn,
	}}, m.Rows())
	assert.Equal(t, []string{"GET /Horizon/logonGuest.aw", "GET /Horizon/urlRequest.aw"}, s.log)
}

func TestQuery(t *testing.T) {
	for name, c := range map[string]struct {
		options            horizon.Options
		what, called, size string
	}{
		"by default": {
			horizon.Options{},
			"FIND Applications WHERE MONTH(Applications.Lodged)=CURRENT_MONTH AND YEAR(Applications.Lodged)=CURRENT_YEAR ORDER BY Applications.Lodged DESC",
			"SubmittedThisMonth", "500",
		},
		"of a council": {
			horizon.Options{PageSize: 100, QueryString: "FIND Applications WHERE NOT(StatusName IN 'Pending', 'Cancelled')", QueryName: "Application_LodgedThisMonth"},
			"FIND Applications WHERE NOT(StatusName IN 'Pending', 'Cancelled')",
			"Application_LodgedThisMonth", "100",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := answered(dataset("0"))
			_, _, err := s.scrape(t, c.options)
			require.NoError(t, err)
			assert.Equal(t, []url.Values{{
				"actionType": {"run_query_action"}, "query_string": {c.what}, "query_name": {c.called},
				"take": {"50"}, "skip": {"0"}, "start": {"0"}, "pageSize": {c.size},
			}}, s.asked)
		})
	}
}

// Both forms of rows are understood, in any case, also mixed; each has its own names alone.
func TestForms(t *testing.T) {
	for name, xml := range map[string]string{
		"accounts":           row("AccountNumber", "1", "Property", "1 High St", "Description", "Shed", "Lodged", "1/2/2019", "NeverSeen", "?"),
		"entries":            row("EntryAccount", "1", "PropertyDescription", "1 High St", "Details", "Shed", "Lodged", "1/2/2019"),
		"in another case":    row("ACCOUNTNUMBER", "1", "property", "1 High St", "description", "Shed", "lodged", "1/2/2019"),
		"accounts with more": row("EntryAccount", "x", "PropertyDescription", "x", "Details", "x", "AccountNumber", "1", "Property", "1 High St", "Description", "Shed", "Lodged", "1/2/2019"),
		"entries with more":  row("Property", "x", "Description", "x", "EntryAccount", "1", "PropertyDescription", "1 High St", "Details", "Shed", "Lodged", "1/2/2019"),
		"mixed": row("AccountNumber", "1", "Property", "1 High St", "Description", "Shed", "Lodged", "1/2/2019") +
			row("EntryAccount", "2", "PropertyDescription", "1 High St", "Details", "Shed", "Lodged", "1/2/2019"),
		"a column twice": row("AccountNumber", "0", "AccountNumber", "1", "Property", "1 High St", "Description", "Shed", "Lodged", "1/2/2019"),
	} {
		t.Run(name, func(t *testing.T) {
			m, _, err := answered(dataset("2", xml)).scrape(t, horizon.Options{})
			require.NoError(t, err)
			assert.Equal(t, strings.Count(xml, "<row>"), len(m.Rows()))
			got := m.ByReference["1"]
			assert.Equal(t, []string{"1 High St NSW", "Shed", "2019-02-01"}, []string{got["address"], got["description"], got["date_received"]})
		})
	}
}

func TestLodged(t *testing.T) {
	for text, want := range map[string]string{
		"1/2/2019": "2019-02-01", "01-02-2019": "2019-02-01", "1 Feb 2019": "2019-02-01", "2019-02-01": "2019-02-01", "2019-02-01T09:30:00": "2019-02-01",
		"2019-02-01 09:30:00.0": "2019-02-01", "01/02/2019 9:30:00 AM": "2019-02-01", "": "",
	} {
		m, _, err := answered(dataset("1", row("AccountNumber", "1", "Property", "1 High St", "Description", "Shed", "Lodged", text))).scrape(t, horizon.Options{})
		require.NoError(t, err)
		require.Len(t, m.Rows(), 1, text)
		assert.Equal(t, want, m.Rows()[0]["date_received"], text)
	}
}

// What one row lacks is that row's failure; the others go on.
func TestRowsThatAreNoRecords(t *testing.T) {
	for name, c := range map[string]struct{ xml, want string }{
		"an empty address":      {row("AccountNumber", "1", "Property", " ", "Description", "Shed"), "1: address is blank"},
		"an address of a comma": {row("AccountNumber", "1", "Property", ", TOWN", "Description", "Shed"), "1: address is blank"},
		"no columns at all":     {"<row/>", ": council_reference is blank"},
		"no address":            {row("AccountNumber", "1", "Description", "Shed"), "1: address is blank"},
		"an empty description":  {row("AccountNumber", "1", "Property", "1 High St", "Description", "", "Details", "Shed"), "1: description is blank"},
		"no value at all":       {"<row><AccountNumber>1</AccountNumber></row>", ": council_reference is blank"},
		"an empty reference":    {row("AccountNumber", "", "EntryAccount", "1", "Property", "1 High St", "Description", "Shed"), ": council_reference is blank"},
		"a broken date":         {row("AccountNumber", "1", "Property", "1 High St", "Description", "Shed", "Lodged", "31/2/2019"), `1: "31/2/2019" is no date: expected one like 31/12/2019`},
	} {
		t.Run(name, func(t *testing.T) {
			m, _, err := answered(dataset("3", numbered(2), c.xml, numbered(3))).scrape(t, horizon.Options{})
			require.NoError(t, err)
			assert.Equal(t, []string{c.want}, m.Rejected)
			assert.Len(t, m.Rows(), 2)
		})
	}
	t.Run("the last of them too", func(t *testing.T) {
		m, _, err := answered(dataset("2", numbered(1), "<row/>")).scrape(t, horizon.Options{})
		require.NoError(t, err)
		assert.Len(t, m.Rejected, 1)
	})
	t.Run("no date is no failure", func(t *testing.T) {
		m, _, err := answered(dataset("1", row("AccountNumber", "1", "Property", "1 High St", "Description", "Shed"))).scrape(t, horizon.Options{})
		require.NoError(t, err)
		assert.NotContains(t, m.ByReference["1"], "date_received")
	})
}

func TestStateIsOptional(t *testing.T) {
	base, transport := registertest.Serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, dataset("1", numbered(1))) })
	scraper, err := horizon.New(site.Site{URL: base + logOn}, horizon.Options{})
	require.NoError(t, err)
	m, err := registertest.Scrape(t, scraper, transport, day)
	require.NoError(t, err)
	assert.Equal(t, "1 High St TOWN 2000", m.Rows()[0]["address"])
}

// The answers go on while their start is at most the total.
func TestPages(t *testing.T) {
	for name, c := range map[string]struct {
		answers map[string]string
		starts  []string
		records int
		want    string // of the error
	}{
		"less than a page":    {map[string]string{"": dataset("1", numbered(1))}, []string{"0"}, 1, ""},
		"just a page":         {map[string]string{"0": dataset("2", numbered(1), numbered(2)), "": dataset("2")}, []string{"0", "2"}, 2, ""},
		"more than a page":    {map[string]string{"0": dataset("3", numbered(1), numbered(2)), "2": dataset("3", numbered(3))}, []string{"0", "2"}, 3, ""},
		"a page without rows": {map[string]string{"0": dataset("99", numbered(1), numbered(2)), "": dataset("99")}, []string{"0", "2"}, 2, ""},
		"always the same":     {map[string]string{"": dataset("99", numbered(1), numbered(2))}, []string{"0", "2"}, 2, ""},
		"no rows at all":      {map[string]string{"": dataset("0")}, []string{"0"}, 0, ""},
		"a page of an error":  {map[string]string{"0": dataset("99", numbered(1), numbered(2)), "": "<root><x/></root>"}, []string{"0", "2"}, 2, "no run_query_action_return in root"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &council{answers: c.answers}
			m, _, err := s.scrape(t, horizon.Options{PageSize: 2})
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
			}
			var starts []string
			for _, query := range s.asked {
				starts = append(starts, query.Get("start"))
			}
			assert.Equal(t, c.starts, starts)
			assert.Len(t, m.Rows(), c.records)
		})
	}
}

func TestLayoutErrors(t *testing.T) {
	for name, c := range map[string]struct{ xml, want string }{
		"no XML":             {"Sorry", "no root in http"},
		"a page":             {"<html><body>Sorry</body></html>", "no run_query_action_return in html in http"},
		"a failure":          {"<root><run_query_action_return><run_query_action_failure/></run_query_action_return></root>", "(found: run_query_action_failure)"},
		"no dataset":         {"<root><run_query_action_return><run_query_action_success/></run_query_action_return></root>", "no dataset in run_query_action_success in http"},
		"no total":           {strings.Replace(dataset("1", numbered(1)), "total>", "count>", 2), "no total in dataset in http"},
		"a total of letters": {dataset("many", numbered(1)), "(found: many)"},
		"no reference":       {dataset("1", row("Number", "1", "Property", "1 High St", "Description", "Shed")), "(found: id, BAS_REF_VALUE, Number, Property, Description, BAS_PROTECTED)"},
		"no address":         {dataset("1", row("EntryAccount", "1", "Property", "1 High St", "Details", "Shed")), "no column address in http"},
		"no description":     {dataset("1", row("AccountNumber", "1", "Property", "1 High St", "Details", "Shed")), "no column description in http"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := answered(c.xml).scrape(t, horizon.Options{})
			var layout *scraperutils.LayoutError
			require.ErrorAs(t, err, &layout)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestHTTPErrors(t *testing.T) {
	for failing, want := range map[string]string{"logonGuest.aw": "log on as a guest: 404", "urlRequest.aw": "fetch the applications from number 0 on: 404"} {
		base, transport := registertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, failing) {
				http.NotFound(w, r)
			}
		})
		scraper, err := horizon.New(site.Site{URL: base + logOn}, horizon.Options{})
		require.NoError(t, err)
		_, err = registertest.Scrape(t, scraper, transport, day)
		assert.ErrorContains(t, err, want)
		assert.Equal(t, scraperutils.ClassHTTP4xx, scraperutils.ClassOf(err))
	}
}

func FuzzScrape(f *testing.F) {
	f.Add(dataset("3", numbered(1)), dataset("3", numbered(2)))
	f.Add(dataset("99999999999", "<row/>", row("EntryAccount", "&#0;")), "<root><run_query_action_return>")
	f.Fuzz(func(t *testing.T, first, second string) {
		s := &council{answers: map[string]string{"0": first, "": second}}
		scraper, err := horizon.New(site.Site{URL: "http://a.example" + logOn}, horizon.Options{PageSize: 1})
		require.NoError(t, err)
		_, _ = registertest.Scrape(t, scraper, registertest.InProcess(s.answer), day)
		if len(s.log) > 4 {
			t.Fatalf("%d requests", len(s.log))
		}
	})
}
