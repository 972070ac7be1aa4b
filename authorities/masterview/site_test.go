package masterview_test

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/masterview"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

const today = "2019-05-14"

// pages is a council's site: what a request gets. A search is "list", a postback its target, all else the rest of the address.
// What is not there is an HTTP error.
type pages map[string]string

// visit is one scrape of such a site.
type visit struct {
	*registertest.Memory
	base     string
	err      error
	requests []string // keys of pages
	uris     []string
	bodies   []string // of posts, decoded
}

func scrape(t testing.TB, o masterview.Options, state string, council pages) *visit {
	t.Helper()
	return visitSite(t, o, state, func(key string) (string, bool) {
		html, ok := council[key]
		return html, ok
	})
}

// scrapeChanging scrapes a site whose list is another one each time.
func scrapeChanging(t testing.TB, o masterview.Options, council pages, list func() string) *visit {
	t.Helper()
	return visitSite(t, o, "", func(key string) (string, bool) {
		if key == "list" {
			return list(), true
		}
		html, ok := council[key]
		return html, ok
	})
}

func visitSite(t testing.TB, o masterview.Options, state string, answer func(key string) (string, bool)) *visit {
	t.Helper()
	v := &visit{}
	base, transport := registertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		key := strings.TrimPrefix(r.URL.RequestURI(), "/")
		if strings.Contains(key, "page=found") {
			key = "list"
		}
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			text, _ := url.QueryUnescape(string(body))
			v.bodies = append(v.bodies, text)
			if values, _ := url.ParseQuery(string(body)); values.Get("__EVENTTARGET") != "" {
				key = values.Get("__EVENTTARGET")
			}
		}
		v.requests, v.uris = append(v.requests, key), append(v.uris, r.RequestURI)
		html, ok := answer(key)
		if to, moved := strings.CutPrefix(html, "redirect "); moved {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if !ok {
			w.WriteHeader(http.StatusInternalServerError)
		}
		if html == forbidden {
			w.WriteHeader(http.StatusForbidden)
		}
		io.WriteString(w, html)
	})
	o.State = state
	s, err := masterview.New(site.Site{Label: "nowhere", URL: base}, o)
	require.NoError(t, err)
	v.base = base
	v.Memory, v.err = registertest.Scrape(t, s, transport, today)
	return v
}

// forbidden is the page of a site that it does not give.
const forbidden = "forbidden"

// lines returns each record as reference | address | description | date | info_url.
func (v *visit) lines() []string {
	var all []string
	for _, r := range v.Rows() {
		all = append(all, strings.Join([]string{r["council_reference"], r["address"], r["description"], r["date_received"], strings.TrimPrefix(r["info_url"], v.base)}, " | "))
	}
	return all
}

// grid is a page of a list: the headings and then the rows, cells parted by "|".
func grid(rows ...string) string {
	var b strings.Builder
	b.WriteString(`<form id=aspnetForm method=post action="/default.aspx?page=found"><input type=hidden name=__VIEWSTATE value=v><table class=rgMasterTable><thead>`)
	for i, row := range rows {
		b.WriteString("<tr>")
		for cell := range strings.SplitSeq(row, "|") {
			if i == 0 {
				b.WriteString("<th>" + cell + "</th>")
			} else {
				b.WriteString("<td>\r\n  " + cell + "\r\n</td>")
			}
		}
		if b.WriteString("</tr>"); i == 0 {
			b.WriteString("</thead><tfoot><tr class=rgFooter>" + strings.Repeat("<td>&nbsp;</td>", strings.Count(row, "|")+1) + "</tr></tfoot>")
		}
	}
	return b.String() + "</table>"
}

const show = `<a href="default.aspx?page=wrapper&key=1"><img></a>`

func with(council pages, more pages) pages {
	all := maps.Clone(council)
	maps.Copy(all, more)
	return all
}
