package technologyone_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/authorities/technologyone"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

const day = "2019-05-15"

// site serves a council: the list (one page per postback argument) and a detail page for every application.
type council struct {
	lists  map[string]string // by postback argument; "" is the first page
	detail string
	moved  string // where the council's pages are by now; "" is nowhere else
	log    []string
}

func (s *council) scrape(t testing.TB, o technologyone.Options) (*registertest.Memory, string, error) {
	t.Helper()
	url, transport := registertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			t.Error(err)
		}
		s.log = append(s.log, r.Method+" "+r.RequestURI)
		if !strings.HasPrefix(r.URL.Path, s.moved) {
			w.Header().Set("Location", s.moved+strings.ReplaceAll(r.RequestURI, "r=P1.WEBGUEST", "r=NEW.GUEST"))
			w.WriteHeader(http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if strings.HasSuffix(r.URL.Path, "eTrackApplicationDetails.aspx") {
			fmt.Fprint(w, s.detail)
			return
		}
		fmt.Fprintf(w, `<form id=aspnetForm method=post action="%s"><input type=hidden name=__VIEWSTATE value=v>%s</form>`, r.RequestURI, s.lists[r.PostForm.Get("__EVENTARGUMENT")])
	})
	if o.Period == nil {
		o.Period = site.Choice{"L28"}
	}
	scraper, err := technologyone.New(site.Site{Label: "test", URL: url}, o)
	require.NoError(t, err)
	m, err := registertest.Scrape(t, scraper, transport, day)
	return m, url, err
}

func grid(header []string, rows ...[]string) string {
	var b strings.Builder
	line := func(tag string, cells []string) {
		b.WriteString("<tr>")
		for _, c := range cells {
			fmt.Fprintf(&b, "<%s>%s</%s>", tag, c, tag)
		}
		b.WriteString("</tr>")
	}
	b.WriteString("<table class=grid>")
	line("th", header)
	for _, r := range rows {
		line("td", r)
	}
	b.WriteString("</table>")
	return b.String()
}

func list(html string) *council { return &council{lists: map[string]string{"": html}} }

func TestOptions(t *testing.T) {
	_, err := technologyone.New(site.Site{}, technologyone.Options{Period: site.Choice{"L28", "L99"}})
	assert.EqualError(t, err, `period: can't use "L99": expected one of L28, L14, L7, TM, LM, TW, LW`)
}

func TestRecord(t *testing.T) {
	s := list(grid([]string{"Application Link", "Lodgement Date", "Description", "Formatted Address", "Group"},
		[]string{`<a href="x">DA\\2019/1</a>`, " 5/12/2018 ", "Two  spaces\n\tand  a tab", "1  High St,  Town", "x"}))
	m, url, err := s.scrape(t, technologyone.Options{Period: site.Choice{"TM"}, WebGuest: "A.B/C"})
	require.NoError(t, err)
	assert.Equal(t, []map[string]string{{
		"council_reference": `DA\2019/1`,
		"address":           "1  High St,  Town",
		"description":       "Two spaces\n\tand a tab",
		"date_received":     "2018-12-05",
		"date_scraped":      day,
		"info_url":          url + `/P1/eTrack/eTrackApplicationDetails.aspx?ApplicationId=DA%5C%5C2019%2F1&f=%24P1.ETR.APPDET.VIW&r=A.B%2FC`,
	}}, m.Rows())
	assert.Equal(t, []string{"GET /P1/eTrack/eTrackApplicationSearchResults.aspx?Field=S&Period=TM&r=A.B%2FC&f=%24P1.ETR.SEARCH.STM"}, s.log)
}

// A redirect moves the detail pages too, but the visitor's role stays as configured.
func TestDetailPagesAreBesideTheList(t *testing.T) {
	for name, c := range map[string]struct{ moved, path string }{
		"where it was asked for":   {"", "/P1/eTrack/"},
		"where it was found":       {"/T1PRProd/eProperty", "/T1PRProd/eProperty/P1/eTrack/"},
		"with its doubled slashes": {"/eProperty/", "/eProperty//P1/eTrack/"},
	} {
		t.Run(name, func(t *testing.T) {
			s := list(grid([]string{"ID", "Lodged", "Description"}, []string{"DA/1", "1/2/2019", "Shed"}))
			s.detail = `<table><tr><td class=headerColumn>Description<td>Shed<tr><td class=headerColumn>Address<td>1 High St</table>`
			s.moved = c.moved
			m, url, err := s.scrape(t, technologyone.Options{})
			require.NoError(t, err)
			require.Len(t, m.Rows(), 1)
			const query = "eTrackApplicationDetails.aspx?ApplicationId=DA%2F1&f=%24P1.ETR.APPDET.VIW&r=P1.WEBGUEST"
			assert.Equal(t, url+c.path+query, m.Rows()[0]["info_url"])
			assert.Equal(t, "GET "+c.path+query, s.log[len(s.log)-1], "the detail page is fetched from there")
		})
	}
}

