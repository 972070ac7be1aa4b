package epathway_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/epathway"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

func TestRecord(t *testing.T) {
	s := newSite(table([]string{" 12/2019\n", "3/05/2019", "\r\n A  shed\r\n<b>and</b> a fence ", "1 High Street"}))
	got := s.one(t)
	assert.Equal(t, map[string]string{
		"council_reference": "12/2019",
		"address":           "1 High Street, VIC",
		"description":       "A  shed\nand a fence",
		"info_url":          s.base + "/Web/GeneralEnquiry/EnquiryLists.aspx?ModuleCode=LAP",
		"date_scraped":      day,
		"date_received":     "2019-05-03",
	}, got)
	assert.Empty(t, s.details())
}

func TestURLIsUsedAsWritten(t *testing.T) {
	s := newSite(table(row("1")))
	base, transport := registertest.Serve(t, s.ServeHTTP)
	scraper, err := epathway.New(site.Site{URL: base + "/ePathway/"}, epathway.Options{List: "all"})
	require.NoError(t, err)
	got, err := registertest.Scrape(t, scraper, transport, day)
	require.NoError(t, err)
	assert.Equal(t, base+"/ePathway//Web/GeneralEnquiry/EnquiryLists.aspx?ModuleCode=LAP", got.Rows()[0]["info_url"])
}

func TestEveryKnownColumn(t *testing.T) {
	for position, names := range [][]string{
		{"app no.", "application", "application no", "application number", "number", "our reference"},
		{
			"application date", "date", "date lodged", "date received", "date registered", "lodged", "lodge date", "lodged date",
			"submitted", "lodgement date",
		},
		{
			"application description", "application proposal", "description", "details of proposal or permit", "proposal",
			"proposed use or development",
		},
		{
			"address", "application location", "location", "location address", "primary property address", "property address",
			"site address", "site location", "street address",
		},
	} {
		for _, name := range names {
			for _, written := range []string{name, "  " + upper(name) + " : "} {
				headings := append([]string{}, usual...)
				headings[position] = written
				s := newSite(form(panel(headings, [][]string{row("12/2019")})))
				r := s.one(t)
				assert.Equal(t, [4]string{"12/2019", "2019-05-01", "A shed", "1 High Street, Nowhere VIC 3000"},
					[4]string{r["council_reference"], r["date_received"], r["description"], r["address"]}, written)
			}
		}
	}
	for _, name := range []string{"suburb", "location suburb", "Suburb:"} {
		s := newSite(form(panel(append([]string{name}, usual...), [][]string{{"Brunswick", "12/2019", "1/5/2019", "A shed", "1 High St"}})))
		assert.Equal(t, "1 High St, Brunswick, VIC", s.one(t)["address"], name)
	}
}

func upper(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}

