package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/robots"
)

// client does single requests; the scheduler calls it in the operation's I/O goroutine.
type client struct {
	resty        *resty.Client
	header       http.Header // of every request, under the request's own
	timeout      time.Duration
	robots       *robots.Cache // nil: nobody's robots.txt is asked for
	notCompliant bool
}

// Do sends a request and reads its answer whole, whatever the status. The host's robots.txt is read first where nobody has
// read it yet, and a page that it forbids is not asked for.
func (c *client) Do(ctx context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	rules, err := c.rules(ctx, r.URL)
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, r)
	}
	if err := c.permit(rules, r.URL); err != nil {
		return nil, err
	}
	x := &exchange{request: r, permit: func(u *url.URL) error { return c.permit(rules, u) }}
	began := time.Now()
	response, err := c.within(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, r) // addresses are long, so what happened comes first
	}
	if err := blockedBy(response); err != nil {
		return nil, err
	}
	response.Took = time.Since(began)
	response.CrawlDelay = rules.CrawlDelay()
	return response, nil
}

// exchange is one request on its way through the standard library's client, which carries it in the context.
type exchange struct {
	request  *scraperutils.Request
	permit   func(*url.URL) error // of where a redirect leads
	anyHost  bool                 // redirects may lead anywhere
	maxHops  int                  // 0 is MaxRedirects
	dialling atomic.Int32         // connections that are being made for it
}

type exchangeKey struct{}

// within does an exchange in the time that a request has, and finds out what an error comes from.
func (c *client) within(ctx context.Context, x *exchange) (*scraperutils.Response, error) {
	within, cancel := context.WithTimeout(context.WithValue(ctx, exchangeKey{}, x), c.timeout)
	defer cancel()
	response, err := c.send(within, x.request)
	switch {
	case err == nil:
		return response, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case within.Err() != nil && x.dialling.Load() > 0:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &TimeoutError{After: c.timeout, Connecting: true}}
	case within.Err() != nil:
		return nil, &TimeoutError{After: c.timeout}
	}
	return nil, withoutURL(err)
}

func (c *client) send(ctx context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	request := c.resty.R().SetContext(ctx).SetDoNotParseResponse(true)
	request.Header = c.header.Clone() // it is added to on the way, and the request may be sent again
	maps.Copy(request.Header, r.Header)
	if r.Body != nil {
		request.SetBody(r.Body)
	}
	response, err := request.Execute(r.Method, r.URL.String())
	if response != nil && response.RawResponse != nil {
		defer response.RawBody().Close()
	}
	if err != nil {
		return nil, err
	}
	raw := response.RawResponse
	body, err := decoded(raw)
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	return &scraperutils.Response{URL: raw.Request.URL, Status: raw.StatusCode, Header: raw.Header, Body: body}, nil
}

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
	if len(via) > limit {
		return &RedirectError{URL: via[0].URL.Redacted(), Limit: limit}
	}
	return x.permit(next.URL)
}

// TimeoutError is a request that had no whole answer in time.
type TimeoutError struct {
	After      time.Duration
	Connecting bool // there was no connection yet
}

func (e *TimeoutError) Error() string {
	if e.Connecting {
		return fmt.Sprintf("no connection within %s", e.After)
	}
	return fmt.Sprintf("no answer within %s", e.After)
}

// Class is ClassTimeout, or ClassConnect where there was no connection.
func (e *TimeoutError) Class() scraperutils.Class {
	if e.Connecting {
		return scraperutils.ClassConnect
	}
	return scraperutils.ClassTimeout
}

// withoutURL drops the request that the standard library repeats in its errors.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
