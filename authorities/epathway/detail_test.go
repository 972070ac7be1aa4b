package epathway_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/epathway"
)

const detailPage = "GET EnquiryDetailView.aspx?Id=7"

// full is a detail page with everything.
func full() string {
	return form(field("Application Number", "7/2019") + field("Date Received", "2/05/2019") +
		field("Proposal", "A barn") + field("Application Location", "7 Low Street, Kew"))
}

// withDetail is a list of one row whose link leads to a detail page.
func withDetail(headings, cells []string, detail string) *council {
	return newSite(form(panel(headings, [][]string{cells}, "7"))).with(detailPage, detail)
}

// lacking is a list that lacks no more than the date.
func lacking(detail string) *council {
	return withDetail([]string{"Number", "Description", "Location"}, []string{"1/2019", "A shed", "1 High St"}, detail)
}

// A detail page is read where a column is missing, and where it is forced.
func TestWhenDetailPagesAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		headings, cells []string
		force           bool
	}{
		"no reference":   {[]string{"Dog", "Date", "Proposal", "Location"}, row("x"), false},
		"no date":        {[]string{"Number", "Day", "Proposal", "Location"}, row("1"), false},
		"no description": {[]string{"Number", "Date", "What", "Location"}, row("1"), false},
		"no address":     {[]string{"Number", "Date", "Proposal", "Where"}, row("1"), false},
		"only a suburb":  {[]string{"Number", "Date", "Proposal", "Suburb"}, row("1"), false},
		"nothing":        {[]string{"View"}, []string{"x"}, false},
		"forced":         {usual, row("1"), true},
	} {
		t.Run(name, func(t *testing.T) {
			s := withDetail(c.headings, c.cells, full())
			got, err := s.scrape(t, epathway.Options{ForceDetail: c.force})
			require.NoError(t, err)
			require.Len(t, got.Rows(), 1, got.Rejected)
			assert.Equal(t, map[string]string{
				"council_reference": "7/2019", "address": "7 Low Street, Kew, VIC", "description": "A barn", "date_received": "2019-05-02",
				"info_url": s.base + "/Web/GeneralEnquiry/EnquiryLists.aspx?ModuleCode=LAP", "date_scraped": day,
			}, got.Rows()[0])
			assert.Equal(t, s.base+"/Web/GeneralEnquiry/EnquirySummaryView.aspx?PageNumber=1", s.referrer[detailPage])
		})
	}
	t.Run("empty values are not missing", func(t *testing.T) {
		s := withDetail(usual, []string{"1", "", "", ""}, full())
		_, err := s.scrape(t, epathway.Options{})
		require.NoError(t, err)
		assert.Empty(t, s.details())
	})
}

func TestEveryKnownLabel(t *testing.T) {
	for column, labels := range map[string][]string{
		"address":           {"Application location", "Application Location"},
		"date_received":     {"Date Received", "Date received", "Lodgement date", "Lodgement Date", "Application Date"},
		"council_reference": {"Application Number", "Application number"},
		"description":       {"Proposed Use or Development", "Application description", "Proposal", "Application Description"},
	} {
		value := map[string]string{"address": "7 Low St VIC", "date_received": "2/05/2019"}[column]
		for _, label := range labels {
			for _, written := range []string{label, "<font color=#000063>" + label + ":</font>", "The " + label + " (if any)"} {
				want := value
				if want == "" {
					want = "of " + label
				}
				s := withDetail([]string{"App No.", "Date", "Proposal"}, []string{"1", "1/5/2019", "A shed"}, form(field("Application location", "here VIC")+field(written, want)))
				if column == "address" {
					s.pages[detailPage] = form(field(written, want))
				}
				if column == "date_received" {
					want = "2019-05-02"
				}
				assert.Equal(t, want, s.one(t)[column], written)
			}
		}
	}
}

