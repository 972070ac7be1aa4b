package intake_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/intake"
)

// read returns an input's entries and errors, a line each, as "line priority URL".
func read(r io.Reader, o intake.Options) (got []string) {
	for e, err := range intake.Read(r, o) {
		var line *intake.LineError
		switch {
		case errors.As(err, &line):
			got = append(got, err.Error())
		case err != nil:
			got = append(got, "end: "+err.Error())
		default:
			s := fmt.Sprintf("%d p%d %s", e.Line, e.Priority, e.URL)
			if e.Sitemap {
				s += " sitemap"
			}
			if !e.Modified.IsZero() {
				s += e.Modified.UTC().Format(" 2006-01-02")
			}
			got = append(got, s)
		}
	}
	return got
}

const noURL = `no URL: it does not begin with http:// or https://`

var inputs = []struct {
	name, text string
	options    intake.Options
	want       []string
}{
	{"nothing", "", intake.Options{}, nil},
	{"white space", " \r\n\t\n", intake.Options{}, nil},
	{"a list", "# mine\n\nhttp://a.example\r\n  HTTP://B.example/x#y  \n#http://c.example/\nhttp://d.example/", intake.Options{Priority: 3},
		[]string{"3 p3 http://a.example/", "4 p3 http://b.example/x", "6 p3 http://d.example/"}},
	{"a list with other things in it", "http://a.example/\nnonsense\nftp://b.example/\nhttp://me:secret@c.example/\nhttp://d.example/", intake.Options{}, []string{
		"1 p0 http://a.example/", `line 2: "nonsense": ` + noURL, `line 3: "ftp://b.example/": other scheme: it must begin with http:// or https://`,
		`line 4: "http://…@c.example/": user information: a user or a password in a URL would be stored and shown`, "5 p0 http://d.example/"}},
	{"several URLs in a line", "http://a.example/ http://b.example/\nhttp://c.example/a b", intake.Options{},
		[]string{"line 1: several URLs in a line, expected one", "2 p0 http://c.example/a%20b"}},
	{"two arrays", `["http://a.example/"]["http://b.example/"]`, intake.Options{}, []string{"1 p0 http://a.example/", "end: read JSON: line 1: there is more behind the array"}},
	{"a byte order mark", "\ufeffhttp://a.example/", intake.Options{}, []string{"1 p0 http://a.example/"}},
	{"Latin-1", "http://a.example/caf\xe9", intake.Options{}, []string{"1 p0 http://a.example/caf%C3%A9"}},
	{"a long line", "http://a.example/\n" + strings.Repeat("x", 10000) + "\nhttp://b.example/", intake.Options{MaxLine: 5000},
		[]string{"1 p0 http://a.example/", "line 2: longer than 5000 bytes", "3 p0 http://b.example/"}},
	{"a long line that is short enough", "http://a.example/#" + strings.Repeat("x", 10000) + "\nhttp://b.example/", intake.Options{},
		[]string{"1 p0 http://a.example/", "2 p0 http://b.example/"}},

	{"CSV", "title,URL,priority,lastmod\nA,http://a.example/,2,2024-05-01\n\"B, C\",\"http://b.example/?q=\"\"\",,\n", intake.Options{Priority: 7},
		[]string{"2 p2 http://a.example/ 2024-05-01", "3 p7 http://b.example/?q=%22"}},
	{"CSV with semicolons and a mark", "\ufeffid;link\r\n1;http://a.example/\r\n", intake.Options{}, []string{"2 p0 http://a.example/"}},
	{"CSV with tabs", "id\turl\n1\thttp://a.example/\n", intake.Options{}, []string{"2 p0 http://a.example/"}},
	{"CSV of one column", "\n\"url\"\nhttp://a.example/\n", intake.Options{}, []string{"3 p0 http://a.example/"}},
	{"CSV with a column of another name", "url,Web Site\nhttp://no.example/,http://a.example/\n", intake.Options{Column: "web site"}, []string{"2 p0 http://a.example/"}},
	{"CSV without that column", "url,site\nhttp://no.example/,x\n", intake.Options{Column: "page"}, []string{`end: line 1: no column "page" in "url,site"`}},
	{"CSV with line breaks in quotes", "text,url\n\"a\nb \"\"c\"\",\nd\",http://a.example/\ne,http://b.example/\n", intake.Options{},
		[]string{"2 p0 http://a.example/", "5 p0 http://b.example/"}},
	{"CSV with a quote in a field", "text,url\n5\" disk,http://a.example/\n6\",http://b.example/\n", intake.Options{}, []string{"2 p0 http://a.example/", "3 p0 http://b.example/"}},
	{"CSV with a quote that does not close", "url,text\nhttp://a.example/,\"x\nhttp://b.example/,y\nhttp://c.example/,\"z\"\n", intake.Options{},
		[]string{"2 p0 http://a.example/", "3 p0 http://b.example/", "4 p0 http://c.example/"}},
	{"CSV with a quote that a long line follows", "url,text\nhttp://a.example/,\"x\nhttp://b.example/,y\n" + strings.Repeat("x", 5000) + "\nhttp://c.example/,z\n",
		intake.Options{MaxLine: 4000}, []string{"2 p0 http://a.example/", "3 p0 http://b.example/", "line 4: longer than 4000 bytes", "5 p0 http://c.example/"}},
	{"CSV with bad rows", "a,url,priority\n1\n1,nonsense,\n1,http://a.example/,high\n1,http://a.example/,10\n1,http://b.example/,9\n", intake.Options{}, []string{
		"line 2: 1 columns, the URL is in number 2", `line 3: "nonsense": ` + noURL, `line 4: priority "high": expected a number of 0 to 9`,
		"line 5: priority 10: expected 0 to 9", "6 p9 http://b.example/"}},

	{"JSON lines", `{"url":"http://a.example/","priority":4,"lastmod":"2024-05-01T10:00:00Z"}` + "\n" + `"http://b.example/"` + "\n" + `{"id":1,"link":"http://c.example/"}` + "\nhttp://d.example/\n",
		intake.Options{}, []string{"1 p4 http://a.example/ 2024-05-01", "2 p0 http://b.example/", "3 p0 http://c.example/", "4 p0 http://d.example/"}},
	{"JSON lines with another field", `{"url":"http://no.example/","page":"http://a.example/"}`, intake.Options{Column: "page"}, []string{"1 p0 http://a.example/"}},
	{"JSON lines with bad ones", "{\"url\":\n{\"a\":1}\n{\"url\":5}\n{\"url\":\"http://a.example/\",\"priority\":\"x\"}\n{\"url\":\"http://a.example/\",\"priority\":-1}\n\"http://a.example/\n{\"url\":\"http://b.example/\"}",
		intake.Options{}, []string{"line 1: expected a URL, or a JSON string or object: unexpected end of JSON input", "line 2: no field url or link", `line 3: "url" is no string`,
			`line 4: priority "\"x\"": expected a number of 0 to 9`, "line 5: priority -1: expected 0 to 9",
			"line 6: expected a URL, or a JSON string or object: unexpected end of JSON input", "7 p0 http://b.example/"}},
	{"a JSON array", "\n[\"http://a.example/\",\n {\"url\":\"http://b.example/\",\n \"priority\":1},\n 5, \"nonsense\",\n\"http://c.example/\"]\n", intake.Options{}, []string{
		"2 p0 http://a.example/", "3 p1 http://b.example/", "line 5: expected a string or an object", `line 5: "nonsense": ` + noURL, "6 p0 http://c.example/"}},
	{"a JSON array that is cut off", "[\"http://a.example/\",\n\"http://b.exa", intake.Options{}, []string{"1 p0 http://a.example/", "end: read JSON: line 1: unexpected EOF"}},
	{"a JSON array without an end", "[\"http://a.example/\"\n", intake.Options{}, []string{"1 p0 http://a.example/", "end: read JSON: line 1: unexpected EOF"}},
	{"a JSON array of one long element", `["http://a.example/","` + strings.Repeat("x", 100000) + `"]`, intake.Options{MaxLine: 5000},
		[]string{"1 p0 http://a.example/", "end: read JSON: line 1: an element is longer than 5000 bytes"}},

	{"a sitemap", "<?xml version='1.0'?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n<url><loc>http://a.example/</loc><lastmod>2024-05-01</lastmod><priority>1.0</priority></url>\n" +
		"<url><loc> nonsense </loc></url>\n<url><loc>http://b.example/?a=1&amp;b=2</loc><priority>0.5</priority></url><url><loc>http://c.example/</loc></url></urlset>", intake.Options{Priority: 2}, []string{
		"3 p0 http://a.example/ 2024-05-01", `line 4: "nonsense": ` + noURL, "5 p5 http://b.example/?a=1&b=2", "5 p2 http://c.example/"}},
	{"an index of sitemaps", "<sitemapindex><sitemap><loc>http://a.example/1.xml.gz</loc></sitemap></sitemapindex>", intake.Options{}, []string{"1 p0 http://a.example/1.xml.gz sitemap"}},
	{"a feed", "<rss><channel><link>http://no.example/</link><item><link>http://a.example/</link></item></channel></rss>", intake.Options{}, []string{"1 p0 http://a.example/"}},
	{"another XML document", "<html><body>http://a.example/</body></html>", intake.Options{}, []string{"end: read XML: line 1: <html> is neither a sitemap nor a feed"}},
	{"a priority that is none", "http://a.example/", intake.Options{Priority: 10}, []string{"end: priority 10: expected 0 to 9"}},
}

