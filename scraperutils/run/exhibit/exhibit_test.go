package exhibit_test

import (
	_ "embed"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/run/exhibit"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

func cleaned(t testing.TB, page string) (*goquery.Document, string) {
	t.Helper()
	markup, _, err := exhibit.Clean(page)
	require.NoError(t, err)
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(markup))
	require.NoError(t, err)
	return doc, markup
}

// A page keeps its words, tables, headings and fields.
func TestCleanKeepsWhatAPageSays(t *testing.T) {
	markup, title, err := exhibit.Clean(`<html><head><title> List of
		applications </title><style>.grid td { color: red } .b { background: url(http://evil.example/b.png) } .c{font-weight:bold}</style></head>
		<body class="x" bgcolor="#eee"><h1 id="top">Applications</h1><form action="/search" onsubmit="go()"><input name="q" value="a &quot;b&quot;"><input type="submit" value="Go"></form>
		<table class="grid" onclick="x()"><tr><td colspan="2" style="color: blue">DA/1 &lt;b&gt;</td></tr></table>
		<blink>old <b>words</b></blink><a href="/next?page=2">next</a><pre>

two</pre></body></html>`)
	require.NoError(t, err)
	assert.Equal(t, "List of applications", title)
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(markup))
	require.NoError(t, err)
	assert.Equal(t, "Applications", doc.Find("h1#top").Text())
	assert.Equal(t, "DA/1 <b>", doc.Find("table.grid td[colspan='2']").Text())
	assert.Equal(t, "color: blue", doc.Find("td").AttrOr("style", ""))
	assert.Equal(t, `a "b"`, doc.Find("input[name=q]").AttrOr("value", ""))
	assert.Equal(t, "/search", doc.Find("form").AttrOr("title", ""))
	assert.Equal(t, "/next?page=2", doc.Find("a").AttrOr("title", ""), "where a link led can be read")
	assert.Equal(t, "words", doc.Find("b").Text())
	assert.Equal(t, "\ntwo", doc.Find("pre").Text())
	styles := doc.Find("style").Text()
	assert.Contains(t, styles, ".grid td { color: red }")
	assert.Contains(t, styles, ".c{font-weight:bold}")
	assert.NotContains(t, styles, "evil")
	assert.Zero(t, doc.Find("[href], [src], [action], [onclick], [onsubmit]").Length())
}

// hostile is what a page may try: ADDRESS is what must not be asked.
//
//go:embed testdata/hostile.html
var hostile string

// Nothing that is fetched, followed, sent or run stays, however it is written.
func TestCleanDropsWhatAPageDoes(t *testing.T) {
	doc, markup := cleaned(t, strings.ReplaceAll(hostile, "ADDRESS", "http://evil.example"))
	assert.Zero(t, doc.Find("script, iframe, object, embed, link, base, svg, math, video, audio, source, template, noscript, meta[http-equiv=refresh]").Length())
	doc.Find("*").Each(func(_ int, s *goquery.Selection) {
		for _, a := range s.Get(0).Attr {
			assert.NotRegexp(t, `^on|^(src|srcset|href|action|formaction|background|data|poster|ping|manifest|srcdoc)$`, a.Key)
			if a.Key != "title" {
				assert.NotContains(t, a.Val, "evil", a.Key)
			}
		}
	})
	assert.NotContains(t, doc.Find("style").Text(), "evil")
	assert.Contains(t, doc.Text(), "end")
	assert.Contains(t, markup, "Content-Security-Policy")
}

func FuzzClean(f *testing.F) {
	f.Add(hostile)
	f.Add(`<p style="a:url(x)"><svg><style><img src=x></style>`)
	f.Add(`<math><annotation-xml encoding="text/html"><style><img title="</style><img src=x onerror=1>">`)
	f.Add(`<form><math><mtext></form><form><mglyph><style></math><img src onerror=1>`)
	f.Fuzz(func(t *testing.T, page string) {
		markup, _, err := exhibit.Clean(page)
		if err != nil {
			return
		}
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(markup))
		require.NoError(t, err)
		assert.Zero(t, doc.Find("script, iframe, object, embed, link, base, svg, math, video, audio, source, [src], [href], [srcset], [action], [formaction], [background], [ping]").Length(), markup)
		assert.Equal(t, 1, doc.Find("meta[http-equiv]").Length(), markup)
		doc.Find("*").Each(func(_ int, s *goquery.Selection) {
			for _, a := range s.Get(0).Attr {
				assert.False(t, strings.HasPrefix(a.Key, "on"), markup)
			}
		})
	})
}

