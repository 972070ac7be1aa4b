package masterview_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/masterview"
	"github.com/multiscraper/multiscraper/scraperutils"
)

const detailPage = "default.aspx?page=wrapper&key=1"

// Every name that a column is known by, in any case and with colons, and unknown columns beside them.
func TestColumns(t *testing.T) {
	const want = "DA 1 | 1 Main St | A shed | 2019-04-15 | /default.aspx?page=wrapper&key=1"
	for name, c := range map[string]struct{ heading, row string }{
		"the usual ones":         {"Show|Number|Submitted|Details", show + "|DA 1|15/04/2019|1 Main St<br/>A shed"},
		"Link and Application":   {"Link|Application|Date Lodged|Address/Details", show + "|DA 1|15/04/2019|1 Main St<br>A shed"},
		"no heading and App No":  {"|App No|Submitted|Property/Application Details", show + "|DA 1|15/04/2019|1 Main St<br>A shed"},
		"an address of its own":  {"Show|Number|Submitted|Address|Description", show + "|DA 1|15/04/2019|1 Main St|A shed"},
		"another case, colons":   {"SHOW:|number :|SUBMITTED:|details :", show + "|DA 1|15/04/2019|1 Main St<br/>A shed"},
		"unknown and ignored":    {"Ward|Show|Number|Submitted|Details|Determination|Decision|Application Type", "w|" + show + "|DA 1|15/04/2019|1 Main St<br/>A shed|d|e|f"},
		"two with one meaning":   {"Show|App No|Number|Submitted|Details", show + "|old|DA 1|15/04/2019|1 Main St<br/>A shed"},
		"a link elsewhere":       {"Show|Number|Submitted|Details|&nbsp;", show + "|DA 1|15/04/2019|1 Main St<br/>A shed|-"},
		"a heading with a link":  {`Show|<b><a href="javascript:__doPostBack('a','')">Number</a></b>|Submitted|Details`, show + "|DA 1|15/04/2019|1 Main St<br/>A shed"},
		"a date in words":        {"Show|Number|Submitted|Details", show + "|DA 1|15 Apr 2019|1 Main St<br/>A shed"},
		"a date with a time":     {"Show|Number|Submitted|Details", show + "|DA 1|15/04/2019 5:04:23 PM|1 Main St<br/>A shed"},
		"a script before a link": {"Show|Number|Submitted|Details", `<a href="#">x</a><a href="javascript:y()">y</a>` + show + "|DA 1|15/04/2019|1 Main St<br/>A shed"},
	} {
		t.Run(name, func(t *testing.T) {
			v := scrape(t, masterview.Options{}, "", pages{"list": grid(c.heading, c.row)})
			require.NoError(t, v.err)
			assert.Equal(t, []string{want}, v.lines())
			assert.Equal(t, []string{"list"}, v.requests, "nothing lacks, so there is no detail page")
			assert.Empty(t, v.Rejected)
		})
	}
}