func TestColumns(t *testing.T) {
	for name, c := range map[string]struct {
		headings, cells []string
		field, want     string
	}{
		"an unknown one is passed over":    {[]string{"Council Mood", "Number", "Date", "Proposal", "Location"}, []string{"good", "1/2019", "1/5/2019", "A shed", "1 High St VIC"}, "council_reference", "1/2019"},
		"ignored ones are passed over":     {[]string{"Number", "Date", "Proposal", "Location", "Status", "Decision (if decided)", "Year"}, []string{"1/2019", "1/5/2019", "A shed", "1 High St VIC", "x", "y", "z"}, "description", "A shed"},
		"of two the one further right":     {[]string{"Number", "Date", "Proposal", "Description", "Location"}, []string{"1/2019", "1/5/2019", "left", "right", "1 High St VIC"}, "description", "right"},
		"lodgement date":                   {[]string{"Number", "Lodgement Date", "Proposal", "Location"}, []string{"1/2019", "1/5/2019", "A shed", "1 High St VIC"}, "date_received", "2019-05-01"},
		"lodgement date before another":    {[]string{"Lodgement Date", "Number", "Date Received", "Proposal", "Location"}, []string{"2/5/2019", "1/2019", "1/5/2019", "A shed", "1 High St VIC"}, "date_received", "2019-05-01"},
		"lodgement date after another":     {[]string{"Number", "Date Received", "Proposal", "Location", "Lodgement Date"}, []string{"1/2019", "1/5/2019", "A shed", "1 High St VIC", "2/5/2019"}, "date_received", "2019-05-01"},
		"lodgement date beside an empty":   {[]string{"Number", "Date Received", "Proposal", "Location", "Lodgement Date"}, []string{"1/2019", "", "A shed", "1 High St VIC", "2/5/2019"}, "date_received", ""},
		"an empty date is no missing one":  {usual, []string{"1/2019", " ", "A shed", "1 High St VIC"}, "date_received", ""},
		"more cells than headings":         {usual, []string{"1/2019", "1/5/2019", "A shed", "1 High St VIC", "view"}, "address", "1 High St VIC"},
		"a table inside a cell is a value": {usual, []string{"1/2019", "1/5/2019", `<table><tr class="ContentPanel"><td>A</td><td></td><td>shed</td><td>2</td></tr></table>`, "1 High St VIC"}, "description", "Ashed2"},
		"a no-break space stays":           {usual, []string{"1/2019", "1/5/2019", "&nbsp;A shed", "1 High St VIC"}, "description", "\u00a0A shed"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(form(panel(c.headings, [][]string{c.cells}, "7")))
			assert.Equal(t, c.want, s.one(t)[c.field])
			assert.Empty(t, s.details())
		})
	}
}

func TestRowsOfTheTable(t *testing.T) {
	page := form(`<table class="ContentPanelHeading"><tr><td>Results</td></tr></table><table class="ContentPanel">
		<tr class="ContentPanelHeading"><th>Number</th><th>Date</th><th>Proposal</th><th>Location</th></tr>
		<tr class="ContentPanel"><td>1</td><td>1/5/2019</td><td>one</td><td>1 High St VIC</td></tr>
		<tr class="AlternateContentPanel"><td>2</td><td>1/5/2019</td><td>two</td><td>1 High St VIC</td></tr>
		<tr class="ContentPanel"><td colspan="4">A note</td></tr>
		<tr class="Footer"><td>3</td><td>1/5/2019</td><td>three</td><td>1 High St VIC</td></tr></table>
		<table class="ContentPanel"><tr class="ContentPanel"><td>4</td><td>1/5/2019</td><td>four</td><td>1 High St VIC</td></tr></table>`)
	got, err := newSite(page).scrape(t, epathway.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"1", "2"}, references(got.Rows()))
	assert.Empty(t, got.Rejected)
}

func references(rows []map[string]string) []string {
	all := []string{}
	for _, r := range rows {
		all = append(all, r["council_reference"])
	}
	return all
}

