package aspnet_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/aspnet"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// served returns a page with this HTML and what its server was sent last.
func served(t *testing.T, html string) (page *agent.Page, last func() string) {
	t.Helper()
	var sent string
	url, transport := registertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		sent = strings.TrimSpace(r.Method + " " + r.RequestURI + " " + string(body))
		io.WriteString(w, html)
	})
	page, err := agent.New(agent.Config{Fetch: fetch.Config{Transport: transport}}).Get(t.Context(), url+"/list.aspx")
	require.NoError(t, err)
	return page, func() string { return sent }
}

func selection(t testing.TB, html, selector string) *goquery.Selection {
	t.Helper()
	d, err := goquery.NewDocumentFromReader(strings.NewReader(html))
	require.NoError(t, err)
	return d.Find(selector)
}

func TestForm(t *testing.T) {
	for name, html := range map[string]string{
		"by its id":                `<form id=search></form><form id=aspnetForm method=post><input type=hidden name=x value=1></form>`,
		"by the state it carries":  `<form id=search></form><form id=form1 method=post><input type=hidden name=x value=1><input type=hidden name=__VIEWSTATE value=v></form>`,
		"the only one":             `<form method=post><input type=hidden name=x value=1></form>`,
		"by the target it carries": `<form method=post><input type=hidden name=x value=1><input type=hidden name=__EVENTTARGET></form>`,
	} {
		page, _ := served(t, html)
		form, err := aspnet.Form(page)
		require.NoError(t, err, name)
		assert.NotNil(t, form.Field("x"), name)
	}
	page, _ := served(t, `<form id=search></form><form id=login></form>`)
	_, err := aspnet.Form(page)
	assert.Equal(t, scraperutils.ClassLayout, scraperutils.ClassOf(err))
}

func TestPostback(t *testing.T) {
	for html, want := range map[string]string{
		`<a href="javascript:__doPostBack('grid','Page$2')">`:                 "grid Page$2",
		`<input type=button onclick="javascript:__doPostBack('next','')">`:    "next ",
		`<a href="#" onclick="__doPostBack('x','y');return false;">`:          "x y",
		`<a href="javascript:__doPostBack('x','y')" onclick="return false;">`: "",
		`<input type=button onclick="return false;__doPostBack('x','')">`:     "",
		`<a href="list.aspx">`: "",
		`<p>`:                  "",
	} {
		target, argument, ok := aspnet.Postback(selection(t, html, "a, input"))
		assert.Equal(t, want != "", ok, html)
		if ok {
			assert.Equal(t, want, target+" "+argument)
		}
	}
}

func TestFollow(t *testing.T) {
	page, last := served(t, `<form id=aspnetForm method=post action=list.aspx?a=1><input type=hidden name=__VIEWSTATE value=v><a id=go href="javascript:__doPostBack('grid','Page$2')">2</a><a id=dead href=x>x</a></form>`)
	document, err := page.Document()
	require.NoError(t, err)
	_, err = aspnet.Follow(t.Context(), page, document.Find("#go"))
	require.NoError(t, err)
	assert.Equal(t, "POST /list.aspx?a=1 __VIEWSTATE=v&__EVENTTARGET=grid&__EVENTARGUMENT=Page%242", last())
	_, err = aspnet.Follow(t.Context(), page, document.Find("#dead"))
	assert.ErrorContains(t, err, "no postback in a x")
}

func TestNextInPager(t *testing.T) {
	link := func(n int, text string) string {
		return fmt.Sprintf(`<td><a href="javascript:__doPostBack('g','Page$%d')">%s</a></td>`, n, text)
	}
	for name, c := range map[string]struct{ pager, want string }{
		"the first page":            {`<td><span>1</span></td>` + link(2, "2") + link(3, "3"), "Page$2"},
		"in the middle":             {link(1, "1") + `<td><span>2</span></td>` + link(3, "3"), "Page$3"},
		"the end of a block":        {link(9, "...") + link(10, "10") + `<td><span>11</span></td>` + link(12, "..."), "Page$12"},
		"the last page":             {link(1, "...") + `<td><span>2</span></td>`, ""},
		"a link that leads nowhere": {`<td><span>1</span></td><td><a href="#">2</a></td>`, ""},
		"a span inside a link":      {link(1, "<span>1</span>") + `<td><span>2</span></td>` + link(3, "<span>3</span>"), "Page$3"},
		"no current page":           {link(1, "1") + link(2, "2"), ""},
		"nothing":                   {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			next := aspnet.NextInPager(selection(t, "<table><tr class=pagerRow>"+c.pager+"</table>", "tr.pagerRow"))
			_, argument, _ := aspnet.Postback(next)
			assert.Equal(t, c.want, argument)
		})
	}
}
