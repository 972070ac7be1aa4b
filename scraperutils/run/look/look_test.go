package look_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/look"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

// got is an answer of 200 with HTML.
func got(url, html string) cassette.Interaction {
	return cassette.Interaction{
		Request:  cassette.Request{Method: "GET", URL: url},
		Response: cassette.Response{Status: 200, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: cassette.NewBody([]byte(html))},
	}
}

// with changes an answer.
func with(i cassette.Interaction, change func(*cassette.Interaction)) cassette.Interaction {
	change(&i)
	return i
}

func tape(t *testing.T, all ...cassette.Interaction) *look.Tape {
	t.Helper()
	return look.NewTape(t.Context(), &cassette.Cassette{Interactions: all}, agent.New(agent.Config{}))
}

const (
	home = "https://council.example/search"
	list = "https://council.example/list?from=1&page="
	one  = "https://council.example/da/"
)

func TestTape(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, "<title>Caf\xe9</title>")
	require.NoError(t, z.Close())
	c := &cassette.Cassette{
		Interactions: []cassette.Interaction{
			with(got(home, ""), func(i *cassette.Interaction) {
				i.Response.Status, i.Response.Header = 302, http.Header{"Location": {"https://user:password@council.example/list"}}
			}),
			with(got("https://user:password@council.example/list", ""), func(i *cassette.Interaction) {
				i.Response.Header = http.Header{"Content-Type": {"text/html; charset=iso-8859-1"}, "Content-Encoding": {"gzip"}}
				i.Response.Body = cassette.NewBody(packed.Bytes())
			}),
			with(got(home, "<h1>Sorry</h1>"), func(i *cassette.Interaction) { i.Response.Status, i.Superseded = 500, true }),
		},
		Failures: []cassette.Failure{{Request: cassette.Request{Method: "GET", URL: home}, Message: "no answer within 1m0s", After: 3}},
		Missing:  2, Truncated: true,
	}
	read := look.NewTape(t.Context(), c, agent.New(agent.Config{}))
	all := read.Exchanges()
	require.Len(t, all, 4)
	assert.Equal(t, "https://council.example/list", all[0].Location)
	assert.Equal(t, "https://council.example/list", all[1].URL.String())
	page, err := all[1].Page()
	require.NoError(t, err)
	assert.Equal(t, "<title>Café</title>", page.Text)
	assert.True(t, all[2].Superseded)
	page, err = all[2].Page()
	require.NoError(t, err)
	assert.Equal(t, 500, page.Status)
	_, err = all[3].Page()
	assert.EqualError(t, err, "page 4 (GET https://council.example/search): no answer within 1m0s")
	last, ok := read.Last()
	assert.Equal(t, "3 true", fmt.Sprint(last.Number, " ", ok))
	_, err = read.Number(5)
	assert.EqualError(t, err, "there is no page 5: the recording has 4 exchanges")
	missing, truncated := read.Missing()
	assert.Equal(t, "2 true", fmt.Sprint(missing, " ", truncated))
	_, ok = tape(t).Last()
	assert.False(t, ok)
}

func TestFind(t *testing.T) {
	page := tape(t, got(home, `<table class="grid"><tr class="odd"><td>DA/1<td>1 High <b>St</b></tr><tr><td><a href="/2">DA/2</a></tr></table><script>x()</script>`))
	last, _ := page.Last()
	p, err := last.Page()
	require.NoError(t, err)
	for _, c := range []struct {
		by   look.Selector
		want string // of each, tag and text
	}{
		{look.Selector{CSS: "table.grid tr"}, `<tr class="odd"> DA/1 1 High St; <tr> DA/2`},
		{look.Selector{XPath: "//td[1]"}, `<td> DA/1; <td> DA/2`},
		{look.Selector{XPath: "//a/@href"}, `<href> /2`},
		{look.Selector{XPath: "//td/text()"}, `DA/1; 1 High`},
		{look.Selector{CSS: "table.list"}, ``},
		{look.Selector{CSS: "body"}, `<body> DA/1 1 High St DA/2`},
	} {
		t.Run(c.by.String(), func(t *testing.T) {
			all, err := look.Find(p, c.by)
			require.NoError(t, err)
			var texts []string
			for _, f := range all {
				texts = append(texts, strings.TrimSpace(f.Tag+" "+f.Text))
			}
			assert.Equal(t, c.want, strings.Join(texts, "; "))
		})
	}
	for _, bad := range []look.Selector{{CSS: "[["}, {XPath: "//["}, {XPath: "nosuch(1)"}, {XPath: "//a[sum('x')]"}, {XPath: "//a[matches(1, 1)]"}} {
		_, err := look.Find(p, bad)
		var config *scraperutils.ConfigError
		assert.ErrorAs(t, err, &config, bad.String())
	}
}

