package agent

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/robots"
)

// Version is the one that the built-in user agent names.
const Version = "1.0.0"

// Defaults and limits.
const (
	DefaultTimeout = 60 * time.Second
	MaxBody        = 20 << 20 // bytes of a body, decoded
	MaxRedirects   = 10
	MaxForm        = 12 << 20 // bytes of a request's body
	MaxURL         = 16 << 10 // bytes; servers take less
)

// Config is what an Agent is made from.
type Config struct {
	Transport http.RoundTripper // how requests go out; needed
	Timeout   time.Duration     // of one request as a whole; 0 is 60 s
	UserAgent string            // "" is UserAgent(time.Now())
	Header    http.Header       // sent with every request, over the agent's own

	Robots       *robots.Cache // the run's; nil: nobody's robots.txt is asked for
	NotCompliant bool          // pages that a robots.txt forbids are fetched all the same

	Gate   *Gate       // the run's, through which large pages are read one at a time; nil: all at once
	OnPage func(*Page) // told of every page before the scraper gets it; nil: nobody
	Watch  Watcher     // told of tries and failures; nil: nobody
}

// Watcher is told what becomes of requests whose answers it may see elsewhere.
type Watcher interface {
	// Try says that a request is sent now, for the first time or again.
	Try(r *scraperutils.Request)
	// Failed says that a request came to nothing, in all its tries or without any, and with which error.
	Failed(r *scraperutils.Request, err error)
}

// nobody watches.
type nobody struct{}

func (nobody) Try(*scraperutils.Request)           {}
func (nobody) Failed(*scraperutils.Request, error) {}

// Agent is a session: cookies, headers and the way out.
type Agent struct {
	client *client
	onPage func(*Page)
	gate   *Gate
	inside bool // the gate; changed by enter and leave
}

// New returns an agent without cookies.
func New(c Config) *Agent {
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.UserAgent == "" {
		c.UserAgent = UserAgent(time.Now())
	}
	header := http.Header{
		"Accept":                    {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
		"Accept-Encoding":           {acceptEncoding},
		"Upgrade-Insecure-Requests": {"1"},
		"User-Agent":                {c.UserAgent},
	}
	for name, values := range c.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	if c.OnPage == nil {
		c.OnPage = func(*Page) {}
	}
	if c.Watch == nil {
		c.Watch = nobody{}
	}
	return &Agent{client: newClient(c, header), onPage: c.OnPage, gate: c.Gate}
}

// UserAgent is the built-in user agent of a day.
func UserAgent(day time.Time) string {
	return fmt.Sprintf("Mozilla/5.0 (compatible; ScraperUtils/%s %s; +https://github.com/multiscraper/multiscraper)", Version, day.Format(time.DateOnly))
}

// RequestOption changes one request.
type RequestOption func(*scraperutils.Request)

// KeepRedirect takes a redirect as the answer: the page has its status and headers.
func KeepRedirect(r *scraperutils.Request) { r.KeepRedirect = true }

// Get fetches an absolute URL, as one who types it in: without referrer.
//
// The error is the client's own; an answer other than 2xx is a *scraperutils.StatusError.
func (a *Agent) Get(ctx context.Context, rawURL string, options ...RequestOption) (*Page, error) {
	u, err := parseURL(rawURL)
	if err != nil {
		return nil, fmt.Errorf("get %q: %w", shortened(scraperutils.ShownLink(rawURL)), err)
	}
	return a.fetch(ctx, http.MethodGet, u, nil, nil, options)
}

// Post sends fields to an absolute URL as a form does.
func (a *Agent) Post(ctx context.Context, rawURL string, fields Values, options ...RequestOption) (*Page, error) {
	u, err := parseURL(rawURL)
	if err != nil {
		return nil, fmt.Errorf("post to %q: %w", shortened(scraperutils.ShownLink(rawURL)), err)
	}
	return a.fetch(ctx, http.MethodPost, u, []byte(fields.Encode()), nil, options)
}

// fetch does a request and follows where it leads. The body, if any, is a form's.
func (a *Agent) fetch(ctx context.Context, method string, u *url.URL, body []byte, referrer *url.URL, options []RequestOption) (*Page, error) {
	r := &scraperutils.Request{Method: method, URL: u, Header: http.Header{}, Body: body}
	if body != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if referrer != nil {
		refer(r, referrer)
	}
	for _, option := range options {
		option(r)
	}
	a.leave()
	for {
		if err := checkRequest(r); err != nil {
			return nil, err
		}
		response, err := scheduler.ExecuteRequest(ctx, a.client, r)
		var later *robots.LaterError
		switch {
		case errors.As(err, &later): // after all tries
			a.client.robots.GiveUp(r.URL, later)
			continue
		case err != nil:
			a.client.watch.Failed(r, err)
			return nil, err
		}
		next, err := redirect(r, response)
		switch {
		case err != nil:
			return nil, err
		case next == nil:
			return a.page(ctx, r, response)
		case next.Redirects > MaxRedirects:
			return nil, &RedirectError{URL: scraperutils.ShownURL(u), Limit: MaxRedirects}
		}
		r = next
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

func withoutSecrets(u *url.URL) string {
	clean := *u
	clean.User, clean.Fragment, clean.RawFragment = nil, "", ""
	return clean.String()
}

// checkRequest is the error for what no server takes: pages have links and fields of any size.
func checkRequest(r *scraperutils.Request) error {
	if r.URL.Hostname() == "" { // a link or a redirect may lead nowhere
		return fmt.Errorf("%s: the address names no host", r)
	}
	if len(r.Body) > MaxForm {
		return &TooLargeError{What: "the form", Limit: MaxForm >> 20, Unit: "MiB"}
	}
	return checkURL(r.URL.Path, r.URL.RawQuery)
}

func checkURL(parts ...string) error {
	n := 0
	for _, part := range parts {
		n += len(part)
	}
	if n > MaxURL {
		return &TooLargeError{What: "the address", Limit: MaxURL >> 10, Unit: "KiB"}
	}
	return nil
}

// parseURL reads a URL as browsers do: what may not stand in one is percent-encoded instead of refused.
func parseURL(raw string) (*url.URL, error) {
	raw = scraperutils.Trim(raw)
	if err := checkURL(raw); err != nil {
		return nil, err
	}
	var b strings.Builder
	path := len(raw)
	if i := strings.IndexAny(raw, "?#"); i >= 0 {
		path = i
	}
	for i := range len(raw) {
		switch c := raw[i]; {
		case c <= ' ' || c >= 0x7f || strings.IndexByte(`"<>`, c) >= 0, c == '%' && !escaped(raw[i:]):
			fmt.Fprintf(&b, "%%%02X", c)
		case c == '\\' && i < path:
			b.WriteByte('/')
		default:
			b.WriteByte(c)
		}
	}
	u, err := url.Parse(b.String())
	switch {
	case err == nil:
		return u, nil
	case strings.Contains(raw, "@"): // the error may repeat a password
		return nil, errors.New("it is no URL")
	}
	return nil, withoutURL(err)
}

func escaped(s string) bool {
	isHex := func(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }
	return len(s) >= 3 && isHex(s[1]) && isHex(s[2])
}

func newClient(c Config, header http.Header) *client {
	r := resty.NewWithClient(&http.Client{Transport: c.Transport, Jar: newJar()})
	r.SetRedirectPolicy(resty.RedirectPolicyFunc(followRedirect))
	r.Header = header
	return &client{resty: r, timeout: c.Timeout, robots: c.Robots, notCompliant: c.NotCompliant, watch: c.Watch}
}
