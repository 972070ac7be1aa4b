package extract_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/extract"
)

// header makes a header of names and values.
func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

var page = header("Content-Type", "text/html; charset=utf-8")

func texts(f extract.Found) (all []string) {
	for _, l := range f.Links {
		all = append(all, l.URL)
	}
	return all
}

func encoded(t *testing.T, text string, enc interface{ String(string) (string, error) }) string {
	t.Helper()
	out, err := enc.String(text)
	require.NoError(t, err)
	return out
}

func TestHTML(t *testing.T) {
	all := extract.HTML{Sources: true}
	every := extract.HTML{Nofollow: true}
	cyrillic := encoded(t, `<a href="/стр?q=привет&r=1#я">x</a>`, charmap.Windows1251.NewEncoder())
	for name, c := range map[string]struct {
		header http.Header // nil: of a page
		html   extract.HTML
		body   string
		want   []string
	}{
		"elements that lead on":          {nil, extract.HTML{}, `<a href=/a><area href="/area"><iframe src="/iframe"></iframe><frame src='/frame'><form action="/form"><form method=GET action=/get>`, []string{"/a", "/area", "/iframe", "/frame", "/form", "/get"}},
		"forms that are posted":          {nil, extract.HTML{}, `<form method="Post" action="/post"><form method="dialog" action="/dialog">`, nil},
		"no forms":                       {nil, extract.HTML{NoForms: true}, `<form action="/form"><a href=a>`, []string{"a"}},
		"link elements by their rel":     {nil, extract.HTML{}, `<link rel=next href=n><link rel="Alternate stylesheet" href=s><link rel=" shortlink  CANONICAL" href=c><link rel=alternate type=application/rss+xml href=feed><link rel=stylesheet href=css><link rel=preload href=p><link href=none>`, []string{"n", "c", "feed"}},
		"sources, where asked":           {nil, all, `<img src=i srcset="one 1x, two 2x"><script src=s></script><link rel=stylesheet href=css><video src=v><source src=w></video>`, []string{"i", "s", "css", "v", "w"}},
		"no sources":                     {nil, extract.HTML{}, `<img src=i srcset="one 1x"><script src=s></script>`, nil},
		"nofollow":                       {nil, extract.HTML{}, `<a rel="external NoFollow" href=no><a rel="nofollowing" href=yes><area rel=nofollow href=no>`, []string{"yes"}},
		"nofollow, where it is followed": {nil, every, `<meta name=robots content=nofollow><a rel=nofollow href=no>`, []string{"no"}},
		"meta robots":                    {nil, extract.HTML{}, `<a href=before><META NAME="Robots" CONTENT="noarchive, NoFollow"><a href=after>`, nil},
		"meta robots: none":              {nil, extract.HTML{}, `<meta name=robots content=none><a href=a>`, nil},
		"noindex alone is followed":      {nil, extract.HTML{}, `<meta name=robots content="noindex,follow"><a href=a>`, []string{"a"}},
		"a meta of another crawler":      {nil, extract.HTML{Agent: "us"}, `<meta name=otherbot content=nofollow><a href=a>`, []string{"a"}},
		"a meta of ours":                 {nil, extract.HTML{Agent: "us"}, `<meta name=US content=nofollow><a href=a>`, nil},
		"X-Robots-Tag":                   {header("Content-Type", "text/html", "X-Robots-Tag", "noindex", "X-Robots-Tag", "nofollow"), extract.HTML{}, `<a href=a>`, nil},
		"X-Robots-Tag of others":         {header("Content-Type", "text/html", "X-Robots-Tag", "otherbot: noindex, nofollow", "X-Robots-Tag", "unavailable_after: 25 Jun 2030, max-snippet: 5"), extract.HTML{Agent: "us"}, `<a href=a>`, []string{"a"}},
		"X-Robots-Tag of ours":           {header("Content-Type", "text/html", "X-Robots-Tag", "otherbot: noindex, Us: nofollow"), extract.HTML{Agent: "us"}, `<a href=a>`, nil},
		"an answer that is not followed": {header("Content-Type", "text/html", "X-Robots-Tag", "nofollow", "Link", "</n>; rel=next"), extract.HTML{}, ``, nil},
		"entities and spaces":            {nil, extract.HTML{}, `<a href="  /x?a=1&amp;b=2&copy=3 ">`, []string{"/x?a=1&b=2&copy=3"}},
		"links that lead nowhere":        {nil, extract.HTML{}, `<a href><a href=""><a href="#x"><a name=x>`, nil},
		"the first of two attributes":    {nil, extract.HTML{}, `<a href=one href=two>`, []string{"one"}},
		"comments, scripts and styles":   {nil, extract.HTML{}, `<!-- <a href=no> --><script>"<a href=no>"</script><style><a href=no></style><textarea><a href=no></textarea><title><a href=no></title><a href=yes>`, []string{"yes"}},
		"noscript":                       {nil, extract.HTML{}, `<noscript><a href=yes></noscript><noframes><a href=too></noframes>`, []string{"yes", "too"}},
		"broken markup":                  {nil, extract.HTML{}, `</p><a href=/1<b href=/2><a href="/3" "><A/HREF='/4'><a href="/5>text</a><a href=/6>`, []string{"/1<b", "/3", "/4"}},
		"refresh":                        {nil, extract.HTML{}, `<meta http-equiv="Refresh" content="0; URL='/next'"><meta http-equiv=refresh content=5><meta http-equiv=refresh content="1,url=/two">`, []string{"/next", "/two"}},
		"Link headers":                   {header("Content-Type", "text/plain", "Link", `</n,1>; title="a, <b>"; rel="next", </s>; rel=stylesheet, </c>;rel=canonical`, "Link", `</a>; rel="alternate nofollow"`, "Link", "no link"), extract.HTML{}, "", []string{"/n,1", "/c"}},
		"an image by its type":           {header("Content-Type", "image/png"), extract.HTML{}, `<a href=no>`, nil},
		"an image by its bytes":          {header("Content-Type", "text/html"), extract.HTML{}, "\x89PNG\r\n\x1a\n<a href=no>", nil},
		"bytes that are no text":         {header("Content-Type", "text/html"), extract.HTML{}, "\x00\x01\x02<a href=no>", nil},
		"no type, a page":                {header(), extract.HTML{}, "\n<!-- x --><html><a href=yes>", []string{"yes"}},
		"no type, a text":                {header(), extract.HTML{}, "see <a href=no>", nil},
		"a text with tags in it":         {header("Content-Type", "text/plain"), extract.HTML{}, "<html><a href=no>", nil},
		"XHTML":                          {header("Content-Type", "application/xhtml+xml"), extract.HTML{}, `<?xml version="1.0"?><html><script src="x"/><a href="yes"/></html>`, []string{"yes"}},
		"XHTML as XML":                   {header("Content-Type", "application/xml"), extract.HTML{}, `<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><a href="yes"/></html>`, []string{"yes"}},
		"other XML":                      {header("Content-Type", "text/xml"), extract.HTML{}, `<doc><a href="no"/></doc>`, nil},
		"a type with a parameter broken": {header("Content-Type", "text/html; charset"), extract.HTML{}, `<a href=yes>`, []string{"yes"}},
		"windows-1251 by its type":       {header("Content-Type", "text/html; charset=windows-1251"), extract.HTML{}, cyrillic, []string{"/стр?q=%EF%F0%E8%E2%E5%F2&r=1#я"}},
		"windows-1251 by a meta":         {header("Content-Type", "text/html"), extract.HTML{}, "<meta charset=windows-1251>" + cyrillic, []string{"/стр?q=%EF%F0%E8%E2%E5%F2&r=1#я"}},
		"a character that it has not":    {header("Content-Type", "text/html; charset=iso-8859-1"), extract.HTML{}, "<a href='?q=\xe9&#x20ac;&#x4e2d;'>", []string{"?q=%E9%80&#20013;"}},
		"UTF-16":                         {header("Content-Type", "text/html"), extract.HTML{}, encoded(t, "<a href=/ä?ö>", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder()), []string{"/ä?ö"}},
		"UTF-8 that says nothing, late":  {header("Content-Type", "text/html"), extract.HTML{}, strings.Repeat(" ", 5000) + "<a href=/ä?ö>", []string{"/ä?ö"}},
		"UTF-8 with a mark":              {header("Content-Type", "text/html; charset=iso-8859-1"), extract.HTML{}, "\ufeff<a href=/ä?ö>", []string{"/ä?ö"}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.header == nil {
				c.header = page
			}
			found, err := c.html.Links(c.header, []byte(c.body))
			require.NoError(t, err)
			assert.Equal(t, c.want, texts(found))
		})
	}
}