func interaction(url, contentType, body string) cassette.Interaction {
	return cassette.Interaction{Request: cassette.Request{Method: "GET", URL: url}, Response: cassette.Response{
		Status: 200, Header: http.Header{"Content-Type": {contentType}}, Body: cassette.NewBody([]byte(body)),
	}}
}

func TestOf(t *testing.T) {
	c := &cassette.Cassette{Missing: 3, Failures: []cassette.Failure{{Request: cassette.Request{Method: "GET", URL: "http://u:p@a.example/x"}, Message: "no answer from http://u:p@a.example/x"}}}
	c.Interactions = append(c.Interactions, interaction("http://a.example/robots.txt", "text/plain", "User-agent: *"))
	for range 10 {
		c.Interactions = append(c.Interactions, interaction("http://u:secret@a.example/list", "text/html; charset=windows-1252", "<title>T</title><p>caf\xe9</p>"))
	}
	c.Interactions = append(c.Interactions, interaction("http://a.example/data", "application/json", strings.Repeat("é", 10_000)))
	e := exhibit.Of(c)
	require.Len(t, e.Pages, 8)
	assert.Equal(t, []int{3, 3}, []int{e.Left, e.Missing}, "robots.txt is no page")
	assert.Equal(t, []string{"GET http://a.example/x: no answer from http://a.example/x"}, e.Failures)
	first, last := e.Pages[0], e.Pages[7]
	assert.Equal(t, "http://a.example/list", first.URL)
	assert.Equal(t, "T", first.Title)
	assert.Contains(t, first.Markup, "<p>café</p>")
	assert.Empty(t, last.Markup)
	assert.Equal(t, "its first 8 KiB", last.Note)
	assert.Len(t, last.Text, 8<<10)

	cut := interaction("http://a.example/", "text/html", "<p>half")
	cut.Response.Body.Cut = cassette.Interrupted
	zipped := interaction("http://a.example/", "text/html", "\x1f\x8bnot")
	zipped.Response.Header.Set("Content-Encoding", "gzip")
	e = exhibit.Of(&cassette.Cassette{Interactions: []cassette.Interaction{cut, zipped, interaction("http://a.example/", "text/html", strings.Repeat("<b>", 1<<20))}})
	assert.Equal(t, "its body was interrupted", e.Pages[0].Note)
	assert.Contains(t, e.Pages[0].Markup, "half")
	assert.Contains(t, e.Pages[1].Note, "it can't be decoded: ")
	assert.Equal(t, "it can't be decoded: it is too large", e.Pages[2].Note)
}

// The recorded councils of all platforms can be shown.
func TestRecordedCouncils(t *testing.T) {
	files, _ := filepath.Glob("../../../../shared/councils/cassettes/*/*.yml")
	if len(files) == 0 {
		t.Skip("no ../shared/councils: recorded councils are not shown")
	}
	seen := map[string]bool{}
	for _, file := range files {
		platform := filepath.Base(filepath.Dir(file))
		if info, err := os.Stat(file); err != nil || seen[platform] || info.Size() > 1<<20 {
			continue
		}
		seen[platform] = true
		e, err := exhibit.Load(file)
		require.NoError(t, err, file)
		require.NotEmpty(t, e.Pages, file)
		for _, p := range e.Pages {
			assert.True(t, p.Markup != "" || p.Text != "" || p.Note != "", "%s: %s", file, p.URL)
			if p.Markup != "" {
				doc, err := goquery.NewDocumentFromReader(strings.NewReader(p.Markup))
				require.NoError(t, err)
				assert.Zero(t, doc.Find("[src], [href], script").Length())
			}
		}
	}
	assert.GreaterOrEqual(t, len(seen), 5)
}
