package authorities_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities"
)

// shown is what a platform adds to the url of a row, as visitors see it in their browser.
var shown = map[string][]string{
	"technologyone": {"/P1/eTrack/eTrackApplicationSearch.aspx?r=P1.WEBGUEST&f=x", "/P1/eTrack/eTrackApplicationDetails.aspx?ApplicationId=DA1%2f2"},
	"icon":          {"/SearchApplication.aspx?d=last14days&k=LodgementDate", "/SearchApplication.aspx"},
	"epathway":      {"/Web/GeneralEnquiry/EnquiryLists.aspx?ModuleCode=LAP", "/web/generalenquiry/enquirysearch.aspx"},
	"masterview":    {"/default.aspx?page=found&1=thismonth", "/Default.aspx?x=1&page=wrapper", "/Application/AdvancedSearch", "/Home/Disclaimer"},
	"civica":        {"", "#top"},
	"horizon":       {"", "#top"},
	"atdis":         {"/applications.json?page=2", "", "/"},
}

// Every council of the registry is recognized by the address that its visitors see.
func TestRecognizeTheRegistry(t *testing.T) {
	known, err := authorities.Load()
	require.NoError(t, err)
	bare := map[string]int{}
	for _, e := range known.All() {
		row := strings.TrimRight(e.URL, "/")
		for _, added := range shown[e.Platform] {
			platform, got := authorities.Recognize(row + added)
			assert.Equal(t, []string{e.Platform, row}, []string{platform, got}, row+added)
		}
		if platform, got := authorities.Recognize(e.URL); platform != "" {
			bare[e.Platform]++
			assert.Equal(t, []string{e.Platform, row}, []string{platform, got}, "the row's own url")
		} else {
			assert.Equal(t, row, got)
		}
	}
	t.Log("recognized by the row's own url:", bare)
}

func TestRecognizeOtherAddresses(t *testing.T) {
	for address, want := range map[string][2]string{
		"http://a.example/":                                           {"", "http://a.example"},
		"http://a.example//":                                          {"", "http://a.example"},
		"http://a.example":                                            {"", "http://a.example"},
		"http://a.example/register#list":                              {"", "http://a.example/register"},
		"http://a.example/?next=/":                                    {"", "http://a.example/?next=/"},
		"http://a.example/?from=/P1/eTrack/":                          {"", "http://a.example/?from=/P1/eTrack/"},
		"http://a.example/#/XC.Track/SearchApplication.aspx":          {"", "http://a.example"},
		"http://a.example/e/daEnquiryInit.do;jsessionid=A1?nodeNum=7": {"civica", "http://a.example/e/daEnquiryInit.do?nodeNum=7"},
		"HTTP://a.example/PAGES/xc.track/searchapplication.aspx":      {"icon", "HTTP://a.example/PAGES/xc.track"},
		"ftp://a.example/Pages/XC.Track":                              {"", "ftp://a.example/Pages/XC.Track"},
		"":                                                            {"", ""},
		"\x1b[2J":                                                     {"", "\x1b[2J"},
		"https://a.example/ePathway/Production/WebService/atdis/1.0/x": {"atdis", "https://a.example/ePathway/Production/WebService/atdis/1.0"},
		"https://a.example/default.aspx?page=about":                    {"", "https://a.example/default.aspx?page=about"},
	} {
		platform, got := authorities.Recognize(address)
		assert.Equal(t, want, [2]string{platform, got}, address)
	}
}

// Whatever is recognized is on the same host, so nobody is sent anywhere else.
func FuzzRecognize(f *testing.F) {
	for _, added := range shown {
		f.Add("https://a.example/x" + added[0])
	}
	f.Fuzz(func(t *testing.T, address string) {
		_, got := authorities.Recognize(address)
		before, err := url.Parse(address)
		if err != nil {
			return
		}
		after, err := url.Parse(got)
		if err != nil || before.Host != after.Host || before.Scheme != after.Scheme {
			t.Fatalf("%q: %q: %v", address, got, err)
		}
	})
}
