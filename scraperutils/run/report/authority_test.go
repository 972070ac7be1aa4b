package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/run/exhibit"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// sampleFailed is an authority of a made-up night that fails with a layout error on the second of its pages, and those pages.
func sampleFailed(t testing.TB) (*report.Overview, *report.Authority, *exhibit.Exhibit) {
	o := sampleOverview(143)
	a := &o.Authorities[23]
	const address = "https://da.council.example/Common/Common/terms.aspx"
	require.Contains(t, a.Error, address)
	a.Evidence = "evidence/2026-03-17T02-00"
	a.Past[len(a.Past)-1].Evidence = a.Evidence
	shown := &exhibit.Exhibit{Path: a.Evidence + "/x.yml", Left: 2, Missing: 1, Failures: []string{"GET https://da.council.example/x: refused"}}
	for i, markup := range []string{"<h1>Search</h1>", "<h1>Maintenance</h1><table class=layout><tr><td>Back soon</td></tr></table>", ""} {
		clean, _, err := exhibit.Clean(markup)
		require.NoError(t, err)
		shown.Pages = append(shown.Pages, exhibit.Page{Method: "GET", URL: fmt.Sprintf("%s/%d", "https://da.council.example", i), Status: 200, Markup: clean})
	}
	shown.Pages[1].URL, shown.Pages[1].Title = address, "Terms"
	shown.Pages[2].Markup, shown.Pages[2].Text = "", `{"json": "<b>"}`
	return o, a, shown
}

func authorityPage(t testing.TB, o *report.Overview, a *report.Authority, shown *exhibit.Exhibit) (string, *goquery.Document) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, report.WriteAuthority(&b, o, a, report.Recordings{Failure: shown, Good: "evidence/good/x.yml"}, nil, report.Filed("../", false)))
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(b.Bytes()))
	require.NoError(t, err)
	return b.String(), doc
}

// All that an operator needs to find a cause stands on one page.
func TestAuthorityPage(t *testing.T) {
	o, a, shown := sampleFailed(t)
	_, doc := authorityPage(t, o, a, shown)
	assert.Equal(t, a.Label, said(doc, "h1"))
	assert.Contains(t, said(doc, ".lede"), "failed layout, Still: ")
	assert.Equal(t, a.Error, said(doc, ".cause:not(section *)"))
	assert.Equal(t, "Platform"+a.Platform, said(doc, ".facts div:first-child"))
	assert.Equal(t, a.URL, doc.Find(".facts a").AttrOr("href", ""))
	assert.Equal(t, "periodL28", said(doc, ".facts div:last-child"))

	commands := texts(doc.Find(".command code"))
	assert.Equal(t, []string{
		"scrape --authority " + a.Label + " --db data.sqlite",
		"scrape page " + a.Label + " --db data.sqlite",
		"scrape page " + a.Label + " --diff --db data.sqlite",
		a.Replay,
	}, commands)

	assert.Equal(t, len(a.Past), doc.Find(".runs tbody tr").Length())
	assert.Equal(t, a.Past[len(a.Past)-1].Run, doc.Find(".runs tbody th").First().Text(), "the latest first")
	assert.Contains(t, said(doc, ".runs tbody tr:first-child .reason"), "no table.rgMasterTable")
	assert.Equal(t, 2, doc.Find("svg.chart").Length())
	assert.Equal(t, 2*len(a.Past), doc.Find("svg.chart g").Length())
	assert.Regexp(t, `^Records 29 runs: the last 0 records, the median [0-9]+ records, at most [0-9]+ records; [0-9]+ marked below the line$`, texts(doc.Find("figcaption"))[0])
	assert.Equal(t, "2026-02-16 2026-03-17", texts(doc.Find(".axis"))[0])

	frames := doc.Find("iframe")
	require.Equal(t, 2, frames.Length())
	frames.Each(func(_ int, s *goquery.Selection) {
		sandbox, set := s.Attr("sandbox")
		assert.True(t, set && sandbox == "", "a frame may do nothing")
		assert.Contains(t, s.AttrOr("srcdoc", ""), exhibit.Policy)
	})
	assert.Equal(t, 1, doc.Find("details.exhibit[open]").Length())
	assert.Equal(t, "Looked for here: "+a.Error, said(doc, "details.exhibit[open] .missing"), "beside the page that the error names")
	assert.Contains(t, doc.Find("details.exhibit[open] iframe").AttrOr("srcdoc", ""), "Back soon")
	assert.Equal(t, `{"json": "<b>"}`, doc.Find(".exhibit pre").Text())
	assert.Contains(t, said(doc, ".legend"), "2 pages before these are not shown. The recording was full: 1 exchange is missing.")
}

