package listing_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site/listing"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// asked is a site of pages by what is asked for, with what was.
type asked struct {
	*agent.Agent
	base     string
	requests []string
}

// site serves a page for "GET /path?query" or "POST /path?query body"; others are not found.
func site(t testing.TB, pages map[string]string) *asked {
	t.Helper()
	a := &asked{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		key := strings.TrimSpace(r.Method + " " + r.URL.RequestURI() + " " + string(body))
		a.requests = append(a.requests, key)
		page, ok := pages[key]
		if !ok {
			http.Error(w, "not here", http.StatusNotFound)
			return
		}
		if link, rest, ok := strings.Cut(page, "\n"); ok && strings.HasPrefix(link, "Link: ") {
			w.Header().Set("Link", strings.TrimPrefix(link, "Link: "))
			page = rest
		}
		io.WriteString(w, strings.ReplaceAll(page, "BASE", a.base))
	}))
	t.Cleanup(server.Close)
	a.Agent, a.base = agent.New(agent.Config{}), server.URL
	return a
}

// texts walks over a list and returns what its pages say.
func (a *asked) texts(t testing.TB, next listing.Next, options ...listing.Option) (all []string, err error) {
	t.Helper()
	for page, err := range listing.Pages(t.Context(), a.Agent, a.base+"/list", next, options...) {
		if err != nil {
			return all, err
		}
		all = append(all, page.Text)
	}
	return all, nil
}

// page is one with some rows and a way on.
func page(n int, more string) string { return fmt.Sprintf("<p>row %d</p>%s", n, more) }

