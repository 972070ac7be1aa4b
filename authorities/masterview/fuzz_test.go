package masterview_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/multiscraper/multiscraper/authorities/masterview"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

type roundTrip func(*http.Request) string

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Request: r, Body: io.NopCloser(strings.NewReader(f(r))),
		Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
	}, nil
}

// scrapeWith scrapes without a network.
func scrapeWith(t testing.TB, s *masterview.Scraper, answer func(uri string) string) (*registertest.Memory, error) {
	t.Helper()
	return registertest.Scrape(t, s, roundTrip(func(r *http.Request) string { return answer(r.URL.RequestURI()) }), today)
}

// fuzzed scrapes pages that say anything. It must come to an end and every record must be whole.
func fuzzed(t *testing.T, o masterview.Options, answer func(uri string) string) {
	t.Helper()
	o.State = "NSW"
	s, err := masterview.New(site.Site{Label: "nowhere", URL: "http://a.example"}, o)
	if err != nil {
		t.Fatal(err)
	}
	requests := 0
	m, _ := scrapeWith(t, s, func(uri string) string {
		if requests++; requests > 5000 {
			t.Fatal("it has no end")
		}
		return answer(uri)
	})
	for _, row := range m.Rows() {
		for _, name := range []string{"council_reference", "address", "description", "info_url"} {
			if scraperutils.Blank(row[name]) {
				t.Fatalf("%s is blank in %v", name, row)
			}
		}
	}
}

func FuzzList(f *testing.F) {
	f.Add(pageOf("DA 1", button("__doPostBack('b','')")))
	f.Add(grid("|Number", show+"|DA 1 - A shed"))
	f.Add(`<table><tr><td><table><tr><td>Link<td>Address<tr><td><a href="%zz">x</a><td>1<br>2<br>3<br>4</table></table>`)
	f.Add(`<form><input type=submit value=Agree></form><div class=ControlContent>`)
	f.Fuzz(func(t *testing.T, html string) {
		fuzzed(t, masterview.Options{}, func(string) string { return html })
	})
}

func FuzzDetail(f *testing.F) {
	f.Add(`<h3 id=details></h3><div><table><tr><td>Description:<td>A shed<tr><td>Submitted Date:<td>1/5/2019</table></div><h3 id=properties></h3><p>1 Main St (x`)
	f.Add(`<p id=ctl03_lblHead>1</p><p id=lblProp>1 Main St<br>2</p><div id=lblDetails>Description: A shed<br>Activity: x<br>Address : y</div>`)
	f.Add(`<div id=lblDetail><table><tr><td>Application No.<td>1<tr><td>Description<td>A<tr><td>Description<td>B</table></div>`)
	f.Add(`<td id=details><td id=properties>`)
	f.Fuzz(func(t *testing.T, html string) {
		list := grid("Show|Number", show+"|DA 1")
		fuzzed(t, masterview.Options{ForceDetail: true}, func(uri string) string {
			if strings.Contains(uri, "page=found") {
				return list
			}
			return html
		})
	})
}

func FuzzAPI(f *testing.F) {
	f.Add(page(2, application("1 Main St<br/><b>A shed</b>"), []any{1, nil, true}))
	f.Add(page("x", application("<b>")))
	f.Add(`{"data":[[]]}`)
	f.Fuzz(func(t *testing.T, text string) {
		fuzzed(t, masterview.Options{UseAPI: true}, func(uri string) string {
			if strings.HasSuffix(uri, "GetApplications") {
				return text
			}
			return "welcome"
		})
	})
}
