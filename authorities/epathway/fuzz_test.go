package epathway_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/epathway"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

// answers is a council without a network: the answer to each request by a word of its URL.
type answers struct {
	t                           *testing.T
	first, form, list, detailed string
	asked                       int
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	if a.asked++; a.asked > 5000 {
		a.t.Fatal("the scrape has no end")
	}
	body := a.form
	switch {
	case strings.Contains(r.URL.Path, "Summary"):
		body = a.list
	case strings.Contains(r.URL.Path, "Detail"):
		body = a.detailed
	case r.Method == http.MethodGet:
		body = a.first
	}
	return &http.Response{
		StatusCode: http.StatusOK, Request: r, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

// scrape ends with rows or an error.
func (a *answers) scrape(t *testing.T, list string) {
	a.t = t
	scraper, err := epathway.New(site.Site{URL: "http://council.example"}, epathway.Options{Place: register.Place{State: "VIC"}, List: list})
	require.NoError(t, err)
	got, err := registertest.Scrape(t, scraper, a, day)
	if err != nil {
		return
	}
	for _, r := range got.Rows() {
		require.NotEmpty(t, r["council_reference"])
		require.NotEmpty(t, r["address"])
	}
}

func FuzzListPage(f *testing.F) {
	f.Add(table(row("1/2019")))
	f.Add(form(pageLabel("Page 1 of 3") + panel([]string{"Number"}, [][]string{{"1"}}, "Detail")))
	f.Add(`<table class="ContentPanel"><tr class="ContentPanelHeading"><tr class="ContentPanel"><td><a href="%zz">`)
	f.Fuzz(func(t *testing.T, list string) {
		(&answers{first: form(""), form: form(""), list: list, detailed: full()}).scrape(t, "all")
		(&answers{first: choice("x", "y"), form: form(""), list: list, detailed: full()}).scrape(t, "all")
	})
}

func FuzzDetailPage(f *testing.F) {
	f.Add(full())
	f.Add(form(panel([]string{"Address", "Primary Location"}, [][]string{{"1 Low St", "Yes"}}) + panel([]string{"Start Date", "Closing Date"}, [][]string{{"1/1/2019", "2/1/2019"}})))
	f.Add(`<span>Proposal</span><td><span>Application location`)
	f.Fuzz(func(t *testing.T, detail string) {
		list := form(panel([]string{"Number", "Location"}, [][]string{{"1", "1 High St"}}, "Detail"))
		(&answers{first: choice("", "y"), form: form(""), list: list, detailed: detail}).scrape(t, "all")
	})
}

func FuzzWayToTheList(f *testing.F) {
	f.Add(choice(submit("Next"), "Planning Register"), searchPage("", "", "Date"))
	f.Add(`<script>window.location.href='%'</script>`, "")
	f.Add(searchPage("", "31/12/2019", "Date"), searchPage("", "31/12/2019", "Date"))
	f.Fuzz(func(t *testing.T, first, then string) {
		(&answers{first: first, form: then, list: table(row("1/2019"))}).scrape(t, "all_this_year")
	})
}