func TestInputsAreToldByTheirContent(t *testing.T) {
	for _, c := range inputs {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, read(strings.NewReader(c.text), c.options))
			assert.Equal(t, c.want, read(bytes.NewReader(zipped(c.text)), c.options), "gzipped")
			if !strings.ContainsRune(c.text, '\ufeff') && !strings.Contains(c.text, "\xe9") && c.text != "" {
				wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(c.text)
				require.NoError(t, err)
				assert.Equal(t, c.want, read(strings.NewReader(wide), c.options), "UTF-16")
			}
		})
	}
}

// Where a compressed list is cut off within a line, that line is not taken for a URL: it may be the beginning of another one.
func TestHalfALine(t *testing.T) {
	whole := zipped("http://a.example/1\nhttp://a.example/23456789\n")
	half := 0
	for n := range whole {
		for _, line := range read(bytes.NewReader(whole[:n]), intake.Options{}) {
			if line != "1 p0 http://a.example/1" && line != "2 p0 http://a.example/23456789" {
				assert.Regexp(t, "^end: |^line 1: ", line)
				half++
			}
		}
	}
	assert.Greater(t, half, 20)
}

func zipped(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.Bytes()
}

func TestAnEntryGoesToAFrontier(t *testing.T) {
	for e, err := range intake.Read(strings.NewReader("HTTPS://A.example:8443"), intake.Options{Priority: 4}) {
		require.NoError(t, err)
		assert.Equal(t, crawl.Entry{Host: scraperutils.Host{Name: "a.example", Port: "8443"}, URL: "https://a.example:8443/", Priority: 4}, e.Crawl())
	}
}

