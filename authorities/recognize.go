package authorities

import (
	"regexp"
	"strings"
)

// sign is what the addresses of a platform's pages have in common. Its first group is the url of a row.
type sign struct {
	platform string
	address  *regexp.Regexp
}

// signs are tried in this order: feeds may stand below another platform's address.
var signs = []sign{
	{"atdis", regexp.MustCompile(`(?i)^(https?://[^?#]+/atdis/1\.0)(?:[/?#]|$)`)},
	{"civica", regexp.MustCompile(`(?i)^(https?://[^?#]+/(?:daEnquiry|daEnquiryInit|currentlyAdvertised)\.do(?:\?[^#]*)?)`)},
	{"horizon", regexp.MustCompile(`(?i)^(https?://[^?#]+/logon(?:Guest|Op)\.aw(?:\?[^#]*)?)`)},
	{"technologyone", regexp.MustCompile(`(?i)^(https?://[^?#]+?)/P1/eTrack/`)},
	{"technologyone", regexp.MustCompile(`(?i)^(https?://[^?#]+/[^/?#]*eProperty[^/?#]*)`)},
	{"icon", regexp.MustCompile(`(?i)^(https?://[^?#]+?)/SearchApplication\.aspx`)},
	{"icon", regexp.MustCompile(`(?i)^(https?://[^?#]+/XC\.Track[^/?#]*)`)},
	{"epathway", regexp.MustCompile(`(?i)^(https?://[^?#]+?)/Web/GeneralEnquiry/`)},
	{"epathway", regexp.MustCompile(`(?i)^(https?://[^?#]+/ePathway/[^/?#]+)`)},
	{"masterview", regexp.MustCompile(`(?i)^(https?://[^?#]+?)/default\.aspx\?(?:[^#]*&)?page=(?:found|search|wrapper)`)},
	{"masterview", regexp.MustCompile(`(?i)^(https?://[^?#]+?)/(?:Home/Disclaimer|Application/\w+)`)},
	{"masterview", regexp.MustCompile(`(?i)^(https?://[^?#]+/(?:ApplicationMaster|ApplicationTracker))(?:[/?#]|$)`)},
}

var session = regexp.MustCompile(`(?i);jsessionid=[^/?#]*`)

// Recognize tells by an address of a register whose software it is, and what the url of its row is: the address without what the
// platform adds. Where it can't tell, the platform is "", and the url the address without slashes at its end.
func Recognize(address string) (platform, url string) {
	address = session.ReplaceAllString(address, "")
	for _, s := range signs {
		if found := s.address.FindStringSubmatch(address); found != nil {
			return s.platform, found[1]
		}
	}
	address, _, _ = strings.Cut(address, "#")
	if !strings.Contains(address, "?") {
		address = strings.TrimRight(address, "/")
	}
	return "", address
}
