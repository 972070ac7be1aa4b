package epathway_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/epathway"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

// choice is a page with radio buttons r0, r1, … and a button.
func choice(button string, labels ...string) string {
	var b strings.Builder
	b.WriteString(`<table>`)
	for i, label := range labels {
		fmt.Fprintf(&b, `<tr><td><input type="radio" name="list" value="r%d"/></td><td> %s
		</td></tr>`, i, label)
	}
	b.WriteString(`</table><input type="image" name="print" src="p.gif"/><input type="submit" name="back" value="Previous"/>`)
	return form(b.String() + button)
}

func submit(value string) string {
	return fmt.Sprintf(`<input type="submit" name="go" value="%s"/>`, value)
}

// searchPage is a page with tabs, the dates of the date tab, and the buttons of a search.
func searchPage(from, to string, tabs ...string) string {
	var b strings.Builder
	b.WriteString(`<table class="tabcontrol"><tr>`)
	for i, tab := range tabs {
		fmt.Fprintf(&b, `<td><a href="javascript:__doPostBack('ctl00$tabs','%d')">%s</a></td>`, i, tab)
	}
	fmt.Fprintf(&b, `</tr></table><input type="radio" name="range" value="7"/><input type="radio" name="range" value="30" checked="checked"/>
		<input name="ctl00$mFromDatePicker$dateTextBox" value="%s"/><input name="ctl00$mToDatePicker$dateTextBox" value="%s"/>
		<input type="submit" name="back" value="Previous"/><input type="submit" name="saved" value="Search again"/><input type="submit" name="search" value="Search"/>`, from, to)
	return form(b.String())
}

const posted = "POST here.aspx"

// Each list is reached as a visitor reaches it.
func TestWayToEachList(t *testing.T) {
	const summary = "GET EnquirySummaryView.aspx?PageNumber=1"
	for list, want := range map[string][]string{
		"all":           {entry, lists, posted, summary},
		"advertising":   {entry, lists, posted, summary},
		"last_30_days":  {entry, lists, posted, "POST tab.aspx", "POST search.aspx", "GET EnquirySummaryView.aspx", summary},
		"all_this_year": {entry, lists, posted, "POST tab.aspx", "POST search.aspx", "GET EnquirySummaryView.aspx", summary},
	} {
		t.Run(list, func(t *testing.T) {
			s := newSite(table(row("1/2019"))).
				with(lists, choice(submit("Next"), "Building Permits", "Planning Register", "Advertised Planning Applications")).
				with(posted, strings.Replace(searchPage("", "", "Address", "Date Search"), "here.aspx", "tab.aspx", 1)).
				with("POST tab.aspx", strings.Replace(searchPage("16/04/2019", "15/05/2019", "Address", "Date Search"), "here.aspx", "search.aspx", 1)).
				with("POST search.aspx", "-> EnquirySummaryView.aspx").
				with("GET EnquirySummaryView.aspx", table(row("9/2019")))
			got, err := s.scrape(t, epathway.Options{List: list})
			require.NoError(t, err)
			assert.Equal(t, want, s.asked)
			assert.Len(t, got.Rows(), 1)

			chosen := "__VIEWSTATE=v&go=Next&list=r1"
			if list == "advertising" {
				chosen = "__VIEWSTATE=v&go=Next&list=r2"
			}
			assert.Equal(t, chosen, s.sent[posted].Encode(), "one radio button, one button")
			if _, searched := s.sent["POST tab.aspx"]; searched {
				assert.Equal(t, "ctl00$tabs 1", s.sent["POST tab.aspx"].Get("__EVENTTARGET")+" "+s.sent["POST tab.aspx"].Get("__EVENTARGUMENT"))
				assert.False(t, s.sent["POST tab.aspx"].Has("search"), "a postback presses no button")
				assert.Equal(t, "Search 30", s.sent["POST search.aspx"].Get("search")+" "+s.sent["POST search.aspx"].Get("range"))
				assert.False(t, s.sent["POST search.aspx"].Has("saved"))
				from := map[string]string{"last_30_days": "16/04/2019", "all_this_year": "01/01/2019"}[list]
				assert.Equal(t, from, s.sent["POST search.aspx"].Get("ctl00$mFromDatePicker$dateTextBox"))
				assert.Equal(t, "15/05/2019", s.sent["POST search.aspx"].Get("ctl00$mToDatePicker$dateTextBox"))
			}
		})
	}
}

