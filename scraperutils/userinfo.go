package scraperutils

import (
	"net/url"
	"regexp"
	"strings"
)

// ShownURL returns a URL as it may be stored and shown: without user information, its own and that of URLs in its query.
func ShownURL(u *url.URL) string {
	clean := *u
	clean.User = nil
	return WithoutUser(clean.String())
}

// anyUser is all that may be user information in what can't be parsed, or has no scheme.
var anyUser = regexp.MustCompile(`//.*@|^[^/?#]*:[^/?#]*@`)

// ShownLink is ShownURL for what somebody wrote as a URL, which may be none.
func ShownLink(raw string) string {
	u, err := url.Parse(raw)
	switch {
	case err != nil, u.Host == "" && u.Scheme != "mailto":
		return WithoutUser(anyUser.ReplaceAllString(raw, "//"))
	case u.User != nil:
		return ShownURL(u)
	}
	return WithoutUser(raw)
}

// WithoutUser removes the user information of every URL in a line of text, such as an error's or a header's. The URL need not be
// one that can be parsed.
func WithoutUser(text string) string { return ReplaceUser(text, "") }

// userInfo is what stands between the slashes of a URL and its host: those of a URL, of one in JSON, of one that is escaped within
// another.
var userInfo = regexp.MustCompile(`(?i)(://|:\\/\\/)[^/?#\s]*@|(%3a%2f%2f)[^/?#&\s]*?%40`)

// ReplaceUser is WithoutUser with something in its place, which begins where user information does and ends with the @.
func ReplaceUser(text, with string) string {
	if !strings.Contains(text, "@") && !strings.Contains(text, "%40") {
		return text
	}
	return userInfo.ReplaceAllString(text, "${1}${2}"+strings.ReplaceAll(with, "$", "$$"))
}
