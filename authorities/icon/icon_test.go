package icon_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/icon"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

// site serves a council: its search page, and the applications as XML.
type council struct {
	search string
	xml    string
	log    []string
}

func (s *council) scrape(t testing.TB, o icon.Options) (*registertest.Memory, string, error) {
	t.Helper()
	url, transport := registertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			t.Error(err)
		}
		s.log = append(s.log, strings.TrimSpace(r.Method+" "+r.RequestURI+" "+r.PostForm.Encode()))
		switch {
		case r.Method == http.MethodPost:
			http.Redirect(w, r, "http://dead.invalid/", http.StatusFound)
		case r.URL.Query().Get("o") == "xml":
			w.Header().Set("Content-Type", "application/xml; charset=utf-8")
			fmt.Fprint(w, s.xml)
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, s.search)
		}
	})
	if o.Period == nil {
		o.Period = site.Choice{"last14days"}
	}
	scraper, err := icon.New(site.Site{Label: "test", URL: url}, o)
	require.NoError(t, err)
	m, err := registertest.Scrape(t, scraper, transport, "2019-05-15")
	return m, url, err
}

// application is one with all that a record needs, plus what is given.
func application(inner string) string {
	return `<NewDataSet><Application><ApplicationId> 12 </ApplicationId><ReferenceNumber> DA1 </ReferenceNumber><LodgementDate>2019-05-01T23:30:00+10:00</LodgementDate>` + inner + `</Application></NewDataSet>`
}

const (
	described = `<ApplicationDetails>Shed</ApplicationDetails>`
	addressed = `<Address><Line1>1 High St</Line1><Line2/></Address>`
)

func TestOptions(t *testing.T) {
	_, err := icon.New(site.Site{}, icon.Options{Period: site.Choice{"ever"}})
	assert.ErrorContains(t, err, `period: can't use "ever": expected one of last7days, last14days`)
}

func TestRecord(t *testing.T) {
	s := &council{xml: application(described + addressed)}
	m, url, err := s.scrape(t, icon.Options{Types: []string{"8", "tvpa 2"}})
	require.NoError(t, err)
	assert.Equal(t, []map[string]string{{
		"council_reference": "DA1", "address": "1 High St", "description": "Shed", "date_received": "2019-05-01", "date_scraped": "2019-05-15",
		"info_url": url + "/SearchApplication.aspx?id=12",
	}}, m.Rows())
	assert.Equal(t, []string{"GET /SearchApplication.aspx", "GET /SearchApplication.aspx?d=last14days&k=LodgementDate&o=xml&t=8%2Ctvpa+2"}, s.log)
}

func TestTerms(t *testing.T) {
	for name, c := range map[string]struct{ search, posted string }{
		"with a box to tick":           {`<form id=aspnetForm method=post action=terms.aspx><input type=hidden name=v value=1><input type=checkbox name=x$chkAgree$1><input type=submit name=no value="I Disagree"><input type=submit name=yes value="I Agree"></form>`, "POST /terms.aspx v=1&x%24chkAgree%241=on&yes=I+Agree"},
		"with the button alone":        {`<form method=post action=terms.aspx><input type=submit name=yes value=Agree></form>`, "POST /terms.aspx yes=Agree"},
		"with the button in capitals":  {`<form method=post action=terms.aspx><input type=submit name=yes value="I AGREE"></form>`, "POST /terms.aspx yes=I+AGREE"},
		"in the second form":           {`<form><input name=q></form><form method=post action=terms.aspx><input type=submit name=yes value=Agree></form>`, "POST /terms.aspx yes=Agree"},
		"without":                      {`<form><input type=submit value=Search></form>`, ""},
		"with a button that disagrees": {`<form method=post><input type=submit value="I disagree"></form>`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &council{search: c.search, xml: application(described + addressed)}
			m, _, err := s.scrape(t, icon.Options{})
			require.NoError(t, err)
			assert.Len(t, m.Rows(), 1, "the redirect to a dead address is not followed")
			if c.posted != "" {
				assert.Equal(t, c.posted, s.log[1])
			} else {
				assert.Len(t, s.log, 2)
			}
		})
	}
}

func TestAddress(t *testing.T) {
	for name, c := range map[string]struct{ xml, want string }{
		"two lines":                         {`<Address><Line1>1 High St</Line1><Line2>Town</Line2></Address>`, "1 High St, Town"},
		"spaces and line breaks":            {"<Address><Line1> 1  High\n St </Line1><Line2>\t</Line2></Address>", "1 High St"},
		"the first of two":                  {`<Address><Line1>1 High St</Line1></Address><Address><Line1>2 Low St</Line1></Address>`, "1 High St"},
		"in another element":                {`<Property><ApplicationId>7</ApplicationId><Address><Line1>1 High St</Line1><Line2>Town</Line2></Address></Property>`, "1 High St, Town"},
		"the application's own comes first": {`<Party><Address><Line1>2 Low St</Line1></Address></Party><Address><Line1>1 High St</Line1></Address>`, "1 High St"},
		"elsewhere in the same application": {`<Address><Suburb>x</Suburb></Address><Party><Line1>no id</Line1></Party><Party><ApplicationId>13</ApplicationId><Line1>other id</Line1></Party><Property><Owner><ApplicationId>12 </ApplicationId><Line1>1 High St</Line1><Line2></Line2><Line3>Town</Line3></Owner></Property>`, "1 High St, Town"},
	} {
		t.Run(name, func(t *testing.T) {
			m, _, err := (&council{xml: application(described + c.xml)}).scrape(t, icon.Options{})
			require.NoError(t, err)
			require.Len(t, m.Rows(), 1)
			assert.Equal(t, c.want, m.Rows()[0]["address"])
		})
	}
}