func TestDetailsColumn(t *testing.T) {
	for name, c := range map[string]struct{ details, want string }{
		"two lines":                        {`1 Main St<br/>A shed`, "1 Main St | A shed"},
		"three lines":                      {`<strong>1 Main St</strong><br>Lot 1<BR />A  shed`, "1 Main St | A  shed"},
		"single spaces in the address":     {`1  Main  St<br>A shed`, "1 Main St | A shed"},
		"empty lines at the end":           {"1 Main St<br>A shed<br/> \r\n <br>\t", "1 Main St | A shed"},
		"an empty line between":            {`1 Main St<br><br>A shed`, "1 Main St | A shed"},
		"applicant and status go":          {`1 Main St<br>Applicant : Jo<br>A shed<br>Status: New`, "1 Main St | A shed"},
		"an applicant at the end":          {`1 Main St<br>A shed<br>APPLICANT : Jo`, "1 Main St | A shed"},
		"empty lines before the status":    {`1 Main St<br>A shed<br><br>Status: New`, "1 Main St | A shed"},
		"applicant without space":          {`1 Main St<br>Lot 1<br>A shed<br>Applicant: Jo`, "1 Main St | A shed"},
		"a name before the description":    {`1 Main St<br>Description: A shed`, "1 Main St | A shed"},
		"a name inside the description":    {`1 Main St<br>See Description: A shed`, "1 Main St | See Description: A shed"},
		"an address on two lines":          {"1 Main St\rKYOGLE NSW<br>A shed", "1 Main St KYOGLE NSW | A shed"},
		"a description on two lines":       {"1 Main St<br>A shed\r\nand more", "1 Main St | A shed\nand more"},
		"no-break spaces":                  {"1 Main St<br>&nbsp;A shed", "1 Main St | \u00a0A shed"},
		"entities":                         {"1 Main St<br>A shed &amp; more", "1 Main St | A shed & more"},
		"a break inside another element":   {"<b>1 Main St<br>Lot 1</b><br>A shed", "1 Main St | A shed"},
		"four lines are one too many":      {`1 Main St<br>Lot 1<br>Lot 2<br>A shed`, ""},
		"an empty cell is an empty value":  {``, ""},
		"an empty address stays an empty":  {`<br>A shed`, ""},
		"no description after the address": {`1 Main St<br>Description: `, ""},
	} {
		t.Run(name, func(t *testing.T) {
			v := scrape(t, masterview.Options{}, "", pages{"list": grid("Show|Number|Submitted|Details", show+"|DA 1|15/04/2019|"+c.details, show+"|DA 2|15/04/2019|2 Main St<br>A barn")})
			require.NoError(t, v.err)
			assert.Equal(t, []string{"list"}, v.requests)
			if c.want == "" {
				assert.Len(t, v.Rejected, 1)
				assert.Contains(t, v.Rejected[0], "DA 1: ")
				assert.Len(t, v.lines(), 1)
				return
			}
			assert.Empty(t, v.Rejected)
			assert.Equal(t, "DA 1 | "+c.want+" | 2019-04-15 | /"+detailPage, v.lines()[0])
		})
	}
}

// The detail page is fetched for what the list lacks, and gives that alone besides the description.
func TestWhatTheListLacksComesFromTheDetailPage(t *testing.T) {
	detail := `<div id=ctl03_lblHead>DA/9 of 2019</div><div id=lblLand>9 High St<br>Lot 9</div><div id=lblDetails>Description: A tower<br>Submitted: 1/5/2019<br></div>`
	for name, c := range map[string]struct {
		options      masterview.Options
		heading, row string
		want         string
	}{
		"the reference":             {masterview.Options{}, "Show|Submitted|Details", show + "|15/04/2019|1 Main St<br>A shed", "DA/9 | 1 Main St | A tower | 2019-04-15"},
		"the date":                  {masterview.Options{}, "Show|Number|Details", show + "|DA 1|1 Main St<br>A shed", "DA 1 | 1 Main St | A tower | 2019-05-01"},
		"the address":               {masterview.Options{}, "Show|Number|Submitted|Details", show + "|DA 1|15/04/2019|A shed", "DA 1 | 9 High St | A tower | 2019-04-15"},
		"both":                      {masterview.Options{}, "Show|Number|Submitted", show + "|DA 1|15/04/2019", "DA 1 | 9 High St | A tower | 2019-04-15"},
		"the description alone":     {masterview.Options{}, "Show|Number|Submitted|Address", show + "|DA 1|15/04/2019|1 Main St", "DA 1 | 1 Main St | A tower | 2019-04-15"},
		"a reference with both":     {masterview.Options{}, "Show|Number|Submitted", show + "|DA 1 - A shed - small|15/04/2019", "DA 1 | 9 High St | A tower | 2019-04-15"},
		"nothing, but it is wanted": {masterview.Options{ForceDetail: true}, "Show|Number|Submitted|Details", show + "|DA-1|15/04/2019|1 Main St<br>A shed", "DA-1 | 1 Main St | A tower | 2019-04-15"},
		"an empty date is none":     {masterview.Options{ForceDetail: true}, "Show|Number|Submitted|Details", show + "|DA 1||1 Main St<br>A shed", "DA 1 | 1 Main St | A tower | "},
	} {
		t.Run(name, func(t *testing.T) {
			v := scrape(t, c.options, "", pages{"list": grid(c.heading, c.row), detailPage: detail})
			require.NoError(t, v.err)
			assert.Equal(t, []string{c.want + " | /" + detailPage}, v.lines())
			assert.Equal(t, []string{"list", detailPage}, v.requests)
		})
	}
	t.Run("a reference with a description and an address column", func(t *testing.T) {
		v := scrape(t, masterview.Options{}, "", pages{"list": grid("Show|Number|Submitted|Address", show+"|DA 1 - A shed - small|15/04/2019|1 Main St")})
		require.NoError(t, v.err)
		assert.Equal(t, []string{"DA 1 | 1 Main St | A shed - small | 2019-04-15 | /" + detailPage}, v.lines())
		assert.Equal(t, []string{"list"}, v.requests)
	})
}

