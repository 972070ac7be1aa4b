package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

// Client gets pages as they are after their scripts. It implements scheduler.Client. Its methods may be called from any goroutine.
type Client struct {
	Browser   *Browser
	Behaviors bool // run behaviors on pages; otherwise pages are left alone until they are done

	// Rules returns what the robots.txt of a URL's host says, as robots.Cache.Rules does. Nil allows every page.
	Rules func(ctx context.Context, u *url.URL) (*robots.Rules, error)

	OnRequest func(*scraperutils.Request, Request) // called with each request of a page, from any goroutine; may be nil
}

// Do opens the page of a GET request. The response's body is the final document as HTML, whatever the status; Content-Type says so. The
// error is ctx's cause or has a class (scraperutils.ClassOf), like those of fetch.Client. Do refuses other methods and requests with a
// body. User information in the URL is the password for the page.
func (c *Client) Do(ctx context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	if r.Method != "" && r.Method != http.MethodGet || r.Body != nil {
		return nil, fmt.Errorf("a browser opens pages by GET alone (%s)", r)
	}
	known := &scraperutils.Response{}
	if c.Rules != nil {
		rules, err := c.Rules(ctx, r.URL)
		var later *robots.LaterError
		switch {
		case errors.As(err, &later):
			return later.Response, fmt.Errorf("%w (%s)", err, r)
		case err != nil:
			return nil, fmt.Errorf("%w (%s)", err, r)
		}
		known.CrawlDelay, known.Sitemaps = rules.CrawlDelay(), rules.Sitemaps()
		if !rules.Allowed(r.URL) {
			reason := "the robots.txt of " + scraperutils.HostOf(r.URL).String() + " forbids " + scraperutils.ShownURL(r.URL)
			return known, &scraperutils.UnprocessableSite{Reason: reason, Kind: scraperutils.ClassRobots}
		}
	}
	began := time.Now()
	result, err := c.Browser.Visit(ctx, c.visit(r))
	if err != nil {
		return known, err
	}
	return c.response(known, r, result, time.Since(began))
}

// maxBody is how large a document may be where its request does not say, in bytes.
const maxBody = 20 << 20

// visit is what a request asks of the browser.
func (c *Client) visit(r *scraperutils.Request) Visit {
	v := Visit{URL: r.URL.String(), UserAgent: r.Header.Get("User-Agent"), WithoutBehaviors: !c.Behaviors, Header: map[string]string{}}
	for name, values := range r.Header {
		if name != "User-Agent" && name != "Accept-Encoding" { // the browser decodes what it asks for
			v.Header[name] = strings.Join(values, ", ")
		}
	}
	if c.OnRequest != nil {
		v.OnRequest = func(sent Request) { c.OnRequest(r, sent) }
	}
	return v
}

// response is what a scraper gets of a page.
func (c *Client) response(known *scraperutils.Response, r *scraperutils.Request, result *Result, took time.Duration) (*scraperutils.Response, error) {
	at, err := url.Parse(result.URL)
	if err != nil {
		return known, fmt.Errorf("the browser is at %q: %w", result.URL, err)
	}
	known.URL, known.Status, known.Took = at, result.Status, took
	known.Redirects = r.Redirects + result.Redirects
	known.Header = result.Header.Clone()
	if known.Header == nil {
		known.Header = http.Header{}
	}
	for _, name := range []string{"Content-Encoding", "Content-Length", "Transfer-Encoding"} { // of the answer on the wire
		known.Header.Del(name)
	}
	known.Header.Set("Content-Type", "text/html; charset=utf-8")
	known.Body = []byte(result.HTML)
	if limit := cmp.Or(r.MaxBody, maxBody); len(known.Body) > limit {
		known.Body = nil
		return known, &scraperutils.TooLargeError{What: "the body", Limit: limit >> 20, Unit: "MiB"}
	}
	return known, nil
}
