package extract_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/extract"
)

func links(t *testing.T, r io.Reader, limit int) (found []extract.Link, err error) {
	t.Helper()
	text, err := extract.Text(r)
	if err != nil {
		return nil, err
	}
	for l, failed := range extract.Document(text, limit) {
		require.NoError(t, err, "something came after the end")
		if failed != nil {
			err = failed
			continue
		}
		found = append(found, l)
	}
	return found, err
}

func day(d int) time.Time { return time.Date(2024, 5, d, 0, 0, 0, 0, time.UTC) }

var documents = []struct {
	name, text string
	want       []extract.Link
	err        string
}{
	{"a sitemap", `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc> http://a.example/?b=1&amp;c=2 </loc><image:image><image:loc>http://no.example/i.png</image:loc></image:image><lastmod>2024-05-01</lastmod><priority>0.8</priority></url>
<url><loc><![CDATA[http://b.example/]]></loc><lastmod>yesterday</lastmod><priority>7</priority></url></urlset>`,
		[]extract.Link{{URL: "http://a.example/?b=1&c=2", Modified: day(1), Priority: 0.8, Line: 2}, {URL: "http://b.example/", Priority: -1, Line: 3}}, ""},
	{"a sitemap whose names have a prefix", `<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>http://a.example/</s:loc></s:url></s:urlset>`,
		[]extract.Link{{URL: "http://a.example/", Priority: -1, Line: 1}}, ""},
	{"an index", `<sitemapindex><sitemap><loc>http://a.example/1.xml</loc><lastmod>2024-05-02</lastmod></sitemap></sitemapindex>`,
		[]extract.Link{{URL: "http://a.example/1.xml", Sitemap: true, Modified: day(2), Priority: -1, Line: 1}}, ""},
	{"an empty sitemap", `<urlset/>`, nil, ""},
	{"RSS 2.0", `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>http://no.example/</link><atom:link href="http://no.example/feed" rel="self"/>
<item><title>&nbsp;A & B</title><link>http://a.example/1</link><atom:link href="http://no.example/"/><pubDate>Thu, 02 May 2024 00:00:00 GMT</pubDate></item>
<item><guid>http://a.example/2</guid></item><item><guid isPermaLink="false">http://no.example/</guid></item><item><guid>tag:5</guid></item></channel></rss>`,
		[]extract.Link{{URL: "http://a.example/1", Modified: day(2), Priority: -1, Line: 2}, {URL: "http://a.example/2", Priority: -1, Line: 3}, {Priority: -1, Line: 3}, {Priority: -1, Line: 3}}, ""},
	{"RSS 1.0", `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="d"><channel><link>http://no.example/</link></channel><item><link>http://a.example/</link><dc:date>2024-05-03</dc:date></item></rdf:RDF>`,
		[]extract.Link{{URL: "http://a.example/", Modified: day(3), Priority: -1, Line: 1}}, ""},
	{"Atom", `<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://no.example/"/><entry><link rel="edit" href="http://no.example/"/><link rel="alternate" href="http://a.example/"/>
<published>2024-05-01T00:00:00Z</published><updated>2024-05-04T00:00:00Z</updated></entry><entry><link href="/b"/></entry></feed>`,
		[]extract.Link{{URL: "http://a.example/", Modified: day(4), Priority: -1, Line: 1}, {URL: "/b", Priority: -1, Line: 2}}, ""},
	{"Latin-1 that says so", "<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>http://a.example/\xe9</loc></url></urlset>",
		[]extract.Link{{URL: "http://a.example/é", Priority: -1, Line: 1}}, ""},
	{"Shift JIS that says so", "<?xml version='1.0' encoding='Shift_JIS'?><urlset><url><loc>http://a.example/\x93\xfa</loc></url></urlset>",
		[]extract.Link{{URL: "http://a.example/日", Priority: -1, Line: 1}}, ""},
	{"Latin-1 that claims to be UTF-8", "<?xml version='1.0' encoding='UTF-8'?><urlset><url><loc>http://a.example/\xe9</loc></url></urlset>",
		[]extract.Link{{URL: "http://a.example/é", Priority: -1, Line: 1}}, ""},
	{"an encoding that nobody knows", "<?xml version='1.0' encoding='klingon'?><urlset><url><loc>http://a.example/é</loc></url></urlset>",
		[]extract.Link{{URL: "http://a.example/é", Priority: -1, Line: 1}}, ""},
	{"control characters", "<urlset><url><loc>http://a.example/\x01\x00</loc></url></urlset>", []extract.Link{{URL: "http://a.example/", Priority: -1, Line: 1}}, ""},
	{"a document that is cut off", "<urlset><url><loc>http://a.example/</loc></url>\n<url><loc>http://b.ex", []extract.Link{{URL: "http://a.example/", Priority: -1, Line: 1}}, "line 2: unexpected EOF"},
	{"entities within entities", `<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]><urlset><url><loc>http://a.example/&b;&c;</loc></url></urlset>`,
		[]extract.Link{{URL: "http://a.example/&b;&c;", Priority: -1, Line: 1}}, ""},
	{"elements within elements", "<urlset>" + strings.Repeat("<a>", 200), nil, "line 1: more than 100 elements within each other"},
	{"no document", "<!-- nothing -->", nil, "line 1: there is no element"},
	{"another document", "<html></html>", nil, "line 1: <html> is neither a sitemap nor a feed"},
}

