package agent

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"

	"golang.org/x/net/publicsuffix"
)

// What is kept of cookies: as much as browsers keep of one site.
const (
	maxCookies     = 180
	maxCookieBytes = 4096 // of name and value
)

// jar keeps the cookies of a session, up to a limit: a site may send thousands with every page, and gets them all back with each
// request. It belongs to one operation.
type jar struct {
	*cookiejar.Jar
	names map[string]bool // of all cookies that it has had
}

func newJar() *jar {
	j, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		panic(err) // it has no way to fail
	}
	return &jar{Jar: j, names: map[string]bool{}}
}

// SetCookies keeps those cookies that are not too large, and of new names only so many.
func (j *jar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	var kept []*http.Cookie
	for _, c := range cookies {
		if len(c.Name)+len(c.Value) > maxCookieBytes || len(j.names) >= maxCookies && !j.names[c.Name] {
			continue
		}
		j.names[c.Name] = true
		kept = append(kept, c)
	}
	j.Jar.SetCookies(u, kept)
}