func TestFieldsOfDetailPages(t *testing.T) {
	for name, c := range map[string]struct{ detail, field, want string }{
		"what the page has replaces":              {field("Application Number", "7"), "council_reference", "7"},
		"what it has not, the list has":           {field("Application Nr", "7"), "council_reference", "1/2019"},
		"in other case it is not the label":       {field("APPLICATION NUMBER", "7"), "council_reference", "1/2019"},
		"the first span that contains it":         {field("Description of Proposal", "first") + field("Proposal", "second"), "description", "first"},
		"labels in order, not the page's":         {field("Proposal", "worse") + field("Application description", "better"), "description", "better"},
		"double spaces stay":                      {field("Proposal", " A  barn \n"), "description", "A  barn"},
		"line breaks stay":                        {field("Proposal", "A barn\r\nand a shed"), "description", "A barn\nand a shed"},
		"a span inside a span":                    {`<div><span><span>Proposal</span><i>in</i></span><i>out</i></div>`, "description", "out"},
		"a span beside a span":                    {`<span>Proposal</span><span>A barn</span><span>more</span>`, "description", "A barn"},
		"text after a span":                       {`<p><span>Proposal</span>A barn<b>more</b></p>`, "description", "A barn"},
		"a cell with more than one node":          {`<div class="field"><span>Proposal</span><td>A <b>big</b> barn</td></div>`, "description", "A big barn"},
		"two fields in one":                       {`<div class="field"><span class="ContentHeading">Proposal</span><td><i>A barn</i></td><span class="ContentHeading">Status</span><td>Open</td></div>`, "description", "A barn"},
		"a page that stands in a table":           {`<table><tr><td>` + field("Status", "") + field("Proposal", "A <b>big</b> barn") + `</td></tr></table>`, "description", "A big barn"},
		"an address table in such a page":         {`<table><tr><td>` + field("Proposal", "A barn") + panel([]string{"Address"}, [][]string{{"9 Low St"}}) + `</td></tr></table>`, "address", "9 Low St, VIC"},
		"ordinary tables before":                  {`<table><tr><td><span>x</span></td><td> <span>y</span></td></tr></table>` + field("Proposal", "A barn"), "description", "A barn"},
		"three or more parts":                     {field("Application location", "Quarry, 1 High  St, Kew VIC"), "address", "1 High St, Kew VIC"},
		"a newline is not the end of the address": {field("Application location", "1 High St\nKew"), "address", "1 High St\nKew, VIC"},
	} {
		t.Run(name, func(t *testing.T) {
			detail := c.detail
			if c.field != "address" {
				detail += field("Application location", "7 Low St VIC")
			}
			assert.Equal(t, c.want, lacking(form(detail)).one(t)[c.field])
		})
	}
}

// A label whose value is empty has an empty value, whatever follows it.
func TestEmptyFieldsOfDetailPages(t *testing.T) {
	for name, detail := range map[string]string{
		"an empty cell":                     `<div class="field"><span class="ContentHeading">Proposal</span><td></td></div>`,
		"an empty cell before a label":      `<div class="field"><span class="ContentHeading">Proposal</span><td></td><span class="ContentHeading">Status</span><td>Open</td></div>`,
		"an empty cell before other labels": `<div class="field"><span class="AlternateContentHeading">Proposal</span><td></td><span class="AlternateContentHeading">Status</span><td>Open</td></div>`,
		"nothing after it":                  `<p><span>Proposal</span></p><p>A barn</p>`,
	} {
		t.Run(name, func(t *testing.T) {
			s := withDetail([]string{"Number", "Description"}, []string{"1/2019", "A shed"}, form(detail+field("Application location", "7 Low St VIC")))
			got, err := s.scrape(t, epathway.Options{})
			require.NoError(t, err)
			assert.Equal(t, []string{"1/2019: description is blank"}, got.Rejected)
		})
	}
	t.Run("no date", func(t *testing.T) {
		s := withDetail(usual, row("1"), form(field("Date Received", "")+field("Application location", "7 Low St VIC")))
		got, err := s.scrape(t, epathway.Options{ForceDetail: true})
		require.NoError(t, err)
		assert.NotContains(t, got.Rows()[0], "date_received")
	})
}

