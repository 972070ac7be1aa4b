package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

// robotsRedirects is how many redirects of a robots.txt are followed, wherever they lead (RFC 9309, 2.3.1.2).
const robotsRedirects = 5

// noRules allow everything.
var noRules = &robots.Rules{}

// rules returns what the robots.txt of a URL's host says. The error is ctx's, or a *robots.LaterError.
func (c *Client) rules(ctx context.Context, u *url.URL) (*robots.Rules, error) {
	if c.config.Robots == nil {
		return noRules, nil
	}
	return c.config.Robots.Rules(ctx, u, c.fetchRobots)
}

// KnowsRobots reports whether a page on a URL's host may be requested without reading the host's robots.txt first.
func (c *Client) KnowsRobots(u *url.URL) bool {
	return c.config.Robots == nil || c.config.Robots.Known(u)
}

// ReadRobots reads the robots.txt of a URL's host if nobody has, as a request of its own, so that a scheduler can pace it. Otherwise Do
// reads the file right before the page. ReadRobots returns the response without its body.
func (c *Client) ReadRobots(ctx context.Context, u *url.URL) (*scraperutils.Response, error) {
	var response *scraperutils.Response
	var failed error
	rules, err := c.config.Robots.Rules(ctx, u, func(ctx context.Context, u *url.URL) (*scraperutils.Response, error) {
		response, failed = c.fetchRobots(ctx, u)
		return response, failed
	})
	switch {
	case err != nil:
		var later *robots.LaterError
		if errors.As(err, &later) {
			return later.Response, err
		}
		return nil, err
	case response == nil && failed == nil: // somebody else has read it meanwhile
		return nil, &scraperutils.UnprocessableSite{Reason: "the robots.txt has been read", Kind: scraperutils.ClassRobots}
	case failed != nil:
		return response, failed
	}
	told := *response
	told.Body, told.CrawlDelay, told.Sitemaps = nil, rules.CrawlDelay(), rules.Sitemaps()
	return &told, nil
}

// permit returns an error if the rules forbid a URL. It must not be requested then.
func (c *Client) permit(rules *robots.Rules, u *url.URL) error {
	if c.config.NotCompliant || rules.Allowed(u) {
		return nil
	}
	return &scraperutils.UnprocessableSite{Reason: "the robots.txt of " + scraperutils.HostOf(u).String() + " forbids " + scraperutils.ShownURL(u), Kind: scraperutils.ClassRobots}
}

// fetchRobots gets a robots.txt as this client gets pages: with the same transport, user agent and timeout. It follows redirects at
// once, to other hosts too: they are few, and the turn belongs to this host.
func (c *Client) fetchRobots(ctx context.Context, u *url.URL) (*scraperutils.Response, error) {
	r := &scraperutils.Request{Method: http.MethodGet, URL: u, Header: http.Header{
		"Accept": {"text/plain, */*;q=0.8"},
	}}
	response, err := c.within(ctx, &exchange{
		client:  c,
		rules:   noRules, // they may lead anywhere
		request: r,
		anyHost: true,
		maxHops: robotsRedirects,
		enough:  robots.MaxSize + 1, // and one to tell that there is more
	})
	var loop *RedirectError
	if errors.As(err, &loop) {
		return &scraperutils.Response{Status: http.StatusNotFound}, nil // no more than there was
	}
	return response, err
}