// Every name that a column is known by is understood, in any case and with a colon.
func TestColumnNames(t *testing.T) {
	for _, names := range [][4]string{
		{"Application Link", "Lodgement Date", "Description", "Formatted Address"},
		{"ID", "Lodged", "Proposal", "Property Address"},
		{"Application Number", "Submitted Date", "Description", "Address"},
		{"Application ID", "Date Received", "Proposal", "Site Address"},
		{"Application", "Lodged", "Description", "Address"},
		{"Permit No.", "Lodged", "Description", "Address"},
		{"PERMIT NO", "lodgement  date:", "description :", "ADDRESS"},
	} {
		t.Run(strings.Join(names[:], ","), func(t *testing.T) {
			s := list(grid(append([]string{"Never seen"}, names[:]...), []string{"?", "1", "1/2/2019", "Shed", "1 High St"}))
			m, _, err := s.scrape(t, technologyone.Options{})
			require.NoError(t, err)
			require.Len(t, m.Rows(), 1)
			row := m.Rows()[0]
			assert.Equal(t, []string{"1", "2019-02-01", "Shed", "1 High St"}, []string{row["council_reference"], row["date_received"], row["description"], row["address"]})
			assert.Len(t, s.log, 1, "nothing is missing, so no detail page")
		})
	}
}

func TestDetailPageWhereTheListLacksAColumn(t *testing.T) {
	for name, header := range map[string][]string{"no address": {"ID", "Lodged", "Description"}, "no description": {"ID", "Lodged", "Address"}} {
		t.Run(name, func(t *testing.T) {
			s := list(grid(header, []string{"DA 1/2", "1/2/2019", "of the list"}))
			s.detail = `<table><tr><td class=headerColumn>Application Description</td><td> Two  spaces </td></tr><tr><td class=headerColumn>Land Description</td><td>no</td></tr>
				<tr><td class=headerColumn>Property Address</td><td>1  High St</td></tr></table>`
			m, _, err := s.scrape(t, technologyone.Options{})
			require.NoError(t, err)
			assert.Equal(t, "Two  spaces", m.Rows()[0]["description"])
			assert.Equal(t, "1  High St", m.Rows()[0]["address"])
			assert.Equal(t, "GET /P1/eTrack/eTrackApplicationDetails.aspx?ApplicationId=DA+1%2F2&f=%24P1.ETR.APPDET.VIW&r=P1.WEBGUEST", s.log[1])
		})
	}
	t.Run("an empty cell is no missing column", func(t *testing.T) {
		s := list(grid([]string{"ID", "Lodged", "Description", "Address"}, []string{"1", "1/2/2019", "Shed", ""}))
		m, _, err := s.scrape(t, technologyone.Options{})
		require.NoError(t, err)
		assert.Len(t, s.log, 1)
		assert.Equal(t, []string{"1: address is blank"}, m.Rejected)
	})
}

func TestSeveralTables(t *testing.T) {
	one := func(reference, rest string) string {
		return `<table class=grid><tr><td>Application Link</td><td>` + reference + `</td></tr><tr><td>Lodged</td><td>1/2/2019</td></tr><tr><td>Status</td><td>x</td></tr>` + rest + `</table>`
	}
	full := `<tr><td>Proposal</td><td>Shed</td></tr><tr><td>Site Address:</td><td>1 High St</td></tr>`
	s := list(one("1", full) + one("2", full))
	m, _, err := s.scrape(t, technologyone.Options{})
	require.NoError(t, err)
	require.Len(t, m.Rows(), 2)
	assert.Equal(t, "Shed", m.Rows()[1]["description"])

	m, _, err = list(one("1", full)).scrape(t, technologyone.Options{})
	require.NoError(t, err, "there is but one application this week")
	require.Len(t, m.Rows(), 1)
	assert.Equal(t, "1 High St", m.Rows()[0]["address"])

	s = list(one("1", full) + `<table class=grid><tr><td>Ward</td><td>North</td></tr></table>`)
	_, _, err = s.scrape(t, technologyone.Options{})
	assert.ErrorContains(t, err, "no field council_reference")
	assert.ErrorContains(t, err, "(found: Ward)")
}