func TestAddressOfDetailPages(t *testing.T) {
	for name, c := range map[string]struct{ detail, want string }{
		"a table of addresses":           {panel([]string{"Property Address", "Ward"}, [][]string{{"7 Low St", "North"}}), "7 Low St, VIC"},
		"all the columns there are":      {panel([]string{"Property Address", "Address", "Formatted Property Address", "Ward", "Title", "Primary Location", "Location Address", "Location Suburb"}, [][]string{{"best", "b", "c", "d", "e", "No", "g", "h"}}), "best, VIC"},
		"headings in other case":         {panel([]string{"PROPERTY ADDRESS:", "ward"}, [][]string{{"7 Low St", "North"}}), "7 Low St, VIC"},
		"address before formatted":       {panel([]string{"Formatted Property Address", "Address"}, [][]string{{"worse", "better"}}), "better, VIC"},
		"formatted where there is none":  {panel([]string{"Formatted Property Address", "Title"}, [][]string{{"7 Low St", "x"}}), "7 Low St, VIC"},
		"the primary one":                {panel([]string{"Address", "Primary Location"}, [][]string{{"1 Low St", "No"}, {"2 Low St", "Yes"}, {"3 Low St", "Yes"}}), "2 Low St, VIC"},
		"the first where none is":        {panel([]string{"Address", "Primary Location"}, [][]string{{"1 Low St", "No"}, {"2 Low St", ""}}), "1 Low St, VIC"},
		"the first without that column":  {panel([]string{"Address"}, [][]string{{"1 Low St"}, {"2 Low St"}}), "1 Low St, VIC"},
		"the only one, primary or not":   {panel([]string{"Address", "Primary Location"}, [][]string{{"1 Low St", "No"}}), "1 Low St, VIC"},
		"not a table of other things":    {panel([]string{"Address", "Applicant"}, [][]string{{"of the applicant", "x"}}) + panel([]string{"Address"}, [][]string{{"7 Low St"}}), "7 Low St, VIC"},
		"not a table without an address": {panel([]string{"Ward"}, [][]string{{"North"}}) + panel([]string{"Address"}, [][]string{{"7 Low St"}}), "7 Low St, VIC"},
		"a label before a table":         {panel([]string{"Address"}, [][]string{{"of the table"}}) + field("Application Location", "of the label"), "of the label, VIC"},
		"an empty label before a table":  {panel([]string{"Address"}, [][]string{{"of the table"}}) + field("Application Location", ""), ""},
		"parts and spaces":               {panel([]string{"Address"}, [][]string{{"Quarry, 7  Low St, Kew VIC"}}), "7 Low St, Kew VIC"},
		"the list's is always replaced":  {"", ""},
		"a table without rows":           {panel([]string{"Address"}, nil), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := lacking(form(field("Proposal", "A barn")+c.detail)).scrape(t, epathway.Options{})
			require.NoError(t, err)
			if c.want == "" {
				assert.Equal(t, []string{"1/2019: address is blank"}, got.Rejected)
				return
			}
			require.Len(t, got.Rows(), 1)
			assert.Equal(t, c.want, got.Rows()[0]["address"])
		})
	}
}

