package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

// These are the defaults of Config.
const (
	DefaultTimeout = 60 * time.Second
	DefaultMaxBody = 20 << 20
)

// Config configures a Client.
type Config struct {
	Transport http.RoundTripper // how requests go out; required
	Timeout   time.Duration     // of one request as a whole; 0 is DefaultTimeout
	UserAgent string            // "" is the built-in one, with the day
	Header    http.Header       // sent with every request, over the client's own
	Jar       http.CookieJar    // nil means no cookies

	Robots       *robots.Cache // shared by the clients of a process; nil means that no robots.txt is read
	NotCompliant bool          // fetch pages even if robots.txt forbids them

	MaxBody int                           // bytes of a body, decoded; 0 is DefaultMaxBody
	Bodies  *Bodies                       // where bodies come from, if the caller gives them back; nil: each is new
	Room    func(ctx context.Context)     // called before a body is read; it waits until there is room for it; nil means no wait
	Accept  func(header http.Header) bool // reports whether the body of a 2xx answer is wanted; nil: every body is

	OnTry func(*scraperutils.Request) // called before a request is sent, for the first time or again; may be nil
}

// Client does single requests, to any number of hosts. It implements scheduler.Client. Its methods may be called from any goroutine.
type Client struct {
	config Config
	header http.Header    // of every request; it does not change
	resty  *resty.Request // what each request begins as: a copy of it
}

// New returns a client.
func New(c Config) *Client {
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	c.MaxBody = cmp.Or(c.MaxBody, DefaultMaxBody)
	if c.OnTry == nil {
		c.OnTry = func(*scraperutils.Request) {}
	}
	r := resty.NewWithClient(&http.Client{Transport: c.Transport, Jar: c.Jar})
	r.SetRedirectPolicy(resty.RedirectPolicyFunc(followRedirect))
	header := http.Header{"Accept-Encoding": {acceptEncoding}}
	for name, values := range c.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	if header.Get("User-Agent") == "" {
		header.Set("User-Agent", cmp.Or(c.UserAgent, userAgent(time.Now())))
	}
	return &Client{config: c, header: header, resty: r.R().SetDoNotParseResponse(true)}
}

// version is the one that the built-in user agent names.
const version = "1.0.0"

// userAgent is the built-in one of a day.
func userAgent(day time.Time) string {
	return fmt.Sprintf("Mozilla/5.0 (compatible; %s/%s %s; +https://github.com/multiscraper/multiscraper)", robots.Product, version, day.Format(time.DateOnly))
}

// Do sends a request and reads the whole answer, whatever the status. It first reads the host's robots.txt, unless that is known. It does
// not request a page that robots.txt forbids. If Do returns a response and an error, the response holds what the host answered.
//
// The error is ctx's cause, or has a class (scraperutils.ClassOf). A *robots.LaterError means that the host wants the request to be made
// later.
func (c *Client) Do(ctx context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	if err := Check(r); err != nil {
		return nil, err
	}
	rules, err := c.rules(ctx, r.URL)
	var later *robots.LaterError
	switch {
	case errors.As(err, &later):
		return later.Response, fmt.Errorf("%w (%s)", err, r)
	case err != nil:
		return nil, fmt.Errorf("%w (%s)", err, r)
	}
	if err := c.permit(rules, r.URL); err != nil {
		return &scraperutils.Response{CrawlDelay: rules.CrawlDelay(), Sitemaps: rules.Sitemaps()}, err
	}
	c.config.OnTry(r)
	x := &exchange{client: c, rules: rules, request: r, accept: c.config.Accept}
	if r.AnyType {
		x.accept = nil
	}
	response, err := c.within(ctx, x)
	response.CrawlDelay, response.Sitemaps = rules.CrawlDelay(), rules.Sitemaps()
	var past *scraperutils.PastFailure
	switch {
	case errors.As(err, &past):
		return response, past
	case err != nil:
		return response, fmt.Errorf("%w (%s)", err, r) // addresses are long, so what happened comes first
	}
	return response, nil
}

// within does an exchange within the timeout of a request and finds out what an error comes from. The response is never nil.
func (c *Client) within(ctx context.Context, x *exchange) (*scraperutils.Response, error) {
	within, cancel := context.WithTimeout(x.in(ctx), c.config.Timeout)
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
		return response, &net.OpError{Op: "dial", Net: "tcp", Err: &TimeoutError{After: c.config.Timeout, Connecting: true}}
	case within.Err() != nil:
		return response, &TimeoutError{After: c.config.Timeout}
	}
	return response, scraperutils.Reword(x.classed(withoutURL(err)), withoutUser)
}

func (c *Client) send(ctx context.Context, x *exchange) (*scraperutils.Response, error) {
	r := x.request
	request := *c.resty // R makes maps and slices that nothing here needs
	request.Header = c.headerOf(r)
	request.SetContext(ctx)
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
	response := &scraperutils.Response{
		URL: raw.Request.URL, Redirects: r.Redirects + x.hops, Sent: raw.Request.Header, Status: raw.StatusCode, Header: raw.Header,
	}
	if err == nil {
		response.Body, err = c.body(raw, x)
	}
	return response, err
}

// headerOf returns the header of a request: its own over the client's. resty sends a copy, and changes only that of a request with a body.
func (c *Client) headerOf(r *scraperutils.Request) http.Header {
	if len(r.Header) == 0 && r.Body == nil {
		return c.header
	}
	header := maps.Clone(c.header)
	maps.Copy(header, r.Header)
	return header
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
