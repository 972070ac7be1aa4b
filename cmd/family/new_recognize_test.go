package family

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

// website is pages by their path, for one host.
type website struct {
	pages map[string]string // "→ URL" redirects
	asked []string
}

func (w *website) RoundTrip(r *http.Request) (*http.Response, error) {
	w.asked = append(w.asked, r.URL.String())
	body, ok := w.pages[cmp.Or(r.URL.Path, "/")]
	answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}
	if target, redirects := strings.CutPrefix(body, "→ "); redirects {
		answer.StatusCode = http.StatusFound
		answer.Header.Set("Location", target)
	} else if !ok {
		answer.StatusCode = http.StatusNotFound
	}
	return answer, nil
}

// tryNew runs scrape new on that site.
func (w *website) tryNew(t *testing.T, n *newCommand) (code int, stdout string) {
	t.Helper()
	s := defaults(t)
	s.network.Pace.NoDelay = true
	out := councils.network(egress.Config{Settings: s.network, Transport: w, Log: zerolog.Nop()})
	defer out.Close()
	var printed strings.Builder
	n.family, n.Label, n.Records = councils, "x", 1
	require.NoError(t, n.check())
	code, err := n.try(t.Context(), cli.NewConsole("scrape", nil, &printed, io.Discard), s, site.Clock{Now: time.Now()}, out)
	require.NoError(t, err)
	return code, printed.String()
}

// The platform of a site is recognized by its address, by where that leads and by what stands there.
func TestNewRecognizesPlatforms(t *testing.T) {
	for name, c := range map[string]struct {
		pages        map[string]string
		command      newCommand
		said, asked  string
		neverAskedOf string
	}{
		"by its address": {nil, newCommand{URL: "http://a.example/Pages/XC.Track/SearchApplication.aspx?d=last14days"},
			"The address looks like icon.", "http://a.example/Pages/XC.Track/SearchApplication.aspx", ""},
		"by where it leads": {map[string]string{"/": "→ /ePathway/Production/Web/default.aspx", "/ePathway/Production/Web/default.aspx": "<p>Welcome</p>"}, newCommand{URL: "http://a.example/"},
			"Where that leads, http://a.example/ePathway/Production/Web/default.aspx, looks like epathway.", "http://a.example/ePathway/Production/Web/GeneralEnquiry/EnquiryLists.aspx?ModuleCode=LAP", ""},
		"by a link": {map[string]string{"/planning": "<a href='/about'>About</a> <a href='../track/P1/eTrack/eTrackApplicationSearch.aspx?x=1'>Track</a>"}, newCommand{URL: "http://a.example/planning"},
			"What the page links to, http://a.example/track/P1/eTrack/eTrackApplicationSearch.aspx?x=1, looks like technologyone.", "http://a.example/track/P1/eTrack/eTrackApplicationSearchResults.aspx", ""},
		"by a link with a password": {map[string]string{"/": "<a href='http://me:secret@a.example/ePathway/Prod/'>Track</a>"}, newCommand{URL: "http://a.example/"},
			"What the page links to, http://a.example/ePathway/Prod/, looks like epathway.", "http://a.example/ePathway/Prod/Web/GeneralEnquiry/EnquiryLists.aspx?ModuleCode=LAP", "secret"},
		"by a form": {map[string]string{"/": "<form action='default.aspx?page=search'></form>"}, newCommand{URL: "http://a.example"},
			"looks like masterview.", "http://a.example/", ""},
		"not where one is given": {nil, newCommand{Platform: "epathway", URL: "http://a.example/"},
			"Trying {authority: x, platform: epathway, url: http://a.example,", "http://a.example/Web/GeneralEnquiry/EnquiryLists.aspx?ModuleCode=LAP", "http://a.example//"},
		"what a given one adds is cut off": {nil, newCommand{Platform: "epathway", URL: "http://a.example/e/Web/GeneralEnquiry/EnquiryLists.aspx?ModuleCode=LAP"},
			"url: http://a.example/e,", "http://a.example/e/Web/GeneralEnquiry/EnquiryLists.aspx?ModuleCode=LAP", ""},
	} {
		t.Run(name, func(t *testing.T) {
			served := &website{pages: c.pages}
			_, stdout := served.tryNew(t, &c.command)
			assert.Contains(t, stdout, c.said)
			asked := strings.Join(served.asked, "\n") + "\n"
			assert.Contains(t, asked, c.asked)
			if c.neverAskedOf != "" {
				assert.NotContains(t, asked, c.neverAskedOf)
			}
		})
	}
}