func TestChoiceOfList(t *testing.T) {
	for name, c := range map[string]struct {
		list, page string
		want       string // what is sent, or else of the error
	}{
		"other case":                          {"all", choice(submit("Next"), "Buildings", "PLANNING register"), "list=r1"},
		"trailing colon":                      {"all", choice(submit("Next"), "Buildings", "Planning Register:"), "list=r1"},
		"first of two that are known":         {"all", choice(submit("Next"), "Planning Permit Register", "Planning Register"), "list=r0"},
		"containing a name is not enough":     {"all", choice(submit("Next"), "Planning Applications Register - At Advertising", "Planning Applications Register - General"), "list=r1"},
		"as it is written before the like":    {"all", choice(submit("Next"), "Planning (Register)", "PLANNING REGISTER"), "list=r1"},
		"the advertised one":                  {"advertising", choice(submit("Next"), "Planning Register", "Applications on Exhibition"), "list=r1"},
		"Continue":                            {"all", choice(submit("Submit")+submit("Continue"), "Planning Register"), "go=Continue&list=r0"},
		"Next before Continue before Submit":  {"all", choice(submit("Submit")+submit("Continue")+submit("Next >"), "Planning Register"), "go=Next+%3E&list=r0"},
		"Submit":                              {"all", choice(submit("Submit"), "Planning Register"), "go=Submit&list=r0"},
		"a picture whose value counts":        {"all", choice(`<input type=image name=go value=Next alt=Onwards>`, "Planning Register"), "go.x=0&go.y=0&list=r0"},
		"label in the cell of the button":     {"all", form(`<table><tr><td><input type=radio name=list value=r0> Planning Register</td></tr></table>` + submit("Next")), "list=r0"},
		"no known list":                       {"all", choice(submit("Next"), "Buildings", "Dogs"), "no list of all applications in %s/EnquiryLists.aspx?ModuleCode=LAP&js=1 (found: Buildings, Dogs)"},
		"no known advertised list":            {"advertising", choice(submit("Next"), "Planning Register"), "no list of advertised applications in %s/EnquiryLists.aspx?ModuleCode=LAP&js=1 (found: Planning Register)"},
		"radio buttons without a way to go":   {"all", choice("", "Buildings"), ""},
		"a way to go without a radio button":  {"all", form(submit("Next")), ""},
		"no form at all":                      {"all", "<p>", ""},
		"a form of the theme before the real": {"all", `<form action="/find"><input name=q></form>` + choice(submit("Next"), "Planning Register"), "list=r0"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(table(row("1/2019"))).with(lists, c.page).with(posted, form(""))
			got, err := s.scrape(t, epathway.Options{List: c.list})
			if missing, ok := strings.CutPrefix(c.want, "no "); ok {
				require.ErrorContains(t, err, "choose the list: no "+strings.Replace(missing, "%s", s.base+"/Web/GeneralEnquiry", 1))
				assert.Equal(t, scraperutils.ClassLayout, scraperutils.ClassOf(err))
				return
			}
			require.NoError(t, err)
			assert.Len(t, got.Rows(), 1)
			assert.Contains(t, s.sent[posted].Encode(), c.want)
			assert.Equal(t, c.want != "", s.sent[posted] != nil)
		})
	}
}