func TestDocuments(t *testing.T) {
	for _, c := range documents {
		t.Run(c.name, func(t *testing.T) {
			got, err := links(t, strings.NewReader(c.text), extract.MaxEntries)
			assert.Equal(t, c.want, got)
			if c.err == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, c.err)
			}
		})
	}
}

func TestASitemapHasAnEnd(t *testing.T) {
	got, err := links(t, endless("<urlset>", "<url><loc>http://a.example/</loc></url>"), extract.MaxEntries)
	assert.Len(t, got, extract.MaxEntries)
	var bound *extract.BoundError
	require.ErrorAs(t, err, &bound)
	assert.EqualError(t, bound, "more than 50000 entries")
}

// TestEndlessDocumentsTakeLittleMemory reads documents that never end and have nothing in them.
func TestEndlessDocumentsTakeLittleMemory(t *testing.T) {
	for name, r := range map[string]io.Reader{
		"text":       endless("<urlset><url><loc>http://a.example/", "aaaaaaaaaaaaaaaa"),
		"an element": endless("<urlset ", " a='aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'"),
		"a comment":  endless("<urlset><!--", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
		"a prolog":   endless("<?xml ", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := links(t, r, extract.MaxEntries)
			runtime.ReadMemStats(&after)
			var bound *extract.BoundError
			require.True(t, errors.As(err, &bound), "%v", err)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20))
		})
	}
}

// endless is a beginning and then the same for ever.
func endless(beginning, again string) io.Reader {
	return io.MultiReader(strings.NewReader(beginning), repeated(strings.Repeat(again, 1000)))
}

type repeated string

func (r repeated) Read(p []byte) (int, error) {
	n := copy(p, r)
	if n < len(r) {
		return n - n%(len(r)/1000), nil // whole ones
	}
	return n, nil
}

func FuzzDocument(f *testing.F) {
	for _, c := range documents {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		got, err := links(t, bytes.NewReader(input), 20)
		require.LessOrEqual(t, len(got), 20)
		if err != nil {
			require.NotEmpty(t, err.Error())
		}
		for _, l := range got {
			require.Positive(t, l.Line)
			require.True(t, l.Priority == -1 || l.Priority >= 0 && l.Priority <= 1)
			require.Equal(t, strings.TrimSpace(l.URL), l.URL)
		}
	})
}

func BenchmarkDocument(b *testing.B) {
	var text strings.Builder
	text.WriteString("<urlset>\n")
	for i := range 50_000 {
		fmt.Fprintf(&text, "<url><loc>http://a.example/news/%d</loc><lastmod>2024-05-01</lastmod></url>\n", i)
	}
	text.WriteString("</urlset>")
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		in, err := extract.Text(strings.NewReader(text.String()))
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for range extract.Document(in, 0) {
			n++
		}
		if n != 50_000 {
			b.Fatal(n)
		}
	}
}