func TestPages(t *testing.T) {
	page := func(references string, label string) string {
		var rows [][]string
		for _, r := range references {
			rows = append(rows, row(string(r)))
		}
		return form(label + panel(usual, rows))
	}
	of := func(n, m int) string { return pageLabel(fmt.Sprintf("Page %d of %d", n, m)) }
	for name, c := range map[string]struct {
		pages []string
		max   int
		want  []string
		asked int
	}{
		"as many as the label says":      {[]string{page("ab", of(1, 3)), page("cd", of(2, 3)), page("e", of(3, 3)), page("f", "")}, 0, []string{"a", "b", "c", "d", "e"}, 3},
		"one without a label":            {[]string{page("a", ""), page("b", "")}, 0, []string{"a"}, 1},
		"fewer than the label says":      {[]string{page("a", of(1, 3)), page("b", of(2, 3)), page("c", of(3, 3))}, 2, []string{"a", "b"}, 2},
		"more than the label says":       {[]string{page("a", of(1, 1)), page("b", ""), page("c", "")}, 3, []string{"a", "b", "c"}, 3},
		"until a page seen before":       {[]string{page("a", of(1, 9)), page("b", of(2, 9)), page("a", of(1, 9)), page("c", "")}, 0, []string{"a", "b"}, 3},
		"past a page without rows":       {[]string{page("a", of(1, 3)), page("", of(2, 3)), page("c", of(3, 3))}, 0, []string{"a", "c"}, 3},
		"past a page without the table":  {[]string{page("a", of(1, 3)), form("Sorry"), page("c", of(3, 3))}, 0, []string{"a", "c"}, 3},
		"until two of them":              {[]string{page("a", of(1, 9)), page("", of(2, 9)), form("Sorry"), page("d", "")}, 0, []string{"a"}, 3},
		"until one, of as many as given": {[]string{page("a", ""), page("", ""), page("c", "")}, 9, []string{"a"}, 2},
		"no table at all":                {[]string{form("No applications match.")}, 0, []string{}, 1},
		"label in small letters":         {[]string{page("a", pageLabel("\n page 1  of 2 ")), page("b", "")}, 0, []string{"a", "b"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(c.pages...)
			got, err := s.scrape(t, epathway.Options{MaxPages: c.max})
			require.NoError(t, err)
			assert.Equal(t, c.want, references(got.Rows()))
			assert.Len(t, s.asked, 2+c.asked)
		})
	}
	t.Run("a label that can't be read", func(t *testing.T) {
		for _, label := range []string{"Some pages", "Page 1 of 99999999999999999999"} {
			got, err := newSite(page("a", pageLabel(label))).scrape(t, epathway.Options{})
			require.ErrorContains(t, err, "no Page 1 of N in ")
			require.ErrorContains(t, err, "(found: "+label+")")
			assert.Len(t, got.Rows(), 1, "what was read before stays")
		}
	})
	t.Run("a page that fails", func(t *testing.T) {
		got, err := newSite(page("a", of(1, 2))).scrape(t, epathway.Options{})
		require.ErrorContains(t, err, "fetch page 2 of the list: 404")
		assert.Len(t, got.Rows(), 1)
	})
}

func TestColumnThatIsMissingEverywhere(t *testing.T) {
	_, err := newSite(form(panel([]string{"Number", "When", "Proposal", "Location", " "}, [][]string{{"1", "1/5/2019", "A shed", "1 High St", ""}}))).scrape(t, epathway.Options{})
	require.ErrorContains(t, err, "no column date_received in ")
	require.ErrorContains(t, err, "(found: Number, When, Proposal, Location)")
	assert.Equal(t, scraperutils.ClassLayout, scraperutils.ClassOf(err))

	got, err := newSite(form(panel([]string{"Number"}, nil))).scrape(t, epathway.Options{})
	require.NoError(t, err, "a list without rows lacks nothing")
	assert.Empty(t, got.Rows())
}

func TestRowsThatAreNoRecords(t *testing.T) {
	got, err := newSite(table(
		[]string{"Not on file", "1/5/2019", "A shed", "1 High St"},
		[]string{"2", "1/5/2019", "ePathway", "1 High St"},
		[]string{"3", "31/2/2019", "A shed", "1 High St"},
		[]string{"4", "1/5/2019", "A shed", ""},
		[]string{"", "1/5/2019", "A shed", "1 High St"},
		[]string{"6", "1/5/2019", "", "1 High St"},
		[]string{"7 Not on file", "1/5/2019", "ePathway again", "1 High St"},
		[]string{"not on file", "1/5/2019", "epathway", "1 High St"},
	)).scrape(t, epathway.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"7 Not on file", "not on file"}, references(got.Rows()), "whole values, as written")
	assert.Equal(t, []string{"Not on file: its reference is Not on file", "2: its description is ePathway"}, got.Skipped)
	assert.Equal(t, []string{
		`3: "31/2/2019" is no date: expected one like 31/12/2019`, "4: address is blank", ": council_reference is blank", "6: description is blank",
	}, got.Rejected)
}

