package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// maxRedirects is how many redirects a chain has at most, whichever hosts it leads over.
const maxRedirects = 10

// followRedirect follows redirects on the same host. One that leads elsewhere is the answer: that host has its own pace.
func followRedirect(next *http.Request, via []*http.Request) error {
	x, ok := next.Context().Value(exchangeKey{}).(*exchange)
	if !ok || x.request.KeepRedirect || !x.anyHost && scraperutils.HostOf(next.URL) != scraperutils.HostOf(via[0].URL) {
		return http.ErrUseLastResponse
	}
	limit := maxRedirects
	if x.maxHops > 0 {
		limit = x.maxHops
	}
	if x.request.Redirects+len(via) > limit {
		return &RedirectError{URL: scraperutils.ShownURL(via[0].URL), Limit: limit}
	}
	if err := x.client.permit(x.rules, next.URL); err != nil {
		return err
	}
	x.hops, x.redirected = len(via), next.Response
	x.sent.Store(false) // the next one is another request
	return nil
}

// Next returns the request that follows a redirect to another host, or nil if the response is not a redirect. The error is a
// *RedirectError if the chain is too long.
func Next(r *scraperutils.Request, response *scraperutils.Response) (*scraperutils.Request, error) {
	location := response.Header.Get("Location")
	if r.KeepRedirect || location == "" || response.Status/100 != 3 || response.Status == http.StatusNotModified {
		return nil, nil
	}
	u, err := ParseURL(location)
	if err != nil {
		return nil, &locationError{request: r.String(), location: shortened(scraperutils.ShownLink(location)), err: err}
	}
	if u = response.URL.ResolveReference(u); u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, &locationError{request: r.String(), location: shortened(scraperutils.ShownURL(u)), err: errors.New("it is no page of the web")}
	}
	if response.Redirects >= maxRedirects {
		return nil, &RedirectError{URL: scraperutils.ShownURL(r.URL), Limit: maxRedirects}
	}
	next := *r
	next.URL, next.Redirects = u, response.Redirects+1
	next.Header = r.Header.Clone()
	Refer(&next, response.URL)
	if response.Status < http.StatusTemporaryRedirect && r.Method != http.MethodHead {
		next.Method, next.Body = http.MethodGet, nil
		next.Header.Del("Content-Type")
	}
	return &next, nil
}

// Refer sets the Referer of a request. A request from an https page to an http page gets none.
func Refer(r *scraperutils.Request, from *url.URL) {
	if from.Scheme == "https" && r.URL.Scheme == "http" {
		r.Header.Del("Referer")
		return
	}
	r.Header.Set("Referer", withoutSecrets(from))
}

func withoutSecrets(u *url.URL) string {
	clean := *u
	clean.User, clean.Fragment, clean.RawFragment = nil, "", ""
	return clean.String()
}

// RedirectError reports a chain of too many redirects.
type RedirectError struct {
	URL   string
	Limit int
}

func (e *RedirectError) Error() string {
	return fmt.Sprintf("%s: more than %d redirects", e.URL, e.Limit)
}

// Class returns ClassHTTP3xx.
func (e *RedirectError) Class() scraperutils.Class { return scraperutils.ClassHTTP3xx }

// locationError is a redirect to where no request can go.
type locationError struct {
	request  string // without secrets
	location string
	err      error
}

func (e *locationError) Error() string {
	return fmt.Sprintf("%s: redirected to %q: %v", e.request, e.location, e.err)
}

func (e *locationError) Unwrap() error { return e.err }

func (e *locationError) Class() scraperutils.Class { return scraperutils.ClassHTTP3xx }

// shortened is a text of a site as an error has it.
func shortened(text string) string { return scraperutils.Shortened(text, 200) }
