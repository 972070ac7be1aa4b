package epathway_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/epathway"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

const (
	day   = "2019-05-15"
	entry = "GET EnquiryLists.aspx?ModuleCode=LAP"
	lists = "GET EnquiryLists.aspx?ModuleCode=LAP&js=1"
)

// site is a council of the test's own making: pages by "METHOD file?query".
type council struct {
	base     string
	pages    map[string]string // "-> file" is a redirect, a missing page a 404
	asked    []string
	sent     map[string]url.Values // the fields of each POST
	referrer map[string]string
}

// newSite is a council with one list; its pages follow each other.
func newSite(pages ...string) *council {
	s := &council{pages: map[string]string{
		entry: `<script>window.location.href='/ePathway/Web/GeneralEnquiry/EnquiryLists.aspx?ModuleCode=LAP&js=1';var menu = {};</script>`,
		lists: form("choose a tab"),
	}, sent: map[string]url.Values{}, referrer: map[string]string{}}
	for i, page := range pages {
		s.pages[fmt.Sprintf("GET EnquirySummaryView.aspx?PageNumber=%d", i+1)] = page
	}
	return s
}

func (s *council) with(request, page string) *council {
	s.pages[request] = page
	return s
}

func (s *council) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request := r.Method + " " + path.Base(r.URL.Path)
	if r.URL.RawQuery != "" {
		request += "?" + r.URL.RawQuery
	}
	s.asked = append(s.asked, request)
	s.referrer[request] = r.Referer()
	if r.Method == http.MethodPost {
		_ = r.ParseForm()
		s.sent[request] = r.PostForm
	}
	page, ok := s.pages[request]
	to, redirected := strings.CutPrefix(page, "-> ")
	switch {
	case !ok:
		http.NotFound(w, r)
	case redirected:
		http.Redirect(w, r, to, http.StatusFound)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page)
	}
}

// scrape reads the site with the options of a council in VIC.
func (s *council) scrape(t *testing.T, o epathway.Options) (*registertest.Memory, error) {
	t.Helper()
	return s.scrapeIn(t, "VIC", o)
}

func (s *council) scrapeIn(t *testing.T, state string, o epathway.Options) (*registertest.Memory, error) {
	t.Helper()
	base, transport := registertest.Serve(t, s.ServeHTTP)
	s.base = base + "/ePathway"
	if o.List == "" {
		o.List = "all"
	}
	o.State = state
	scraper, err := epathway.New(site.Site{URL: s.base}, o)
	require.NoError(t, err)
	return registertest.Scrape(t, scraper, transport, day)
}

// one scrapes a site that must give exactly one record.
func (s *council) one(t *testing.T) map[string]string {
	t.Helper()
	got, err := s.scrape(t, epathway.Options{})
	require.NoError(t, err)
	assert.Empty(t, got.Rejected)
	require.Len(t, got.Rows(), 1)
	return got.Rows()[0]
}

// details are the detail pages that were asked for.
func (s *council) details() []string {
	var asked []string
	for _, request := range s.asked {
		if strings.Contains(request, "Detail") {
			asked = append(asked, request)
		}
	}
	return asked
}

// form is a page as the platform makes them.
func form(body string) string {
	return `<html><body><form id="aspnetForm" method="post" action="here.aspx"><input type="hidden" name="__VIEWSTATE" value="v"/>` +
		body + `</form></body></html>`
}

// panel is a table as the platform makes them. The first cell of each row is a link where ids are given.
func panel(headings []string, rows [][]string, ids ...string) string {
	var b strings.Builder
	b.WriteString(`<table width="100%"><tr><td><table class="ContentPanel" cellspacing="0"><tr class="ContentPanelHeading">`)
	for _, h := range headings {
		fmt.Fprintf(&b, `<th scope="col"><a href="EnquirySummaryView.aspx?SortFieldNumber=0">%s</a><img src="a.gif"/></th>`, h)
	}
	b.WriteString("</tr>")
	for i, row := range rows {
		fmt.Fprintf(&b, `<tr class="%s">`, []string{"ContentPanel", "AlternateContentPanel"}[i%2])
		for j, cell := range row {
			if j == 0 && i < len(ids) {
				cell = fmt.Sprintf(`<div class='ContentText'><a onclick='$(window).submit();' href='EnquiryDetailView.aspx?Id=%s'>%s</a></div>`, ids[i], cell)
			}
			fmt.Fprintf(&b, `<td valign="top">%s</td>`, cell)
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</table></td></tr></table>")
	return b.String()
}

var usual = []string{"Application Number", "Date Lodged", "Description", "Address"}

// table is a page of the usual list.
func table(rows ...[]string) string { return form(panel(usual, rows)) }

func row(reference string) []string {
	return []string{reference, "1/05/2019", "A shed", "1 High Street, Nowhere VIC 3000"}
}

// pageLabel is what a list says about its pages.
func pageLabel(text string) string {
	return `<span id="ctl00_MainBodyContent_mPagingControl_pageNumberLabel">` + html.EscapeString(text) + `</span>`
}

// field is a field of a detail page as the platform makes them, with its cell outside any table.
func field(label, value string) string {
	return fmt.Sprintf(`<div class="field"><span class="AlternateContentHeading">%s</span><td align="left"><div class='ContentText'>%s</div></td></div>`, label, value)
}
