package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/robots"
)

// client does single requests; the scheduler calls it in the operation's I/O goroutine.
type client struct {
	resty        *resty.Client // with the session's headers and cookies
	timeout      time.Duration
	robots       *robots.Cache // nil: nobody's robots.txt is asked for
	notCompliant bool
	watch        Watcher
}

// Do sends a request and reads its answer whole, whatever the status. The host's robots.txt is read first where nobody has
// read it yet, and a page that it forbids is not asked for. Beside an error stands what the host has answered.
func (c *client) Do(ctx context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	rules, err := c.rules(ctx, r.URL)
	var later *robots.LaterError
	switch {
	case errors.As(err, &later):
		return later.Response, fmt.Errorf("%w (%s)", err, r)
	case err != nil:
		return nil, fmt.Errorf("%w (%s)", err, r)
	}
	if err := c.permit(rules, r.URL); err != nil {
		return &scraperutils.Response{CrawlDelay: rules.CrawlDelay()}, err
	}
	c.watch.Try(r)
	response, err := c.within(ctx, &exchange{request: r, permit: func(u *url.URL) error { return c.permit(rules, u) }})
	response.CrawlDelay = rules.CrawlDelay()
	var past *scraperutils.PastFailure
	switch {
	case errors.As(err, &past):
		return response, past
	case err != nil:
		return response, fmt.Errorf("%w (%s)", err, r) // addresses are long, so what happened comes first
	}
	return response, nil
}

// within does an exchange in the time that a request has, and finds out what an error comes from. The response is never nil.
func (c *client) within(ctx context.Context, x *exchange) (*scraperutils.Response, error) {
	within, cancel := context.WithTimeout(x.in(ctx), c.timeout)
	defer cancel()
	began := time.Now()
	response, err := c.send(within, x)
	if response.Status != 0 {
		response.Took = time.Since(began)
	}
	switch {
	case err == nil:
		return response, nil
	case ctx.Err() != nil:
		return response, context.Cause(ctx)
	case within.Err() != nil && x.connecting.Load():
		return response, &net.OpError{Op: "dial", Net: "tcp", Err: &TimeoutError{After: c.timeout, Connecting: true}}
	case within.Err() != nil:
		return response, &TimeoutError{After: c.timeout}
	}
	return response, scraperutils.Reword(x.classed(withoutURL(err)), withoutUser)
}

func (c *client) send(ctx context.Context, x *exchange) (*scraperutils.Response, error) {
	r := x.request
	request := c.resty.R().SetContext(ctx).SetDoNotParseResponse(true)
	maps.Copy(request.Header, r.Header) // over the session's own
	if r.Body != nil {
		request.SetBody(r.Body)
	}
	answer, err := request.Execute(r.Method, r.URL.String())
	raw := x.redirected
	if answer != nil && answer.RawResponse != nil {
		raw = answer.RawResponse
		defer raw.Body.Close()
	}
	if raw == nil {
		return &scraperutils.Response{}, err
	}
	response := &scraperutils.Response{URL: raw.Request.URL, Redirects: r.Redirects + x.hops, Status: raw.StatusCode, Header: raw.Header}
	if err != nil {
		return response, err
	}
	if response.Body, err = decoded(raw, x.enough); err != nil {
		return response, fmt.Errorf("read the body: %w", err)
	}
	return response, nil
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

// withoutUser drops user information from an error's text. The standard library repeats a Location that it can't read, in which
// user information may end anywhere.
func withoutUser(text string) string {
	const unreadable = "failed to parse Location header"
	if strings.HasPrefix(text, unreadable) && strings.Contains(text, "@") {
		return unreadable
	}
	return scraperutils.WithoutUser(text)
}