func TestDescription(t *testing.T) {
	for name, c := range map[string]struct{ xml, want string }{
		"without semicolon": {"<ApplicationDetails>Garage &amp;parking &amp;not 1&amp;#50 &amp;NBSP;</ApplicationDetails>", "Garage &parking &not 1&#50 &NBSP;"},
		"encoded twice":     {"<ApplicationDetails> Dwelling &amp;amp; \n pool&amp;#39;s  deck </ApplicationDetails>", "Dwelling & \n pool's  deck"},
		"the other element": {"<SubNatureOfApplication>Shed</SubNatureOfApplication>", "Shed"},
		"in an element":     {"<Detail><ApplicationDetails>Shed</ApplicationDetails></Detail>", "Shed"},
		"both":              {"<SubNatureOfApplication>x</SubNatureOfApplication><ApplicationDetails>Shed</ApplicationDetails>", "Shed"},
	} {
		t.Run(name, func(t *testing.T) {
			m, _, err := (&council{xml: application(c.xml + addressed)}).scrape(t, icon.Options{})
			require.NoError(t, err)
			require.Len(t, m.Rows(), 1)
			assert.Equal(t, c.want, m.Rows()[0]["description"])
		})
	}
	t.Run("present but empty", func(t *testing.T) {
		m, _, err := (&council{xml: application("<ApplicationDetails/><SubNatureOfApplication>x</SubNatureOfApplication>" + addressed)}).scrape(t, icon.Options{})
		require.NoError(t, err)
		assert.Equal(t, []string{"DA1: description is blank"}, m.Rejected)
	})
}

func TestLeftOut(t *testing.T) {
	for name, c := range map[string]struct{ xml, skipped, rejected string }{
		"no address":       {application(described), "DA1: it has no address", ""},
		"no address lines": {application(described + "<Address/>"), "DA1: it has no address", ""},
		"no description":   {application(addressed), "DA1: it has no description", ""},
		"a broken date":    {strings.Replace(application(described+addressed), "2019-05-01", "2019-05-32", 1), "", "DA1: LodgementDate: \"2019-05-32\" is no date"},
	} {
		t.Run(name, func(t *testing.T) {
			m, _, err := (&council{xml: c.xml}).scrape(t, icon.Options{})
			require.NoError(t, err)
			assert.Empty(t, m.Rows())
			assert.Contains(t, strings.Join(m.Skipped, "\n"), c.skipped)
			assert.Contains(t, strings.Join(m.Rejected, "\n"), c.rejected)
			assert.Len(t, append(m.Skipped, m.Rejected...), 1)
		})
	}
}

func TestInfoURL(t *testing.T) {
	m, url, err := (&council{xml: application(described + addressed + "<Address><ThePPRS>x</ThePPRS></Address><ThePPRS> a b </ThePPRS>")}).scrape(t, icon.Options{})
	require.NoError(t, err)
	assert.Equal(t, url+"/SearchApplication.aspx?id=12&pprs=a b", m.Rows()[0]["info_url"], "as it is")
}

func TestUnknownElementsArePassedOver(t *testing.T) {
	m, _, err := (&council{xml: strings.Replace(application(described+"<NeverSeen a='1'><b/></NeverSeen>"+addressed), "<Application>", "<Other/><Application>", 1)}).scrape(t, icon.Options{})
	require.NoError(t, err)
	require.Len(t, m.Rows(), 1)
	row := m.Rows()[0]
	assert.Equal(t, []string{"DA1", "Shed", "1 High St"}, []string{row["council_reference"], row["description"], row["address"]})
}

func TestNoApplications(t *testing.T) {
	m, _, err := (&council{xml: "<NewDataSet/>"}).scrape(t, icon.Options{})
	require.NoError(t, err)
	assert.Empty(t, m.Rows())
}

func TestLayoutErrors(t *testing.T) {
	for name, c := range map[string]struct{ xml, want string }{
		"another root": {"<Error>x</Error>", "no root NewDataSet in http"},
		"a page":       {"<html><body>Sorry</body></html>", "(found: root html)"},
		"nothing":      {"", "(found: read XML: there is no element)"},
		"cut off":      {"<NewDataSet><Application>", "read XML"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := (&council{xml: c.xml}).scrape(t, icon.Options{})
			assert.Equal(t, scraperutils.ClassLayout, scraperutils.ClassOf(err))
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func FuzzScrape(f *testing.F) {
	f.Add(`<form method=post><input type=submit value=Agree></form>`, application(described+addressed))
	f.Add(`<form><form>`, `<NewDataSet><Application><Address><ApplicationId/></Address></Application></NewDataSet>`)
	f.Fuzz(func(t *testing.T, search, xml string) {
		s := &council{search: search, xml: xml}
		_, _, _ = s.scrape(t, icon.Options{})
		if len(s.log) > 12 {
			t.Fatalf("%d requests", len(s.log))
		}
	})
}