func TestWaysOn(t *testing.T) {
	const viewState = `<form method=post><input type=hidden name=__VIEWSTATE value=%d>%s</form>`
	postback := func(n int) string {
		return fmt.Sprintf("POST /list __VIEWSTATE=%d&__EVENTTARGET=grid&__EVENTARGUMENT=Page%%24%d", n-1, n)
	}
	for name, c := range map[string]struct {
		pages   map[string]string // in the order in which they are asked for, after the first
		next    listing.Next
		options []listing.Option
		want    int // pages
	}{
		"a link": {map[string]string{
			"GET /list": page(1, "<a class=next href='list/2'>Older</a>"), "GET /list/2": page(2, "<a class=next href=/list/3#top>"), "GET /list/3": page(3, "<a class=next>"),
		}, listing.NextLink("a.next"), nil, 3},
		"a link relative to a base": {map[string]string{
			"GET /list": page(1, "<base href=/b/><a class=next href=2>"), "GET /b/2": page(2, ""),
		}, listing.NextLink(".next"), nil, 2},
		"a link to nowhere": {map[string]string{
			"GET /list": page(1, "<a class=next href='?p=2'>"), "GET /list?p=2": page(2, "<a class=next href='javascript:void(0)'>"),
		}, listing.NextLink(".next"), nil, 2},
		"a button with an address": {map[string]string{
			"GET /list": page(1, "<button class=more data-url=/more?after=1>"), "GET /more?after=1": page(2, "<button class=more data-url=/more?after=2>"), "GET /more?after=2": page(3, ""),
		}, listing.NextLink("button.more", "data-href", "data-url"), nil, 3},
		"a link to itself": {map[string]string{
			"GET /list": page(1, "<a class=next href=/2>"), "GET /2": page(2, "<a class=next href=/2>"),
		}, listing.NextLink(".next"), nil, 2},
		"a link back": {map[string]string{
			"GET /list": page(1, "<a class=next href=/2>"), "GET /2": page(2, "<a class=next href=/list>"),
		}, listing.NextLink(".next"), nil, 2},
		"rel=next in the head":     {map[string]string{"GET /list": "<link rel=next href=/2>" + page(1, ""), "GET /2": page(2, "")}, listing.RelNext(), nil, 2},
		"rel=next of a link":       {map[string]string{"GET /list": page(1, "<a rel='nofollow next' href=/2>"), "GET /2": page(2, "")}, listing.RelNext(), nil, 2},
		"a Link header":            {map[string]string{"GET /list": "Link: </1>; rel=\"prev\", </2>; title=\"a\"; rel=\"last next\"\n" + page(1, ""), "GET /2": page(2, "")}, listing.RelNext(), nil, 2},
		"a Link header of others":  {map[string]string{"GET /list": "Link: </1>; rel=\"prev\", </3>; rel=\"last\"\n" + page(1, "")}, listing.RelNext(), nil, 1},
		"a text":                   {map[string]string{"GET /list": page(1, "<a href=/0>Back</a><a href=/2> NEXT\npage </a>"), "GET /2": page(2, "<a href=/list>Back</a>")}, listing.NextText("›", "Next page"), nil, 2},
		"numbers":                  {map[string]string{"GET /list": page(1, "<i>1 <a href=/2>2</a> <a href=/12>12</a></i>"), "GET /2": page(2, "<i><a href=/list>1</a> 2</i>")}, listing.PageLinks("i a"), nil, 2},
		"numbers with an ellipsis": {map[string]string{"GET /list": page(1, "<a href=/0>0</a><a href=/2>...</a>"), "GET /2": page(2, "<a href=/list>…</a>")}, listing.PageLinks("a"), nil, 2},
		"postbacks": {map[string]string{
			"GET /list": page(1, fmt.Sprintf(viewState, 1, `<a href="javascript:__doPostBack('grid','Page$2')">2</a>`)),
			postback(2): page(2, fmt.Sprintf(viewState, 2, `<a href="javascript:__doPostBack('grid','Page$3')">3</a>`)),
			postback(3): page(3, fmt.Sprintf(viewState, 3, `<a href="javascript:__doPostBack('grid','Page$2')">2</a>`)),
		}, listing.PageLinks("a"), nil, 3},
		"a form's button": {map[string]string{
			"GET /list":             page(1, "<form action=/more><input name=after value=1><button id=m name=b value=x>More</button></form>"),
			"GET /more?after=1&b=x": page(2, "<form action=/more><button id=m disabled>More</button></form>"),
		}, listing.NextButton("#m"), nil, 2},
		"filled in, until it is not found":     {map[string]string{"GET /list": page(1, ""), "GET /list?page=2": page(2, "")}, listing.Numbered("?page={page}"), nil, 2},
		"filled in, until the last page again": {map[string]string{"GET /list": page(1, ""), "GET /list/2": page(2, ""), "GET /list/3": page(2, "")}, listing.Numbered("/list/{page}"), nil, 2},
		"filled in, until no row": {map[string]string{
			"GET /list": page(1, ""), "GET /list/2": page(2, ""), "GET /list/3": "Nothing more at 12:00:01",
		}, listing.Numbered("/list/{page}"), []listing.Option{listing.EachRow("p")}, 2},
		"filled in, the same rows with another time": {map[string]string{
			"GET /list": page(1, "12:00:00"), "GET /list/2": page(2, "12:00:01"), "GET /list/3": page(2, "12:00:02"),
		}, listing.Numbered("/list/{page}"), []listing.Option{listing.EachRow("p")}, 2},
		"an offset": {map[string]string{
			"GET /list": page(1, "<p>row 2"), "GET /list?start=2": page(3, "<p>row 4"), "GET /list?start=4": "",
		}, listing.Offset("?start={offset}"), []listing.Option{listing.EachRow("p")}, 2},
		"an offset of no rows": {map[string]string{"GET /list": "No results"}, listing.Offset("?start={offset}"), []listing.Option{listing.EachRow("p")}, 1},
		"a cursor": {map[string]string{
			"GET /list": `{"meta":{"next":"a b"},"items":[1]}`, "GET /list?after=a+b": `{"meta":{"next":12345678901234567890},"items":[2]}`,
			"GET /list?after=12345678901234567890": `{"meta":{"next":null},"items":[3]}`,
		}, listing.Cursor("after", "meta.next"), nil, 3},
		"a cursor, until no item": {map[string]string{
			"GET /list": `{"next":"a","data":{"items":[{"id":1}]}}`, "GET /list?after=a": `{"next":"b","data":{"items":[]}}`,
		}, listing.Cursor("after", "next"), []listing.Option{listing.EachItem("data.items")}, 1},
		"an address in JSON": {map[string]string{
			"GET /list": `{"links":{"next":"BASE/list?p=2"}}`, "GET /list?p=2": `{"links":{}}`,
		}, listing.NextURL("links.next"), nil, 2},
	} {
		t.Run(name, func(t *testing.T) {
			a := site(t, c.pages)
			got, err := a.texts(t, c.next, c.options...)
			require.NoError(t, err)
			assert.Len(t, got, c.want)
			assert.LessOrEqual(t, len(a.requests), c.want+1, "one beyond the last page at most")
		})
	}
}

