package browsecmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/multiscraper/multiscraper/fixtures/pages"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/browser"
	"github.com/multiscraper/multiscraper/scraperutils/browser/umbra"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

// What is kept of hosts.
const (
	forgetHost = time.Hour        // their pace
	downFor    = 30 * time.Second // that they can't be reached
	robotsOf   = 20_000           // their robots.txt
)

// opener opens pages when their hosts' turn has come. It is a umbra.Browser. Its owner must close it.
type opener struct {
	scheduler *scheduler.Scheduler
	browser   *browser.Browser
	robots    *robots.Cache // nil: nobody is asked
	client    *fetch.Client // of robots.txt
	sites     *pages.Server // built-in ones in place of the network; nil: the network
	end       context.CancelFunc
	ended     chan error
}

// openOpener starts the browser, or says why not in a *startError. Trouble is told of what mends itself.
func openOpener(ctx context.Context, s settings, fixtures, noDelay bool, trouble func(error)) (o *opener, err error) {
	o = &opener{ended: make(chan error, 1)}
	defer func() {
		if err != nil {
			err = &startError{errors.Join(err, o.close())}
		}
	}()
	if fixtures {
		if o.sites, err = pages.Start(pages.Config{}); err != nil {
			return o, fmt.Errorf("built-in pages: %w", err)
		}
		s.browser.Dial, s.browser.IgnoreCertificates = o.sites.Dial, true
	}
	s.browser.OnTrouble = trouble
	s.pace.NoRetry, s.pace.DownFor, s.pace.NoDelay = true, downFor, noDelay
	if o.browser, err = browser.Open(ctx, s.browser); err != nil {
		return o, err
	}
	if s.robots {
		o.robots = robots.NewCache(robots.Config{MaxHosts: robotsOf})
		way := fetch.NewTransport(fetch.TransportConfig{Dial: o.browser.Dial, TLSInsecure: s.browser.IgnoreCertificates})
		o.client = fetch.New(fetch.Config{Transport: way, UserAgent: s.browser.UserAgent})
	}
	o.scheduler = scheduler.New(scheduler.Config{Pacer: pace.New(s.pace), MaxPerHost: s.pace.PerHost, MaxRequests: s.browser.Pages, ForgetAfter: forgetHost})
	serving, end := context.WithCancel(context.Background())
	o.end = end
	go func() { o.ended <- o.scheduler.Serve(serving) }()
	return o, nil
}

// close ends all pages and the browser.
func (o *opener) close() (err error) {
	if o.scheduler != nil {
		o.end()
		err = <-o.ended
	}
	if o.browser != nil {
		err = errors.Join(err, o.browser.Close())
	}
	if o.sites != nil {
		err = errors.Join(err, o.sites.Close())
	}
	return err
}

// Browse implements umbra.Browser.
func (o *opener) Browse(ctx context.Context, p umbra.Page) ([]string, error) {
	u, err := url.Parse(p.URL)
	if err != nil || u.Host == "" {
		return nil, &umbra.FinalError{Err: errors.New("url can't be read")}
	}
	t := &turn{opener: o, page: p}
	if _, err := o.scheduler.Execute(ctx, t, &scraperutils.Request{Method: http.MethodGet, URL: u}); err != nil {
		return nil, fate(err)
	}
	return t.outlinks, nil
}

// fate is the error of a page as a worker knows it.
func fate(err error) error {
	var page *browser.PageError
	var forbidden *scraperutils.UnprocessableSite
	if errors.As(err, &page) && (page.Kind == browser.KindRefused || page.Kind == browser.KindPassword) || errors.As(err, &forbidden) {
		return &umbra.FinalError{Err: err}
	}
	return err
}

// turn is a page whose turn has come. It is a scheduler.Client.
type turn struct {
	opener   *opener
	page     umbra.Page
	outlinks []string
}

// mostGone is how often a page is opened again at once because the browser has gone.
const mostGone = 2

// Do implements scheduler.Client.
func (t *turn) Do(ctx context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	if err := t.page.Begin(); err != nil {
		return nil, err
	}
	rules, err := t.opener.rules(ctx, r.URL)
	if err != nil {
		return nil, err
	}
	if !rules.Allowed(r.URL) {
		return nil, &scraperutils.UnprocessableSite{
			Reason: "the robots.txt of " + scraperutils.HostOf(r.URL).String() + " forbids " + scraperutils.ShownURL(r.URL), Kind: scraperutils.ClassRobots,
		}
	}
	p := t.page
	visit := browser.Visit{
		URL: p.URL, UserAgent: p.UserAgent, Username: p.Username, Password: p.Password, Parameters: p.Parameters, Outlinks: p.Outlinks,
		OnRequest: func(r browser.Request) {
			p.OnRequest(umbra.Request{URL: r.URL, Method: r.Method, Headers: r.Header, Body: r.Body})
		},
	}
	for tries := 0; ; tries++ {
		result, err := t.opener.browser.Visit(ctx, visit)
		var failed *browser.PageError
		if errors.As(err, &failed) && failed.Kind == browser.KindGone && tries < mostGone && ctx.Err() == nil {
			continue
		}
		if err != nil {
			return nil, err
		}
		t.outlinks = result.Outlinks
		return &scraperutils.Response{URL: r.URL, Status: result.Status, Header: result.Header, Took: result.Took, CrawlDelay: rules.CrawlDelay()}, nil
	}
}

// rules returns what the robots.txt of a page's host says, if it is asked.
func (o *opener) rules(ctx context.Context, u *url.URL) (*robots.Rules, error) {
	if o.robots == nil {
		return new(robots.Rules), nil
	}
	return o.robots.Rules(ctx, u, func(ctx context.Context, u *url.URL) (*scraperutils.Response, error) {
		return o.client.Do(ctx, &scraperutils.Request{Method: http.MethodGet, URL: u, AnyType: true})
	})
}