func TestEveryKnownListIsChosen(t *testing.T) {
	for list, labels := range map[string][]string{
		"all": {
			"all applications", "applications register", "development application tracking", "development applications",
			"find a development application", "list of development applications", "development application - planning act",
			"track lodged development applications (da)", "planning applications", "planning application enquiry",
			"planning application register", "planning applications register", "register of planning applications",
			"planning applications register - general", "planning register", "application enquiry - planning",
			"planning permit application search", "planning permit register", "town planning public register",
			"statutory planning - online register", "the barossa council development applications",
			"statutory planning applications register",
		},
		"advertising": {
			"applications on exhibition", "advertised planning applications", "planning application at advertising",
			"planning applications being advertised", "planning applications currently on advertising",
			"planning applications currently advertised", "planning applications on advertising",
			"development applications on public exhibition", "development applications in public notification",
			"planning permit applications advertised", "advertised planning permit applications",
			"advertised statutory planning applications",
		},
	} {
		for _, label := range labels {
			s := newSite(table(row("1/2019"))).with(lists, choice(submit("Next"), "Other", label)).with(posted, form(""))
			_, err := s.scrape(t, epathway.Options{List: list})
			require.NoError(t, err, label)
			assert.Equal(t, "r1", s.sent[posted].Get("list"), label)
		}
	}
}

func TestTabOfDates(t *testing.T) {
	for _, tab := range []string{
		"Date Search", "Lodgement Date", "Date Range", "Date Lodged", "Date", "Search by Date Range", "Date range search",
		"Search by date range", "Lodgement Date Search", " DATE SEARCH: ",
	} {
		s := newSite(table(row("1/2019"))).with(lists, searchPage("", "", "Address", tab, "Date Search")).with(posted, searchPage("", ""))
		_, err := s.scrape(t, epathway.Options{List: "last_30_days"})
		require.NoError(t, err, tab)
		require.Len(t, s.asked, 5, "tab, search, list")
	}
	for name, c := range map[string]struct{ page, tab, want string }{
		"no such tab":             {searchPage("", "", "Address", "Date Lodged Search"), "", "search by date: open the tab: no tab of dates in %s/EnquiryLists.aspx?ModuleCode=LAP&js=1 (found: Address, Date Lodged Search)"},
		"a tab that is no link":   {strings.Replace(searchPage("", "", "Date"), "__doPostBack", "return false;", 1), "", "no tab of dates"},
		"a link outside the tabs": {form(`<a href="javascript:__doPostBack('a','b')">Date</a>`), "", "no tab of dates"},
		"no button":               {searchPage("", "", "Date"), form(`<input name="FromDatePicker"><input name="ToDatePicker">` + submit("Previous")), "search by date: no button Search in %s/here.aspx (found: FromDatePicker, ToDatePicker, button Previous)"},
		"no form":                 {searchPage("", "", "Date"), "<p>", "search by date: no form #aspnetForm"},
		"no first day":            {searchPage("", "", "Date"), form(`<input name="ToDatePicker">` + submit("Search")), "no field FromDatePicker"},
		"no last day":             {searchPage("", "", "Date"), form(`<input name="FromDatePicker">` + submit("Search")), "no field ToDatePicker"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite().with(lists, c.page).with(posted, c.tab)
			_, err := s.scrape(t, epathway.Options{List: "all_this_year"})
			require.ErrorContains(t, err, strings.Replace(c.want, "%s", s.base+"/Web/GeneralEnquiry", 1))
			assert.Equal(t, scraperutils.ClassLayout, scraperutils.ClassOf(err))
		})
	}
}

func TestDatesOfThisYear(t *testing.T) {
	for there, want := range map[string]string{
		"15/05/2019": "15/05/2019",
		"31/12/2019": "31/12/2019",
		"1/06/2019":  "1/06/2019",
		"05/01/2020": "31/12/2019",
		"":           "31/12/2019",
		"today":      "31/12/2019",
	} {
		s := newSite(table(row("1/2019"))).with(lists, searchPage("", "", "Date")).
			with(posted, strings.Replace(searchPage("16/04/2019", there, "Date"), "here.aspx", "search.aspx", 1)).
			with("POST search.aspx", form(""))
		_, err := s.scrape(t, epathway.Options{List: "all_this_year"})
		require.NoError(t, err)
		assert.Equal(t, "01/01/2019", s.sent["POST search.aspx"].Get("ctl00$mFromDatePicker$dateTextBox"))
		assert.Equal(t, want, s.sent["POST search.aspx"].Get("ctl00$mToDatePicker$dateTextBox"), there)
	}
}

