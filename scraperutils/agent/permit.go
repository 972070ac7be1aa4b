package agent

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/robots"
)

// Product is the token by which a robots.txt names this crawler.
const Product = "ScraperUtils"

// robotsRedirects is how many redirects of a robots.txt are followed, wherever they lead (RFC 9309, 2.3.1.2).
const robotsRedirects = 5

// rules returns what the robots.txt of a URL's host says. The error is ctx's, or a *robots.LaterError.
func (c *client) rules(ctx context.Context, u *url.URL) (*robots.Rules, error) {
	if c.robots == nil {
		return &robots.Rules{}, nil
	}
	return c.robots.Rules(ctx, u, c.fetchRobots)
}

// permit is the error for a URL that the rules forbid. The host is not to be asked for it.
func (c *client) permit(rules *robots.Rules, u *url.URL) error {
	if c.notCompliant || rules.Allowed(u) {
		return nil
	}
	return &scraperutils.UnprocessableSite{Reason: "the robots.txt of " + scraperutils.HostOf(u).String() + " forbids " + scraperutils.ShownURL(u), Kind: scraperutils.ClassRobots}
}

// fetchRobots gets a robots.txt as this client gets pages: the same way out, the same name, the same patience. Only its redirects
// are followed at once, on other hosts too: they are few, and the turn is this host's.
func (c *client) fetchRobots(ctx context.Context, u *url.URL) (int, []byte, error) {
	r := &scraperutils.Request{Method: http.MethodGet, URL: u, Header: http.Header{
		"Accept": {"text/plain, */*;q=0.8"},
	}}
	response, err := c.within(ctx, &exchange{
		request: r,
		anyHost: true,
		maxHops: robotsRedirects,
		enough:  robots.MaxSize + 1, // and one to tell that there is more
		permit:  func(*url.URL) error { return nil },
	})
	var loop *RedirectError
	switch {
	case errors.As(err, &loop):
		return http.StatusNotFound, nil, nil // no more than there was
	case err != nil:
		return 0, nil, err
	case overloaded(response.Status) && response.Header.Get("Retry-After") != "":
		return 0, nil, &robots.LaterError{URL: scraperutils.ShownURL(u), Response: response}
	}
	return response.Status, response.Body, nil
}

func overloaded(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}