func TestWhereTheListStands(t *testing.T) {
	const table = "<table><tr><td>Link<td>Application<td>Submitted<td>Details<tr><td>" + show + "<td>DA 1<td>15/04/2019<td>1 Main St<br>A shed<tr><td colspan=4>1 2 3</table>"
	for name, html := range map[string]string{
		"in a table":                       "<table><tr><td>" + table + "</table>",
		"in a table after others":          "<table><tr><td><table><tr><td>Search</table>" + table + "</table>",
		"in an element with an id":         "<table><tr><td>Home</table><div id=ctl03_lblData>" + table + "</div>",
		"in a grid":                        strings.Replace(table, "<table>", "<table class='a rgMasterTable'>", 1),
		"in a grid with a row of searches": grid("Show|Number|Submitted|Details</tr><tr><td><td><td><td>", show+"|DA 1|15/04/2019|1 Main St<br>A shed"),
	} {
		t.Run(name, func(t *testing.T) {
			v := scrape(t, masterview.Options{}, "", pages{"list": html})
			require.NoError(t, v.err)
			assert.Equal(t, []string{"DA 1 | 1 Main St | A shed | 2019-04-15 | /" + detailPage}, v.lines())
			assert.Empty(t, v.Rejected)
		})
	}
}

func TestListsThatAreNone(t *testing.T) {
	for name, c := range map[string]struct{ html, want string }{
		"no table":           {"<p>Welcome", "no table.rgMasterTable in "},
		"no link column":     {grid("View|Number|Submitted|Details"), "no column link in "},
		"nothing but a link": {grid("|Ward|Type"), "no column council_reference in "},
	} {
		t.Run(name, func(t *testing.T) {
			v := scrape(t, masterview.Options{}, "", pages{"list": c.html})
			var layout *scraperutils.LayoutError
			require.ErrorAs(t, v.err, &layout)
			assert.Contains(t, v.err.Error(), c.want)
		})
	}
	v := scrape(t, masterview.Options{}, "", pages{"list": grid("View|Number|Submitted|Details")})
	assert.ErrorContains(t, v.err, "(found: View, Number, Submitted, Details)")
}

func TestTheServersOwnError(t *testing.T) {
	v := scrape(t, masterview.Options{}, "", pages{"list": `<div class="ControlContent">An unexpected error has occured. Sorry.</div>`})
	var server *masterview.ServerError
	require.ErrorAs(t, v.err, &server)
	assert.Equal(t, scraperutils.ClassHTTP5xx, scraperutils.ClassOf(v.err))
	assert.ErrorContains(t, v.err, "An unexpected error has occured.")
}

