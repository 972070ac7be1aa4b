package agent

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

// Config configures an Agent.
type Config struct {
	// Fetch says how requests go out. The agent makes a client from it, with the headers of a browser. If it names no jar, the client has
	// its own cookies.
	Fetch    fetch.Config
	Rendered bool // get every page as it is after its scripts
	// Client, if not nil, replaces that client.
	Client scheduler.Client

	Gate     *Gate                                    // the run's gate, which lets large pages be read one at a time; nil: all at once
	OnPage   func(*Page)                              // called with each page before the scraper gets it; may be nil
	OnFailed func(r *scraperutils.Request, err error) // called with each request that failed for good; may be nil
}

// Agent is a session: a client with its cookies, and the pages that it gets.
type Agent struct {
	client   scheduler.Client
	onPage   func(*Page)
	onFailed func(*scraperutils.Request, error)
	rendered bool
	gate     *Gate
	inside   bool // the gate; changed by enter and leave
}

// New returns an agent without cookies.
func New(c Config) *Agent {
	if c.Client == nil {
		c.Client = newClient(c.Fetch)
	}
	if c.OnPage == nil {
		c.OnPage = func(*Page) {}
	}
	if c.OnFailed == nil {
		c.OnFailed = func(*scraperutils.Request, error) {}
	}
	return &Agent{client: c.Client, onPage: c.OnPage, onFailed: c.OnFailed, rendered: c.Rendered, gate: c.Gate}
}

// newClient returns a client that looks like a browser's session.
func newClient(c fetch.Config) *fetch.Client {
	header := http.Header{
		"Accept":                    {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
		"Upgrade-Insecure-Requests": {"1"},
	}
	for name, values := range c.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	c.Header = header
	if c.Jar == nil {
		c.Jar = newJar()
	}
	return fetch.New(c)
}

// RequestOption changes one request.
type RequestOption func(*scraperutils.Request)

// KeepRedirect makes a redirect the answer: the page has its status and headers.
func KeepRedirect(r *scraperutils.Request) { r.KeepRedirect = true }

// Rendered requests a page as it is after its scripts.
func Rendered() RequestOption { return func(r *scraperutils.Request) { r.Rendered = true } }

// Get fetches an absolute URL without a referrer.
//
// The error is the client's own. An answer with a status other than 2xx is a *scraperutils.StatusError.
func (a *Agent) Get(ctx context.Context, rawURL string, options ...RequestOption) (*Page, error) {
	u, err := fetch.ParseURL(rawURL)
	if err != nil {
		return nil, fmt.Errorf("get %q: %w", shortened(scraperutils.ShownLink(rawURL)), err)
	}
	return a.fetch(ctx, http.MethodGet, u, nil, nil, options)
}

// Post sends fields to an absolute URL as a form does.
func (a *Agent) Post(ctx context.Context, rawURL string, fields Values, options ...RequestOption) (*Page, error) {
	u, err := fetch.ParseURL(rawURL)
	if err != nil {
		return nil, fmt.Errorf("post to %q: %w", shortened(scraperutils.ShownLink(rawURL)), err)
	}
	return a.fetch(ctx, http.MethodPost, u, []byte(fields.Encode()), nil, options)
}

// fetch does a request and follows redirects. The body, if any, is that of a form.
func (a *Agent) fetch(ctx context.Context, method string, u *url.URL, body []byte, referrer *url.URL, options []RequestOption) (*Page, error) {
	r := &scraperutils.Request{Method: method, URL: u, Header: http.Header{}, Body: body, Rendered: a.rendered}
	if body != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if referrer != nil {
		fetch.Refer(r, referrer)
	}
	for _, option := range options {
		option(r)
	}
	a.leave()
	for {
		response, err := a.execute(ctx, r)
		if err != nil {
			return nil, err
		}
		next, err := fetch.Next(r, response)
		if err != nil {
			return nil, err
		}
		if next == nil {
			return a.page(ctx, r, response)
		}
		r = next
	}
}

// execute does one request when politeness allows it. If the host's robots.txt asks to come back later, execute tries again until its
// rules are known or the cache of rules gives up on them.
func (a *Agent) execute(ctx context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	if err := fetch.Check(r); err != nil {
		return nil, err
	}
	for {
		response, err := scheduler.ExecuteRequest(ctx, a.client, r)
		var later *robots.LaterError
		switch {
		case err == nil:
			return response, nil
		case !errors.As(err, &later):
			a.onFailed(r, err)
			return nil, err
		}
	}
}

func (a *Agent) page(ctx context.Context, r *scraperutils.Request, response *scraperutils.Response) (*Page, error) {
	if err := a.enter(ctx, len(response.Body)); err != nil {
		return nil, err
	}
	if err := blockedBy(response); err != nil {
		return nil, err
	}
	p, err := newPage(a, response)
	if err != nil {
		return nil, err
	}
	a.onPage(p)
	if p.Status/100 == 2 && p.Status != http.StatusPartialContent || r.KeepRedirect && p.Status/100 == 3 {
		return p, nil
	}
	if p.Status/100 == 5 {
		if message := p.maintenance(); message != "" {
			return nil, &MaintenanceError{URL: scraperutils.ShownURL(p.URL), Message: message}
		}
	}
	return nil, &scraperutils.StatusError{Status: p.Status, URL: scraperutils.ShownURL(p.URL)}
}
