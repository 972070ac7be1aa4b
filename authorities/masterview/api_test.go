package masterview_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/masterview"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

const applications = "Application/GetApplications"

// page is an answer of the API: rows of id, reference, type, date and details.
func page(total any, rows ...[]any) string {
	if rows == nil {
		rows = [][]any{}
	}
	text, err := json.Marshal(map[string]any{"draw": nil, "recordsTotal": total, "data": rows})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func application(details string) []any {
	return []any{"010.1", "DA 1", "House", "15/04/2019", details}
}

func api(t *testing.T, o masterview.Options, council pages) *visit {
	t.Helper()
	o.UseAPI = true
	return scrape(t, o, "NSW", with(pages{"": "welcome"}, council))
}

func TestAPIRows(t *testing.T) {
	for name, c := range map[string]struct {
		cells []any
		want  string
	}{
		"the usual":                    {application("1 Main St <br/><b>A shed</b>"), "DA 1 | 1 Main St | A shed | 2019-04-15"},
		"several addresses":            {application("1 Main St <br/>2 Main St <br/><b>A shed</b>"), "DA 1 | 1 Main St | A shed | 2019-04-15"},
		"single spaces":                {application("1  Main St<br/><b> A   shed </b>"), "DA 1 | 1  Main St | A shed | 2019-04-15"},
		"entities stay":                {application("1 Main St<br/><b>A shed &amp; more</b>"), "DA 1 | 1 Main St | A shed &amp; more | 2019-04-15"},
		"an empty description":         {application("1 Main St<br/><b> </b>"), "DA 1 | 1 Main St | House | 2019-04-15"},
		"no description":               {application("1 Main St"), "DA 1 | 1 Main St | House | 2019-04-15"},
		"a description that is no <b>": {application("1 Main St<br />A shed"), "DA 1 | 1 Main St | A shed | 2019-04-15"},
		"no date":                      {[]any{"010.1", "DA 1", "House", nil, "1 Main St<br/><b>A shed</b>"}, "DA 1 | 1 Main St | A shed | "},
		"numbers":                      {[]any{"010.1", 1234567890123, "House", "15/04/2019", "1 Main St<br/><b>A shed</b>"}, "1234567890123 | 1 Main St | A shed | 2019-04-15"},
		"more values":                  {append(application("1 Main St<br/><b>A shed</b>"), "Approved"), "DA 1 | 1 Main St | A shed | 2019-04-15"},
	} {
		t.Run(name, func(t *testing.T) {
			v := api(t, masterview.Options{}, pages{applications: page(1, c.cells)})
			require.NoError(t, v.err)
			assert.Equal(t, []string{c.want + " | /Application/ApplicationDetails/010.1"}, v.lines(), "the state is not appended")
		})
	}
}

func TestAPIRowsThatCantBeRecords(t *testing.T) {
	v := api(t, masterview.Options{}, pages{applications: page(9,
		[]any{"010.1", "DA 1", "House", "31/02/2019", "1 Main St<br/><b>A shed</b>"},
		[]any{"010.2", "DA 2"}, []any{}, nil,
		[]any{"010.3", "DA 3", "House", "15/04/2019", "<b>A shed</b>"},
		[]any{"010.4", "DA 4", "House", "15/04/2019", "4 Main St<br/><b>A shed</b>"},
	)})
	require.NoError(t, v.err)
	assert.Len(t, v.lines(), 1)
	require.Len(t, v.Rejected, 5)
	for i, want := range []string{`DA 1: "31/02/2019" is no date`, "DA 2: it has 2 values: expected id, reference, type, date and details", "it has 0 values", "it has 0 values", "DA 3: address is blank"} {
		assert.Contains(t, v.Rejected[i], want)
	}
}

func TestLongCouncilReference(t *testing.T) {
	v := api(t, masterview.Options{LongCouncilReference: true}, pages{applications: page(1, application("1 Main St<br/><b>A shed</b>"))})
	require.NoError(t, v.err)
	assert.Equal(t, []string{"010.1 | 1 Main St | A shed | 2019-04-15 | /Application/ApplicationDetails/010.1"}, v.lines())
}

func TestQuestion(t *testing.T) {
	v := api(t, masterview.Options{}, pages{applications: page(0)})
	require.NoError(t, v.err)
	assert.Equal(t, []string{`start=0&length=100&json={"DateFrom":"14/04/2019","DateTo":"14/05/2019","DateType":"1","RemoveUndeterminedApplications":false,"ShowOutstandingApplications":false,"ShowExhibitedApplications":false,"IncludeDocuments":false}`}, v.bodies)

	v = api(t, masterview.Options{Types: []string{"16", "9"}, PageSize: 10}, pages{applications: page(0)})
	require.NoError(t, v.err)
	assert.True(t, strings.HasPrefix(v.bodies[0], "start=0&length=10&"), v.bodies[0])
	assert.True(t, strings.HasSuffix(v.bodies[0], `"IncludeDocuments":false,"ApplicationType":"16,9"}`), v.bodies[0])
}

// It goes on until the total is reached, by as many as came, however many were asked for.
func TestAPIPages(t *testing.T) {
	row := func(n int) []any { return []any{n, n, "House", "15/04/2019", "1 Main St<br/><b>A shed</b>"} }
	for name, c := range map[string]struct {
		answers []string
		starts  []int
		records int
	}{
		"one":                  {[]string{page(2, row(1), row(2))}, []int{0}, 2},
		"three":                {[]string{page(3, row(1)), page(3, row(2)), page(3, row(3))}, []int{0, 1, 2}, 3},
		"an empty one":         {[]string{page(9, row(1)), page(9)}, []int{0, 1}, 1},
		"the same again":       {[]string{page(9, row(1), row(2)), page(9, row(1), row(2))}, []int{0, 2}, 2},
		"a total that is text": {[]string{page("2", row(1)), page("2", row(2))}, []int{0, 1}, 2},
		"no total":             {[]string{page(nil, row(1)), page(nil, row(2)), page(nil)}, []int{0, 1, 2}, 2},
		"none":                 {[]string{page(0)}, []int{0}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			next := 0
			v := visitSite(t, masterview.Options{UseAPI: true, PageSize: 2}, "", func(key string) (string, bool) {
				if key != applications {
					return "welcome", key == ""
				}
				if next++; next > len(c.answers) {
					return "", false
				}
				return c.answers[next-1], true
			})
			require.NoError(t, v.err)
			assert.Len(t, v.lines(), c.records)
			require.Len(t, v.bodies, len(c.starts))
			for i, start := range c.starts {
				assert.Contains(t, v.bodies[i], fmt.Sprintf("start=%d&length=2&", start))
			}
		})
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a page":       {"<html>Please agree", "no JSON with recordsTotal and data in "},
		"other JSON":   {`{"Message":"An error has occurred."}`, "no data in the JSON in "},
		"other rows":   {`{"recordsTotal":1,"data":[{"id":1}]}`, "no JSON with recordsTotal and data in "},
		"nothing":      {``, "no JSON with recordsTotal and data in "},
		"a wrong type": {`{"recordsTotal":{},"data":[]}`, "no JSON with recordsTotal and data in "},
	} {
		t.Run(name, func(t *testing.T) {
			v := api(t, masterview.Options{}, pages{applications: c.text})
			var layout *scraperutils.LayoutError
			require.ErrorAs(t, v.err, &layout)
			assert.ErrorContains(t, v.err, "ask for applications from number 0 on: ")
			assert.ErrorContains(t, v.err, c.want)
		})
	}
	v := api(t, masterview.Options{}, pages{})
	var status *scraperutils.StatusError
	require.ErrorAs(t, v.err, &status)
}