func TestBase(t *testing.T) {
	found, err := extract.HTML{}.Links(page, []byte(`<base target=x><base href=" /b/ "><base href="/c/"><a href=x>`))
	require.NoError(t, err)
	assert.Equal(t, extract.Found{Base: "/b/", Links: []extract.Link{{URL: "x", Priority: -1}}}, found)
}

func TestPageWithTooManyLinks(t *testing.T) {
	found, err := extract.HTML{}.Links(page, []byte(strings.Repeat("<a href=x>", extract.MaxLinks+1)))
	var bound *extract.BoundError
	require.ErrorAs(t, err, &bound)
	assert.Len(t, found.Links, extract.MaxLinks)
}

func TestIsFeed(t *testing.T) {
	for text, want := range map[string]bool{
		`<?xml version="1.0"?><!-- x --><rss>`: true,
		"\ufeff \n<feed xmlns='x'>":            true,
		`<rdf:RDF xmlns:rdf="x">`:              true,
		`<s:urlset>`:                           true,
		`<html>`:                               false,
		`rss`:                                  false,
		`<!-- without an end`:                  false,
		``:                                     false,
		"<!DOCTYPE x>" + strings.Repeat(" ", 5_000): false,
	} {
		for _, kind := range []string{"application/rss+xml", "text/xml; charset=utf-8", "text/plain", ""} {
			assert.Equal(t, want, extract.IsFeed(header("Content-Type", kind), []byte(text)), "%q as %q", text, kind)
		}
		assert.False(t, extract.IsFeed(header("Content-Type", "image/svg"), []byte(text)))
	}
}