// The pager leads from block to block until its last page, or to a page that was there before.
func TestPager(t *testing.T) {
	page := func(n int, pager string) string {
		return strings.Replace(grid([]string{"ID", "Lodged", "Description", "Address"}, []string{fmt.Sprint(n), "1/2/2019", "Shed", "1 High St"}),
			"</table>", `<tr class=pagerRow><td colspan=4><table><tr>`+pager+`</tr></table></td></tr></table>`, 1)
	}
	to := func(n int, text string) string {
		return fmt.Sprintf(`<td><a href="javascript:__doPostBack('grid','Page$%d')">%s</a></td>`, n, text)
	}
	t.Run("to the end", func(t *testing.T) {
		s := &council{lists: map[string]string{
			"":       page(1, `<td><span>1</span></td>`+to(2, "2")+to(3, "...")),
			"Page$2": page(2, to(1, "1")+`<td><span>2</span></td>`+to(3, "...")),
			"Page$3": page(3, to(2, "...")+`<td><span>3</span></td>`),
		}}
		m, _, err := s.scrape(t, technologyone.Options{})
		require.NoError(t, err)
		assert.Len(t, m.Rows(), 3)
		assert.Len(t, s.log, 3)
	})
	t.Run("in a circle", func(t *testing.T) {
		s := &council{lists: map[string]string{
			"":       page(1, `<td><span>1</span></td>`+to(2, "2")),
			"Page$2": page(2, `<td><span>2</span></td>`+to(2, "3")),
		}}
		m, _, err := s.scrape(t, technologyone.Options{})
		require.NoError(t, err)
		assert.Len(t, m.Rows(), 2)
		assert.Len(t, s.log, 3)
	})
	t.Run("a page without the table", func(t *testing.T) {
		s := &council{lists: map[string]string{"": page(1, `<td><span>1</span></td>`+to(2, "2")), "Page$2": "<p>Sorry"}}
		m, _, err := s.scrape(t, technologyone.Options{})
		assert.Equal(t, scraperutils.ClassLayout, scraperutils.ClassOf(err))
		assert.Len(t, m.Rows(), 1, "what was read stays")
	})
}

func TestFailures(t *testing.T) {
	for name, c := range map[string]struct{ html, want string }{
		"no table":            {"<p>Welcome</p>", "no table.grid in http"},
		"no reference column": {grid([]string{"Nr", "Lodged"}, []string{"1", "1/2/2019"}), "no column council_reference in http"},
		"no date column":      {grid([]string{"ID", "When", " "}, []string{"1", "1/2/2019", ""}), "(found: ID, When)"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := list(c.html).scrape(t, technologyone.Options{})
			var layout *scraperutils.LayoutError
			require.ErrorAs(t, err, &layout)
			assert.ErrorContains(t, err, c.want)
		})
	}
	t.Run("a broken date is its row's failure", func(t *testing.T) {
		m, _, err := list(grid([]string{"ID", "Lodged", "Description", "Address"}, []string{"1", "31/2/2019", "Shed", "1 High St"}, []string{"2", "1/2/2019", "Shed", "1 High St"})).scrape(t, technologyone.Options{})
		require.NoError(t, err)
		assert.Len(t, m.Rows(), 1)
		require.Len(t, m.Rejected, 1)
		assert.Contains(t, m.Rejected[0], `1: "31/2/2019" is no date`)
	})
	t.Run("a detail page of another layout", func(t *testing.T) {
		s := list(grid([]string{"ID", "Lodged"}, []string{"DA/1", "1/2/2019"}))
		s.detail = `<td class=headerColumn>Proposal</td>`
		_, _, err := s.scrape(t, technologyone.Options{})
		assert.ErrorContains(t, err, "read detail of DA/1: no td.headerColumn Address")
	})
}

func FuzzScrape(f *testing.F) {
	f.Add(grid([]string{"ID", "Lodged"}, []string{"1", "1/2/2019"}), "<td class=headerColumn>Address<td>x<td class=headerColumn>Description<td>y")
	f.Add("<table class=grid><table class=grid></table><tr class=pagerRow><span><a href=\"javascript:__doPostBack('a','b')\">", "")
	f.Fuzz(func(t *testing.T, html, detail string) {
		s := &council{lists: map[string]string{"": html}, detail: detail}
		_, _, _ = s.scrape(t, technologyone.Options{})
		if len(s.log) > 1000 {
			t.Fatalf("%d requests", len(s.log))
		}
	})
}