func TestWaysThatAreNone(t *testing.T) {
	for name, c := range map[string]struct {
		pages   map[string]string
		next    listing.Next
		options []listing.Option
		want    string
	}{
		"no first page":         {nil, listing.RelNext(), nil, "page 1 of the list: 404 Not Found for BASE/list"},
		"a broken link":         {map[string]string{"GET /list": page(1, "<a href=/2>")}, listing.NextLink("a"), nil, "page 2 of the list: 404 Not Found for BASE/2"},
		"no selector":           {map[string]string{"GET /list": page(1, "")}, listing.NextLink("a["), nil, `page 2 of the list: selector: can't use "a[": expected a CSS selector: `},
		"no selector of rows":   {map[string]string{"GET /list": page(1, "")}, listing.RelNext(), []listing.Option{listing.EachRow("")}, `page 1 of the list: selector: can't use ""`},
		"another script":        {map[string]string{"GET /list": page(1, "<a href='javascript:more()'>")}, listing.NextLink("a"), nil, "page 2 of the list: no address of the next page in BASE/list (found: javascript:more())"},
		"a postback of no form": {map[string]string{"GET /list": page(1, `<a href="javascript:__doPostBack('a','')">`)}, listing.NextLink("a"), nil, "page 2 of the list: no form with __VIEWSTATE in BASE/list"},
		"a button of no form":   {map[string]string{"GET /list": page(1, "<button>")}, listing.NextButton("button"), nil, "page 2 of the list: no form of the button button in BASE/list"},
		"no number":             {map[string]string{"GET /list": page(1, "")}, listing.Numbered("?page="), nil, `page 2 of the list: address of the next page: can't use "?page=": expected one with {page}`},
		"an offset of what":     {map[string]string{"GET /list": page(1, "")}, listing.Offset("?s={offset}"), nil, "page 2 of the list: an offset is a number of rows: expected EachRow or EachItem"},
		"a page of HTML":        {map[string]string{"GET /list": "<title>Oops</title>"}, listing.NextURL("next"), nil, "page 2 of the list: no JSON in BASE/list (found: invalid character '<' looking for beginning of value); the page has title Oops"},
		"an error in JSON":      {map[string]string{"GET /list": `{"error":"x"}`}, listing.NextURL("links.next"), nil, "page 2 of the list: no object links in the JSON in BASE/list (found: error)"},
		"a list":                {map[string]string{"GET /list": `[]`}, listing.NextURL("next"), nil, "page 2 of the list: no object in the JSON in BASE/list"},
		"a field of objects":    {map[string]string{"GET /list": `{"next":{},"x":1}`}, listing.NextURL("next"), nil, "page 2 of the list: no text in field next of the JSON in BASE/list (found: next, x)"},
		"no list of items":      {map[string]string{"GET /list": `{"a":1}`}, listing.NextURL("next"), []listing.Option{listing.EachItem("items")}, "page 1 of the list: no list in field items of the JSON in BASE/list (found: a)"},
	} {
		t.Run(name, func(t *testing.T) {
			a := site(t, c.pages)
			_, err := a.texts(t, c.next, c.options...)
			assert.ErrorContains(t, err, strings.ReplaceAll(c.want, "BASE", a.base))
		})
	}
}

// A list that has no end is an error, not a scrape that goes on for ever.
func TestEndless(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("n"))
		fmt.Fprintf(w, "<p>%d</p><a href='?n=%d'>", n, n+1)
	}))
	t.Cleanup(server.Close)
	n := 0
	var err error
	for _, err = range listing.Pages(t.Context(), agent.New(agent.Config{}), server.URL, listing.NextLink("a"), listing.AtMost(3)) {
		n++
	}
	var endless *agent.EndlessError
	require.ErrorAs(t, err, &endless)
	assert.EqualError(t, err, "page 4 of the list: the list has more than 3 pages")
	assert.Equal(t, 4, n, "three pages and the error")
}