func TestAPIWithDetailPages(t *testing.T) {
	const address = "Application/ApplicationDetails/010.1"
	const newPage = `<h3 id=details></h3><div><table><tr><td>Description: <td>A  tower<tr><td>Submitted Date: <td>1/5/2019</table></div><h3 id=properties></h3><div><table><tr><td>9 High St (Lot 9)</table></div>`
	for name, c := range map[string]struct {
		detail pages
		want   string // "" skips it
	}{
		"new layout":          {pages{address: newPage}, "DA 1 | 9 High St | A  tower | 2019-05-01"},
		"old layout":          {pages{address: `<p id=ctl03_lblHead>X</p><div id=lblProp>9 High St</div><div id=lblDetails>Description: A tower<br>Submitted: 1/5/2019</div>`}, "DA 1 | 9 High St | A tower | 2019-05-01"},
		"a redirect":          {pages{address: "redirect /new", "new": newPage}, "DA 1 | 9 High St | A  tower | 2019-05-01"},
		"without these parts": {pages{address: `<h3 id=details></h3><div></div>`}, "DA 1 | 1 Main St | A shed | 2019-04-15"},
		"an HTTP error":       {pages{}, ""},
		"not available":       {pages{address: `<p class=alert>Sorry the application is not available. Please contact council for further details.`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			v := api(t, masterview.Options{ForceDetail: true}, with(c.detail, pages{applications: page(1, application("1 Main St<br/><b>A shed</b>"))}))
			require.NoError(t, v.err)
			if c.want == "" {
				assert.Len(t, v.Skipped, 1)
				assert.Empty(t, v.lines())
				return
			}
			assert.Equal(t, []string{c.want + " | /" + address}, v.lines(), "info_url is as it was built")
		})
	}
	v := api(t, masterview.Options{ForceDetail: true}, pages{address: "<p>Hello", applications: page(1, application("1 Main St<br/><b>A shed</b>"))})
	assert.Equal(t, scraperutils.ClassLayout, scraperutils.ClassOf(v.err))
	assert.ErrorContains(t, v.err, "detail of DA 1: ")
}

// The address of a council is used as it is written.
func TestURLIsUsedAsWritten(t *testing.T) {
	s, err := masterview.New(site.Site{Label: "nowhere", URL: "http://127.0.0.1:1/x/"}, masterview.Options{UseAPI: true})
	require.NoError(t, err)
	uris := []string{}
	m, err := scrapeWith(t, s, func(uri string) string {
		uris = append(uris, uri)
		return page(1, application("1 Main St<br/><b>A shed</b>"))
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"/x//", "/x//Application/GetApplications"}, uris)
	assert.Equal(t, "http://127.0.0.1:1/x//Application/ApplicationDetails/010.1", m.Rows()[0]["info_url"])
}
