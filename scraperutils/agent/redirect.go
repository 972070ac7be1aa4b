package agent

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// followRedirect follows redirects on the same host. One that leads elsewhere is the answer: that host has its own pace.
func followRedirect(next *http.Request, via []*http.Request) error {
	x, ok := next.Context().Value(exchangeKey{}).(*exchange)
	if !ok || x.request.KeepRedirect || !x.anyHost && scraperutils.HostOf(next.URL) != scraperutils.HostOf(via[0].URL) {
		return http.ErrUseLastResponse
	}
	limit := MaxRedirects
	if x.maxHops > 0 {
		limit = x.maxHops
	}
	if x.request.Redirects+len(via) > limit {
		return &RedirectError{URL: scraperutils.ShownURL(via[0].URL), Limit: limit}
	}
	if err := x.permit(next.URL); err != nil {
		return err
	}
	x.hops, x.redirected = len(via), next.Response
	x.sent.Store(false) // the next one is another request
	return nil
}

// redirect returns the request that a redirect to another host asks for, or nil where the response is the answer.
func redirect(r *scraperutils.Request, response *scraperutils.Response) (*scraperutils.Request, error) {
	location := response.Header.Get("Location")
	if r.KeepRedirect || location == "" || response.Status/100 != 3 || response.Status == http.StatusNotModified {
		return nil, nil
	}
	u, err := parseURL(location)
	if err != nil {
		return nil, &LocationError{Request: r.String(), Location: shortened(scraperutils.ShownLink(location)), Err: err}
	}
	if u = response.URL.ResolveReference(u); u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, &LocationError{Request: r.String(), Location: shortened(scraperutils.ShownURL(u)), Err: errors.New("it is no page of the web")}
	}
	next := *r
	next.URL, next.Redirects = u, response.Redirects+1
	next.Header = r.Header.Clone()
	refer(&next, response.URL)
	if response.Status < http.StatusTemporaryRedirect && r.Method != http.MethodHead {
		next.Method, next.Body = http.MethodGet, nil
		next.Header.Del("Content-Type")
	}
	return &next, nil
}

// refer tells where a request comes from, but not what was secure in the open.
func refer(r *scraperutils.Request, from *url.URL) {
	if from.Scheme == "https" && r.URL.Scheme == "http" {
		r.Header.Del("Referer")
		return
	}
	r.Header.Set("Referer", withoutSecrets(from))
}

// RedirectError is a chain of redirects without an end.
type RedirectError struct {
	URL   string
	Limit int
}

func (e *RedirectError) Error() string {
	return fmt.Sprintf("%s: more than %d redirects", e.URL, e.Limit)
}

// Class is ClassHTTP3xx.
func (e *RedirectError) Class() scraperutils.Class { return scraperutils.ClassHTTP3xx }

// LocationError is a redirect to where no request can go.
type LocationError struct {
	Request  string // without secrets
	Location string
	Err      error
}

func (e *LocationError) Error() string {
	return fmt.Sprintf("%s: redirected to %q: %v", e.Request, e.Location, e.Err)
}

func (e *LocationError) Unwrap() error { return e.Err }

// Class is ClassHTTP3xx.
func (e *LocationError) Class() scraperutils.Class { return scraperutils.ClassHTTP3xx }
