package validate

import (
	"net/url"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
)

const (
	notURL   = "must be a valid http/https URL"
	noPlace  = "must be a valid http/https URL with host"
	hexDigit = "0123456789abcdefABCDEF"

	// What may stand in a URL beside letters and digits (RFC 3986); brackets only around a host's address and after the
	// question mark, where importers take them.
	urlPunctuation = "-._~:/?#@!$&'()*+,;=%[]"
)

// urlProblem says what is wrong with a web address, or "". White space around it does not count.
func urlProblem(text string) string {
	text = scraperutils.Trim(text)
	if !urlCharacters(text) || strings.Count(text, "#") > 1 {
		return notURL
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return notURL
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return noPlace
	case strings.ContainsAny(u.EscapedPath(), "[]"):
		return notURL
	}
	return ""
}

// urlCharacters reports whether a text has none but those of a URL, and each % begins an escape.
func urlCharacters(text string) bool {
	for i := range len(text) {
		c := text[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case !strings.ContainsRune(urlPunctuation, rune(c)):
			return false
		case c == '%' && !(i+2 < len(text) && strings.IndexByte(hexDigit, text[i+1]) >= 0 && strings.IndexByte(hexDigit, text[i+2]) >= 0):
			return false
		}
	}
	return true
}