// Nothing is asked for before the loop comes back for it.
func TestLeavingTheLoop(t *testing.T) {
	a := site(t, map[string]string{"GET /list": page(1, "<a href=/2>"), "GET /2": page(2, "")})
	for range listing.Pages(t.Context(), a.Agent, a.base+"/list", listing.NextLink("a")) {
		break
	}
	assert.Equal(t, []string{"GET /list"}, a.requests)
}

// The answer to a search is the first page of its results.
func TestFrom(t *testing.T) {
	a := site(t, map[string]string{
		"GET /": "<form method=post action=/find><input name=q></form>", "POST /find q=rye": page(1, "<a href='/find?page=2'>"), "GET /find?page=2": page(2, ""),
	})
	home, err := a.Get(t.Context(), a.base+"/")
	require.NoError(t, err)
	form, err := home.Form("form")
	require.NoError(t, err)
	require.NoError(t, form.Fill("q", "rye"))
	results, err := form.Submit(t.Context(), nil)
	require.NoError(t, err)
	n := 0
	for _, err := range listing.From(t.Context(), results, listing.NextLink("a")) {
		require.NoError(t, err)
		n++
	}
	assert.Equal(t, 2, n)
}

func TestRows(t *testing.T) {
	for name, c := range map[string]struct {
		html, selector string
		rows           int
		err            string
	}{
		"rows":                     {"<table><tr class=item><td>1<tr class=item><td>2</table>", "table tr.item", 2, ""},
		"none, and it says so":     {"<p>Sorry, NO \n results were found.</p>", "table tr.item", 0, ""},
		"none, and it says else":   {"<title>Catalog</title><table id=t><tr><td>1</table>", "table tr.item", 0, "no table tr.item in BASE/list; the page has title Catalog; tables table#t"},
		"none, and a script knows": {"<title>Catalog</title><script>say('no results')</script>", "tr.item", 0, "no tr.item in BASE/list; the page has title Catalog"},
		"none, for maintenance":    {"<h1>Under maintenance</h1>", "tr.item", 0, "Maintenance: Under maintenance"},
		"no selector":              {"", "tr[", 0, `selector: can't use "tr["`},
	} {
		t.Run(name, func(t *testing.T) {
			a := site(t, map[string]string{"GET /list": c.html})
			p, err := a.Get(t.Context(), a.base+"/list")
			require.NoError(t, err)
			rows, err := listing.Rows(p, c.selector, "Keine Treffer", "no results")
			if c.err != "" {
				assert.ErrorContains(t, err, strings.ReplaceAll(c.err, "BASE", a.base))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.rows, rows.Length())
		})
	}
	a := site(t, map[string]string{"GET /list": "<p>Nothing</p>"})
	p, err := a.Get(t.Context(), a.base+"/list")
	require.NoError(t, err)
	_, err = listing.Rows(p, "tr")
	var layout *scraperutils.LayoutError
	assert.ErrorAs(t, err, &layout, "no text stands for nothing found unless it is given")
}

// Links in a circle are followed once, even where the pages tell the time and so never say the same twice.
func TestLinksInACircle(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		fmt.Fprintf(w, "<p>%d</p><a href='/%d'>", requests, requests%2)
	}))
	t.Cleanup(server.Close)
	for _, err := range listing.Pages(t.Context(), agent.New(agent.Config{}), server.URL+"/0", listing.NextLink("a")) {
		require.NoError(t, err)
	}
	assert.Equal(t, 2, requests)
}

func FuzzLinkHeader(f *testing.F) {
	f.Add(`</1>; rel="prev", </2>; rel="next"`)
	f.Add(`<`)
	f.Add(`<>;rel=next`)
	f.Fuzz(func(t *testing.T, value string) {
		if next := listing.RelNextOf(http.Header{"Link": {value}}); !strings.Contains(value, "<"+next) && next != "" {
			t.Fatalf("%q became %q", value, next)
		}
	})
}