func TestFirstPage(t *testing.T) {
	const to = `/ePathway/Web/GeneralEnquiry/EnquiryLists.aspx?ModuleCode=LAP&js=1`
	for name, page := range map[string]string{
		"as councils have it":         `<script>//<![CDATA[` + "\n" + `window.location.href='` + to + `';var menu</script>`,
		"beside a script of a theme":  `<script>function out(){window.location.href='/out.aspx'}; if (window.location.href.indexOf('x') > -1) {}</script><script>window.location.href='` + to + `'</script>`,
		"double quotes and blanks":    `<script>window.location.href = "` + to + `";</script>`,
		"with a choice that is stale": `<script>window.location.href='` + to + `'</script>` + choice(submit("Next"), "Planning Register"),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(table(row("1/2019"))).with(entry, page)
			_, err := s.scrape(t, epathway.Options{})
			require.NoError(t, err)
			assert.Equal(t, []string{entry, lists, "GET EnquirySummaryView.aspx?PageNumber=1"}, s.asked)
		})
	}
	t.Run("a script that leads elsewhere", func(t *testing.T) {
		s := newSite(table(row("1/2019"))).with(entry, `<script>window.location.href='Welcome.aspx'</script>`).with("GET Welcome.aspx", form(""))
		_, err := s.scrape(t, epathway.Options{})
		require.NoError(t, err)
	})
	t.Run("no script, but the choice", func(t *testing.T) {
		s := newSite(table(row("1/2019"))).with(entry, choice(submit("Next"), "Planning Register")).with(posted, form(""))
		_, err := s.scrape(t, epathway.Options{})
		require.NoError(t, err)
		assert.Equal(t, []string{entry, posted, "GET EnquirySummaryView.aspx?PageNumber=1"}, s.asked)
	})
	t.Run("neither", func(t *testing.T) {
		_, err := newSite().with(entry, "<h1>Welcome</h1>").scrape(t, epathway.Options{})
		require.ErrorContains(t, err, "open the enquiry lists: no script window.location.href in")
		assert.Equal(t, scraperutils.ClassLayout, scraperutils.ClassOf(err))
	})
}

func TestErrorsSayWhatWasBeingDone(t *testing.T) {
	for name, c := range map[string]struct {
		break_ string
		want   string
	}{
		"first page": {entry, "open the enquiry lists: 404 Not Found for "},
		"script":     {lists, "open the enquiry lists: 404"},
		"choice":     {posted, "choose the list: 404"},
		"tab":        {"POST tab.aspx", "search by date: open the tab: 404"},
		"search":     {"POST search.aspx", "search by date: 404"},
		"list":       {"GET EnquirySummaryView.aspx?PageNumber=1", "fetch page 1 of the list: 404"},
		"detail":     {"GET EnquiryDetailView.aspx?Id=7", "fetch detail of 1/2019: 404"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(form(panel(usual, [][]string{row("1/2019")}, "7"))).
				with(lists, choice(submit("Next"), "Planning Register")).
				with(posted, strings.Replace(searchPage("", "", "Date"), "here.aspx", "tab.aspx", 1)).
				with("POST tab.aspx", strings.Replace(searchPage("", "", "Date"), "here.aspx", "search.aspx", 1)).
				with("POST search.aspx", form("")).
				with("GET EnquiryDetailView.aspx?Id=7", form(""))
			delete(s.pages, c.break_)
			_, err := s.scrape(t, epathway.Options{List: "last_30_days", ForceDetail: true})
			require.ErrorContains(t, err, c.want)
			var status *scraperutils.StatusError
			require.ErrorAs(t, err, &status)
			assert.Equal(t, 404, status.Status)
		})
	}
}

func TestOptions(t *testing.T) {
	for _, list := range []string{"all", "advertising", "last_30_days", "all_this_year"} {
		_, err := epathway.New(site.Site{}, epathway.Options{List: list})
		assert.NoError(t, err)
	}
	_, err := epathway.New(site.Site{}, epathway.Options{List: "some"})
	assert.EqualError(t, err, `list: can't use "some": expected one of all, advertising, last_30_days, all_this_year`)
	_, err = epathway.New(site.Site{}, epathway.Options{List: "all", MaxPages: -1})
	assert.EqualError(t, err, `max_pages: can't use "-1": expected a number of pages, 0 for all`)
}