// Where there is nothing to say a page says so.
func TestAuthorityPageOfLittle(t *testing.T) {
	o := sampleOverview(3)
	_, doc := authorityPage(t, o, &report.Authority{Label: "unknown"}, nil)
	assert.Contains(t, said(doc, "main"), "The registry does not know it.")
	assert.Contains(t, said(doc, "main"), "None is kept: it has not run for 90 days.")
	assert.Zero(t, doc.Find("svg, iframe, #evidence").Length())

	a := &report.Authority{Label: "gone", Past: []report.PastRun{{Verdict: runlog.Failed, Evidence: "/gone", Error: "it broke"}}}
	_, doc = authorityPage(t, o, a, nil)
	assert.Contains(t, said(doc, "main"), "The recording is not there any more, or can't be read.")
	assert.ErrorContains(t, report.WriteAuthority(brokenWriter{errors.New("full")}, o, a, report.Recordings{}, nil, report.Links{}), "write the report's page: full")
}

// The index leads to the page of each authority.
func TestIndex(t *testing.T) {
	o := sampleOverview(143)
	o.Authorities[3].Label = "../../etc/Passwd"
	var b bytes.Buffer
	require.NoError(t, report.WriteIndex(&b, o, report.Filed("", true)))
	doc, err := goquery.NewDocumentFromReader(&b)
	require.NoError(t, err)
	seen := map[string]bool{}
	doc.Find("#table tbody th a").Each(func(i int, s *goquery.Selection) {
		href := s.AttrOr("href", "")
		assert.Equal(t, "authority/"+report.PageName(o.Authorities[i].Label), strings.ReplaceAll(href, "%3d", "="))
		assert.Regexp(t, `^authority/[a-z0-9_=%-]+\.html$`, href)
		assert.False(t, seen[href], href)
		seen[href] = true
	})
	assert.Len(t, seen, 143)
	assert.Equal(t, doc.Find(".items h4").Length(), doc.Find(".items h4 a").Length())
	assert.Equal(t, []string{"verdict", "class", "platform"}, doc.Find(".filter select").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("id", "") }))
	assert.Equal(t, 8, doc.Find("#platform option").Length())
}

func TestPageName(t *testing.T) {
	for label, want := range map[string]string{"noosa": "noosa.html", "port_adelaide-2": "port_adelaide-2.html"} {
		assert.Equal(t, want, report.PageName(label))
	}
	seen := map[string]bool{}
	for _, label := range []string{"", ".", "..", "a/b", `a\b`, "Noosa", "NOOSA", "-x", "a b", "é", strings.Repeat("a", 200), "con?", "=", "a.html"} {
		name := report.PageName(label)
		assert.Regexp(t, `^=[0-9a-f]{24}\.html$`, name, label)
		assert.False(t, seen[name])
		seen[name] = true
	}
}

// Markup in any text stays text.
func TestAuthorityPageEscapes(t *testing.T) {
	page := func(text string) *goquery.Document {
		o := hostileOverview(text)
		a := &o.Authorities[0]
		a.Site = report.Site{Platform: text, URL: "javascript:" + text, Options: map[string]any{text: text, "list": []any{text}}}
		a.File = text
		a.Past = []report.PastRun{{Run: text, Day: text, Verdict: runlog.Failed, Error: text, Evidence: text, Class: "dns"}, {Run: "2", Verdict: runlog.Verdict(text), Remark: text}}
		shown := &exhibit.Exhibit{Failures: []string{text}, Pages: []exhibit.Page{{URL: text, Title: text, Method: text, Note: text, Text: text}, {Markup: text}}}
		_, doc := authorityPage(t, o, a, shown)
		return doc
	}
	harmless, doc := page("harmless"), page(hostile)
	assert.Equal(t, harmless.Find("*").Length(), doc.Find("*").Length(), "no text becomes an element")
	assert.Zero(t, doc.Find("img, [onerror]").Length())
	assert.NotContains(t, doc.Find(".facts a").AttrOr("href", ""), "javascript:")
}