// Whatever a page and its headers are, reading them ends, without a panic, and gives links that are texts of it.
func FuzzHTML(f *testing.F) {
	f.Add("text/html", `</n>; rel="next`, "noindex, x: nofollow", `<base href=/b><a href="x">&amp;<script><!--<a href=y></script>`)
	f.Add("application/xhtml+xml; charset=utf-16", "<a,b>;rel=next;", "", "<script/><a href='x?\xe9'>")
	f.Add("text/html; charset=windows-1251", "<", "none", "<a href='?\xe9\xff&#x4e2d;#'>")
	f.Fuzz(func(t *testing.T, kind, link, robots, body string) {
		h := header("Content-Type", kind, "Link", link, "X-Robots-Tag", robots)
		for _, options := range []extract.HTML{{}, {Sources: true, Nofollow: true, Agent: "x"}} {
			found, err := options.Links(h, []byte(body))
			require.NoError(t, err)
			for _, l := range found.Links {
				require.NotEmpty(t, strings.TrimSpace(l.URL))
			}
		}
		extract.IsFeed(h, []byte(body))
	})
}

func BenchmarkHTML(b *testing.B) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "<p>some text &amp; more, on and on and on and on</p><a class=x href=\"/p/%d?a=1&amp;b=2\">link</a>\n", i)
	}
	body := []byte(text.String())
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if found, _ := (extract.HTML{}).Links(page, body); len(found.Links) != 100 {
			b.Fatal(len(found.Links))
		}
	}
}