func TestAnInputThatGoesOnIsReadAsItComes(t *testing.T) {
	for _, lines := range [][]string{
		{"http://a.example/1\n", "http://a.example/2\n"},
		{"url\nhttp://a.example/1\n", "http://a.example/2\n"},
		{`{"url":"http://a.example/1"}` + "\n", `{"url":"http://a.example/2"}` + "\n"},
		{`["http://a.example/1",`, `"http://a.example/2",`},
	} {
		r, w := io.Pipe()
		got := make(chan string)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for e := range intake.Read(r, intake.Options{}) {
				got <- e.URL.String()
			}
		}()
		for i, line := range lines {
			_, err := io.WriteString(w, line)
			require.NoError(t, err)
			assert.Equal(t, fmt.Sprint("http://a.example/", i+1), <-got, "before the next line was written")
		}
		r.CloseWithError(io.EOF)
		go func() {
			for range got {
			}
		}()
		<-done
		close(got)
	}
}

func TestAReaderThatFails(t *testing.T) {
	broken := io.MultiReader(strings.NewReader("http://a.example/\n"), failing{})
	assert.Equal(t, []string{"1 p0 http://a.example/", "end: read URLs: the disk is gone"}, read(broken, intake.Options{}))
	cut := zipped(strings.Repeat("http://a.example/\n", 10))
	assert.Contains(t, read(bytes.NewReader(cut[:len(cut)-6]), intake.Options{}), "end: read URLs: unexpected EOF")
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func TestReadingStopsWhenNobodyWantsMore(t *testing.T) {
	for _, c := range inputs {
		for range intake.Read(strings.NewReader(c.text), c.options) {
			break
		}
	}
}

func TestMessages(t *testing.T) {
	for _, c := range []struct{ text, want, err string }{
		{" http://a.example\n", "http://a.example/", ""},
		{`"http://a.example/"`, "http://a.example/", ""},
		{`{"link":"http://a.example/","priority":3,"lastmod":"2024-05-01"}`, "http://a.example/", ""},
		{"", "", `"": ` + noURL},
		{"{", "", "expected a URL, or a JSON string or object: unexpected end of JSON input"},
		{`{"priority":3}`, "", "no field url or link"},
		{`{"url":"http://a.example/","priority":30}`, "", "priority 30: expected 0 to 9"},
	} {
		e, err := intake.Message([]byte(c.text), intake.Options{})
		assert.Equal(t, c.want, e.URL.String())
		if c.err == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, c.err)
		}
	}
	e, err := intake.Message([]byte(`{"url":"http://a.example/","priority":3,"lastmod":"2024-05-01"}`), intake.Options{})
	require.NoError(t, err)
	assert.Equal(t, 3, e.Priority)
	assert.Equal(t, time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC), e.Modified)
}

// FuzzRead holds that an input of any kind is read to its end: each line at most once, in order, and what is taken is a URL.
func FuzzRead(f *testing.F) {
	for _, c := range inputs {
		if len(c.text) < 1000 {
			f.Add([]byte(c.text))
			f.Add(zipped(c.text))
		}
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		o := intake.Options{MaxLine: 300}
		last := 0
		for e, err := range intake.Read(bytes.NewReader(input), o) {
			var line *intake.LineError
			switch {
			case errors.As(err, &line):
				e.Line = line.Line
			case err != nil:
				last = 1 << 30 // nothing may follow
				continue
			default:
				u, err := o.Form.Parse(e.URL.String())
				require.NoError(t, err)
				require.Equal(t, e.URL, u)
				require.True(t, e.Priority >= 0 && e.Priority <= 9)
			}
			require.GreaterOrEqual(t, e.Line, max(last, 1))
			last = e.Line
		}
	})
}