func TestNotice(t *testing.T) {
	for name, c := range map[string]struct {
		detail   string
		from, to string
	}{
		"first row":           {panel([]string{"Start Date", "Closing Date"}, [][]string{{"1/05/2019", "15/05/2019"}, {"2/05/2019", "3/05/2019"}}), "2019-05-01", "2019-05-15"},
		"among other columns": {panel([]string{"Kind", "CLOSING DATE:", "start date"}, [][]string{{"x", "15/05/2019", "1/05/2019"}}), "2019-05-01", "2019-05-15"},
		"one date is empty":   {panel([]string{"Start Date", "Closing Date"}, [][]string{{"1/05/2019", ""}}), "2019-05-01", ""},
		"both are empty":      {panel([]string{"Start Date", "Closing Date"}, [][]string{{"", ""}}), "", ""},
		"no row":              {panel([]string{"Start Date", "Closing Date"}, nil), "", ""},
		"half a table":        {panel([]string{"Start Date"}, [][]string{{"1/05/2019"}}), "", ""},
		"no table":            {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := lacking(form(field("Application location", "7 Low St") + field("Proposal", "A barn") + c.detail)).one(t)
			assert.Equal(t, [2]string{c.from, c.to}, [2]string{r["on_notice_from"], r["on_notice_to"]})
		})
	}
}

func TestRowsWhoseDetailPageIsNoHelp(t *testing.T) {
	headings := []string{"Number", "Date", "Location"}
	rows := [][]string{{"1", "1/5/2019", "1 High St"}, {"2", "1/5/2019", "1 High St"}}
	s := newSite(form(panel(headings, rows, "7"))).with(detailPage, full())
	got, err := s.scrape(t, epathway.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"7/2019"}, references(got.Rows()))
	assert.Equal(t, []string{"2: the list has no column description and the row no link to its detail page"}, got.Rejected)

	t.Run("a broken date", func(t *testing.T) {
		for _, detail := range []string{
			field("Date Received", "31/02/2019"),
			panel([]string{"Start Date", "Closing Date"}, [][]string{{"1/05/2019", "soon"}}),
		} {
			got, err := withDetail(headings, rows[0], form(field("Application location", "7 Low St")+detail)).scrape(t, epathway.Options{})
			require.NoError(t, err)
			require.Len(t, got.Rejected, 1)
			assert.Contains(t, got.Rejected[0], "is no date: expected one like 31/12/2019")
		}
	})
	t.Run("not on file", func(t *testing.T) {
		got, err := withDetail(headings, rows[0], form(field("Application Number", "Not on file"))).scrape(t, epathway.Options{})
		require.NoError(t, err)
		assert.Len(t, got.Skipped, 1)
	})
	t.Run("forced without a link", func(t *testing.T) {
		got, err := newSite(table(row("1"))).scrape(t, epathway.Options{ForceDetail: true})
		require.NoError(t, err)
		assert.Len(t, got.Rows(), 1)
	})
	t.Run("a link that is a script", func(t *testing.T) {
		cells := []string{`<a href="#">+</a><a href=" ">-</a><a href="javascript:show(1)">map</a> <a href=" EnquiryDetailView.aspx?Id=7 ">1</a>`, "1/5/2019", "1 High St"}
		s := newSite(form(panel(headings, [][]string{cells}))).with(detailPage, full())
		assert.Equal(t, "7/2019", s.one(t)["council_reference"])
	})
}

// A label counts for the first span that has it, however deep it stands inside.
func TestLabelsInsideSpans(t *testing.T) {
	for name, c := range map[string]struct{ detail, want string }{
		"outermost first":  {"<span><span>Application location</span><b>inner</b></span><b>1 High St, Town</b>", "1 High St, Town, VIC"},
		"the first of two": {"<span>x</span><span>Application location</span><b>1 High St, Town</b><span>Application location</span><b>2 High St</b>", "1 High St, Town, VIC"},
		"across spans":     {"<span>Application</span> location<span> Application location</span><b>1 High St, Town</b>", "1 High St, Town, VIC"},
		"outside of spans": {"Application location <span>x</span><b>1 High St</b>", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := lacking(c.detail).scrape(t, epathway.Options{})
			require.NoError(t, err)
			if c.want == "" {
				assert.Empty(t, got.Rows())
				return
			}
			require.Len(t, got.Rows(), 1, got.Rejected)
			assert.Equal(t, c.want, got.Rows()[0]["address"])
		})
	}
}