func TestRowsThatCantBeRecords(t *testing.T) {
	list := grid("Show|Number|Submitted|Details",
		show+"|DA 1|31/02/2019|1 Main St<br>A shed",
		"|DA 2|15/04/2019|1 Main St<br>A shed",
		`<a href="http://[::1">x</a>|DA 3|15/04/2019|1 Main St<br>A shed`,
		show+"||15/04/2019|1 Main St<br>A shed",
		show+"|DA 5|15/04/2019|5 Main St<br>A shed")
	v := scrape(t, masterview.Options{}, "", pages{"list": list})
	require.NoError(t, v.err)
	assert.Equal(t, []string{"DA 5 | 5 Main St | A shed | 2019-04-15 | /" + detailPage}, v.lines())
	require.Len(t, v.Rejected, 4)
	for i, want := range []string{`DA 1: "31/02/2019" is no date`, "DA 2: its row has no link", "DA 3: link ", "council_reference is blank"} {
		assert.Contains(t, v.Rejected[i], want)
	}
}

func TestStateIsAlwaysAppended(t *testing.T) {
	list := grid("Show|Number|Submitted|Details", show+"|DA 1|15/04/2019|1 Main St NSW<br>A shed", show+"|DA 2|15/04/2019|<br>A shed")
	v := scrape(t, masterview.Options{}, "NSW", pages{"list": list})
	require.NoError(t, v.err)
	assert.Equal(t, []string{"DA 1 | 1 Main St NSW, NSW | A shed | 2019-04-15 | /" + detailPage}, v.lines())
	assert.Equal(t, []string{"DA 2: address is blank"}, v.Rejected, "but not to nothing")
}

func TestInfoURLIsWhereTheDetailPageCameFrom(t *testing.T) {
	list := grid("Show|Number|Submitted|Details", show+"|DA 1|15/04/2019|1 Main St<br>A shed")
	v := scrape(t, masterview.Options{ForceDetail: true}, "", pages{"list": list, detailPage: "redirect /new?id=1", "new?id=1": "<div id=lblDetail>Description: A tower"})
	require.NoError(t, v.err)
	assert.Equal(t, []string{"DA 1 | 1 Main St | A tower | 2019-04-15 | /new?id=1"}, v.lines())
}

func pageOf(reference, pager string) string {
	return grid("Show|Number|Submitted|Details", show+"|"+reference+"|15/04/2019|1 Main St<br>A shed") + pager
}

func button(script string) string {
	return `<input type=button class="rgPageNext" value=" " onclick="` + script + `">`
}

func numbers(current string, others ...string) string {
	html := `<div class="rgWrap rgNumPart"><a class=rgCurrentPage onclick="return false;" href="javascript:__doPostBack('here','')"><span>` + current + `</span></a>`
	for _, n := range others {
		html += `<a href="javascript:__doPostBack('to ` + n + `','')"><span>` + n + `</span></a>`
	}
	return html + "</div>"
}

