package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/robots"
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

// permit is the error for a URL that the rules forbid. The host is not to be asked for it.
func (c *Client) permit(rules *robots.Rules, u *url.URL) error {
	if c.config.NotCompliant || rules.Allowed(u) {
		return nil
	}
	return &scraperutils.UnprocessableSite{Reason: "the robots.txt of " + scraperutils.HostOf(u).String() + " forbids " + scraperutils.ShownURL(u), Kind: scraperutils.ClassRobots}
}

// fetchRobots gets a robots.txt as this client gets pages: the same way out, the same name, the same patience. Only its redirects
// are followed at once, on other hosts too: they are few, and the turn is this host's.
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