func TestAddresses(t *testing.T) {
	for name, c := range map[string]struct{ cell, suburb, state, want string }{
		"state added":                      {"1 High St, Kew", "", "VIC", "1 High St, Kew, VIC"},
		"state there":                      {"1 High St, Kew VIC 3101", "", "VIC", "1 High St, Kew VIC 3101"},
		"state inside a word":              {"1 High St, VICTORIA", "", "VIC", "1 High St, VICTORIA"},
		"state in other case is none":      {"1 Victoria St", "", "VIC", "1 Victoria St, VIC"},
		"no state is known":                {"1 High St", "", "", "1 High St"},
		"up to a newline":                  {"31 Tamhaven Drive  SWAN REACH&#10;Lot 3, LP 1, PS 2", "", "VIC", "31 Tamhaven Drive SWAN REACH, VIC"},
		"up to a newline, blanks before":   {"22 Besley Close  METUNG  \nLot 10", "", "VIC", "22 Besley Close METUNG, VIC"},
		"up to a carriage return":          {"1 High St&#13;&#10;Lot 3", "", "VIC", "1 High St, VIC"},
		"newlines around":                  {"\n  1 High St\n", "", "VIC", "1 High St, VIC"},
		"a br is no newline":               {"1 High St<br>Kew", "", "VIC", "1 High StKew, VIC"},
		"suburb added":                     {"1 High St", "KEW", "VIC", "1 High St, KEW, VIC"},
		"suburb there":                     {"1 High St KEW", "KEW", "VIC", "1 High St KEW, VIC"},
		"suburb in other case is none":     {"1 High St Kew", "KEW", "VIC", "1 High St Kew, KEW, VIC"},
		"suburb after a newline is none":   {"1 High St\nKEW", "KEW", "VIC", "1 High St, KEW, VIC"},
		"runs of spaces":                   {"1   High  St", "GLEN   IRIS", "VIC", "1 High St, GLEN IRIS, VIC"},
		"other white space stays":          {"1\t\tHigh&nbsp;&nbsp;St", "", "VIC", "1\t\tHigh\u00a0\u00a0St, VIC"},
		"building name":                    {"Quarry, 30 Quarry Road, FERNTREE GULLY  VIC  3156", "", "VIC", "30 Quarry Road, FERNTREE GULLY VIC 3156"},
		"building name once":               {"A, B, 1 High St, KEW", "", "VIC", "B, 1 High St, KEW, VIC"},
		"two parts have none":              {"1 High St, KEW", "", "VIC", "1 High St, KEW, VIC"},
		"suburb as third part":             {"Quarry, 1 High St", "KEW", "VIC", "1 High St, KEW, VIC"},
		"the state is no third part":       {"1 High St, KEW", "", "NSW", "1 High St, KEW, NSW"},
		"empty parts at the end":           {"1 High St, KEW,, ", "", "VIC", "1 High St, KEW,,, VIC"},
		"three parts and an empty one":     {"Quarry, 1 High St, KEW,", "", "VIC", "1 High St, KEW, VIC"},
		"an empty part elsewhere counts":   {", 1 High St, KEW", "", "VIC", "1 High St, KEW, VIC"},
		"only commas":                      {",,,", "", "VIC", ",,,, VIC"},
		"nothing is added to no address":   {" ", "KEW", "VIC", ""},
		"nothing before a newline is none": {"<br>\n", "", "VIC", ""},
	} {
		t.Run(name, func(t *testing.T) {
			page := form(panel([]string{"Number", "Date", "Proposal", "Location", "Suburb"}, [][]string{{"1", "1/5/2019", "A shed", c.cell, c.suburb}}))
			got, err := newSite(page).scrapeIn(t, c.state, epathway.Options{})
			require.NoError(t, err)
			if c.want == "" {
				assert.Equal(t, []string{"1: address is blank"}, got.Rejected)
				return
			}
			require.Len(t, got.Rows(), 1)
			assert.Equal(t, c.want, got.Rows()[0]["address"])
		})
	}
}