func TestPager(t *testing.T) {
	const plain = `<input type=submit class=rgPageNext name=next value=" ">`
	last := pageOf("DA 2", button("return false;__doPostBack('a','')"))
	for name, c := range map[string]struct {
		first  string
		others pages
		want   []string // requests
	}{
		"a button":                    {button("javascript:__doPostBack('b','')"), pages{"b": last}, []string{"list", "b"}},
		"a link":                      {`<a class=rgPageNext href="javascript:__doPostBack('b','')">`, pages{"b": last}, []string{"list", "b"}},
		"a button that returns false": {button("return false;__doPostBack('b','')") + numbers("1", "2"), pages{}, []string{"list"}},
		"no button":                   {numbers("1", "2"), pages{}, []string{"list"}},
		"a plain button, the number":  {plain + numbers("1", "2", "3"), pages{"to 2": last}, []string{"list", "to 2"}},
		"a plain button, no number":   {plain + numbers("1"), pages{}, []string{"list"}},
		"a plain button, dots":        {plain + numbers("1", "..."), pages{"to ...": last}, []string{"list", "to ..."}},
		"a plain button, dots before": {plain + `<div class=rgNumPart><a href="javascript:__doPostBack('dots','')">...</a>` + numbers("1"), pages{}, []string{"list"}},
		"a number that returns false": {plain + strings.ReplaceAll(numbers("1", "2"), "<a href", `<a onclick="return false" href`), pages{}, []string{"list"}},
		"the same page again":         {button("__doPostBack('b','')"), pages{"b": pageOf("DA 1", button("__doPostBack('b','')"))}, []string{"list", "b"}},
		"a page without rows":         {button("__doPostBack('b','')"), pages{"b": grid("Show|Number|Submitted|Details") + button("__doPostBack('c','')")}, []string{"list", "b"}},
		"numbers from page to page":   {plain + numbers("1", "2", "3"), pages{"to 2": pageOf("DA 2", plain+numbers("2", "1", "3")), "to 3": pageOf("DA 3", plain+numbers("3", "1", "2"))}, []string{"list", "to 2", "to 3"}},
	} {
		t.Run(name, func(t *testing.T) {
			v := scrape(t, masterview.Options{}, "", with(pages{"list": pageOf("DA 1", c.first)}, c.others))
			require.NoError(t, v.err)
			assert.Equal(t, c.want, v.requests)
			for _, body := range v.bodies {
				assert.Contains(t, body, "__VIEWSTATE=v")
			}
		})
	}
	v := scrape(t, masterview.Options{}, "", pages{"list": pageOf("DA 1", button("__doPostBack('b','')"))})
	var status *scraperutils.StatusError
	require.ErrorAs(t, v.err, &status)
	assert.ErrorContains(t, v.err, "fetch page 2 of the list: ")
	assert.Len(t, v.lines(), 1, "what came before is saved")
}

func TestSearchAddress(t *testing.T) {
	for name, c := range map[string]struct {
		params masterview.Params
		want   string
	}{
		"without params":    {nil, "page=found&1=14/04/2019&2=14/05/2019"},
		"in their order":    {masterview.Params{{Name: "6", Value: "F"}, {Name: "4a", Value: "10"}}, "page=found&1=14/04/2019&2=14/05/2019&6=F&4a=10"},
		"as they stand":     {masterview.Params{{Name: "4a", Value: "BPS%27,'MC%27"}}, "page=found&1=14/04/2019&2=14/05/2019&4a=BPS%27,'MC%27"},
		"instead of a date": {masterview.Params{{Name: "1", Value: "thismonth"}, {Name: "6", Value: "F"}}, "page=found&1=thismonth&2=14/05/2019&6=F"},
	} {
		t.Run(name, func(t *testing.T) {
			v := scrape(t, masterview.Options{Params: c.params}, "", pages{"list": pageOf("DA 1", "")})
			require.NoError(t, v.err)
			assert.Equal(t, []string{"/default.aspx?" + c.want}, v.uris)
		})
	}
	v := scrape(t, masterview.Options{}, "", pages{})
	var status *scraperutils.StatusError
	require.ErrorAs(t, v.err, &status)
	assert.Equal(t, http.StatusInternalServerError, status.Status)
	assert.ErrorContains(t, v.err, "fetch the list: ")
}

// A row may ask for the run's plan of days: the last ones every time, older ones in turn.
func TestDateRanges(t *testing.T) {
	v := scrape(t, masterview.Options{DateRanges: true}, "", pages{"list": grid("Link|Number|Submitted|Details")})
	require.NoError(t, v.err)
	assert.Equal(t, []string{"/default.aspx?page=found&1=26/04/2019&2=14/05/2019"}, v.uris, "half of 33 days")
}