// Of a site that nobody understands it is told what is there.
func TestNewTellsWhatItSaw(t *testing.T) {
	page := "<title>Planning\n Portal</title><h1>Welcome</h1><h2> </h2><table><tr><th>No.</th><th>Lodged</th></tr></table>" +
		"<form id=search><input name=q><input type=hidden name=token><select name=suburb></select></form>" + strings.Repeat("<h3>More</h3>", 20) + "<h1>" + strings.Repeat("x", 1000) + "</h1>"
	saw := []string{
		"What is at http://a.example/:\n  title     Planning Portal\n  headings  Welcome | More | More | More | More | More | and 16 more\n",
		"  tables    table\n", "  columns   No. | Lodged\n", "  forms     search (q, suburb)\n",
	}
	served := &website{pages: map[string]string{"/": page}}
	code, stdout := served.tryNew(t, &newCommand{family: councils, URL: "http://a.example/"})
	assert.Equal(t, cli.ExitUnexpected, code)
	for _, want := range append(saw, "Nothing there shows whose software it is. --platform says so: one of atdis, civica,") {
		assert.Contains(t, stdout, want)
	}

	served = &website{pages: map[string]string{"/SearchApplication.aspx": page}}
	code, stdout = served.tryNew(t, &newCommand{family: councils, Platform: "icon", URL: "http://a.example/"})
	assert.Equal(t, cli.ExitUnexpected, code)
	assert.Equal(t, 1, strings.Count(stdout, "What is at http://a.example/SearchApplication.aspx"), stdout)
	assert.Contains(t, stdout, "  forms     search (q, suburb)\n")
	assert.Contains(t, stdout, "No record was found.")

	for body, want := range map[string]string{"": "  nothing\n", "just a text": "  text      just a text\n", `{"a": 1}`: "  text      {\"a\": 1}\n", "<h1>" + strings.Repeat("ü", 100): "  headings  " + strings.Repeat("ü", 60) + "…\n"} {
		_, stdout := (&website{pages: map[string]string{"/": body}}).tryNew(t, &newCommand{family: councils, URL: "http://a.example/"})
		assert.Contains(t, stdout, "What is at http://a.example/:\n"+want, fmt.Sprintf("%.20q", body))
	}
}

// Built-in sites are recognized too, whose rows have characters that YAML minds.
func TestNewWithoutPlatformOnBuiltInSites(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://etrack.kyogle.nsw.gov.au/Pages/XC.Track/":                               "- {authority: x, platform: icon, url: https://etrack.kyogle.nsw.gov.au/Pages/XC.Track, period: last28days}",
		"https://ecouncil.orange.nsw.gov.au/eservice/daEnquiryInit.do?nodeNum=24":        `- {authority: x, platform: civica, url: "https://ecouncil.orange.nsw.gov.au/eservice/daEnquiryInit.do?nodeNum=24", period: last30days}`,
		"https://planning.camden.nsw.gov.au/":                                            "- {authority: x, platform: masterview, url: https://planning.camden.nsw.gov.au, use_api: true}",
		"https://da.kiama.nsw.gov.au/atdis/1.0/applications.json?page=2":                 "- {authority: x, platform: atdis, url: https://da.kiama.nsw.gov.au/atdis/1.0}",
		"https://eproperty.casey.vic.gov.au/T1PRProd/WebApps/eProperty/P1/eTrack/x.aspx": "- {authority: x, platform: technologyone, url: https://eproperty.casey.vic.gov.au/T1PRProd/WebApps/eProperty, period: L28}",
	} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			got := scrape(t, t.Context(), nil, "new", "x", "--url", address, "--records", "1", "--fixtures")
			assert.Equal(t, cli.ExitOK, got.code, got.stdout+got.stderr)
			assert.Contains(t, got.stdout, want)
		})
	}
}