func TestOutline(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a page", `<title> The  title </title><h1>Search</h1><table id=list class="grid wide"><tr><th>Number<th>Address</table><table></table>
			<form name=f action=/go><input name=from><input type=hidden name=state><button name=go></form><h2>Search</h2>`,
			"The title tables=table#list.grid.wide,table columns=Number,Address forms=form[name=\"f\"] fields=from,state,go headings=Search"},
		{"XML", `<?xml version="1.0"?><root><row><id>1</id></row><row><id>2</id></row></root>`, " elements=root,row,id"},
		{"JSON", `{"rows": [{"id": "id", "at": {"street": "x"}}, {"id": "a"}], "more": true}`, " elements=rows,id,at,street,more"},
		{"half a JSON", `{"rows": [{"id": 1}, {`, " elements=rows,id"},
		{"text", `Nothing here`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			last, ok := tape(t, got(home, c.text)).Last()
			require.True(t, ok)
			p, err := last.Page()
			require.NoError(t, err)
			o := look.OutlineOf(p)
			text := o.Title
			for _, part := range o.Parts() {
				if len(part.Names) > 0 {
					text += " " + part.Kind + "=" + strings.Join(part.Names, ",")
				}
			}
			assert.Equal(t, c.want, text)
		})
	}
}

// A list of some days ago had other numbers of pages and of rows, and other records. That is no difference.
func TestSame(t *testing.T) {
	good := tape(t, got(home, "<h1>Search</h1>"), got(list+"1", "<h2>23 found</h2><table id=row_17></table>"), got(list+"2", "<table id=row_3></table>"), got(one+"7", "<h2>DA 7/2026</h2>"))
	now := tape(t, got(home, "<h1>Search</h1>"), got(list+"1", "<h2>4 found</h2><table id=row_99></table>"), got(one+"812", "<h2>DA 812/2027</h2>"))
	assert.Nil(t, look.Differ(now, good))
	assert.Nil(t, look.Differ(tape(t), good), "a run that was cut short has nothing that differs")
}

func TestDiffer(t *testing.T) {
	good := []cassette.Interaction{got(home, "<h1>Search</h1><form id=f><input name=from></form>"), got(list+"1", "<table class=grid><tr><th>Number<th>Address</table>")}
	for _, c := range []struct {
		name     string
		now      []cassette.Interaction
		want     string // page, why, what has changed
		selector string
	}{
		{"another table", []cassette.Interaction{good[0], got(list+"3", "<table class=list><tr><th>Number<th>Where</table>")},
			"2: ; tables -table.grid +table.list; columns -Address +Where", "table.list"},
		{"another field", []cassette.Interaction{got(home, "<h1>Search</h1><form id=f><input name=start></form>"), got(list+"3", "<table class=list></table>")},
			"1: ; fields -from +start", "form#f"},
		{"an error", []cassette.Interaction{good[0], with(good[1], func(i *cassette.Interaction) { i.Response.Status = 500 })}, "2: its status is 500, and was 200", "table.grid"},
		{"another way", []cassette.Interaction{good[0], got("https://council.example/maintenance", "<p>Back soon")},
			"2: no page at such an address is in the good recording: the way there has changed", "body *"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := look.Differ(tape(t, c.now...), tape(t, good...))
			require.NotNil(t, d)
			text := fmt.Sprintf("%d: %s", d.Page.Number, d.Why)
			for _, part := range d.Parts {
				text += "; " + part.Kind
				for _, name := range part.Gone {
					text += " -" + name
				}
				for _, name := range part.New {
					text += " +" + name
				}
			}
			assert.Equal(t, c.want, text)
			assert.Equal(t, c.selector, d.Selector())
		})
	}
}

// Nothing that a page or a selector holds makes a panic.
func FuzzFind(f *testing.F) {
	for _, s := range []string{"table.grid tr", "a:nth-child(2n+1)", "//td[1]", "//a/@href", "count(//a)", "string(//a)", "//a[sum('x')]", "//*[position()=last()]", "[[", "//["} {
		f.Add("<table class=grid><tr><td><a href=x>y</a></table>", s)
	}
	f.Fuzz(func(t *testing.T, html, selector string) {
		last, ok := tape(t, got(home, html)).Last()
		if !ok {
			return
		}
		p, err := last.Page()
		require.NoError(t, err)
		look.OutlineOf(p)
		for _, by := range []look.Selector{{CSS: selector}, {XPath: selector}} {
			_, err := look.Find(p, by)
			var config *scraperutils.ConfigError
			assert.True(t, err == nil || assert.ErrorAs(t, err, &config))
		}
	})
}
