package robots

import (
	"context"
	"errors"
	"net/url"
	"sync"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Fetch gets a robots.txt, redirects followed, and returns the status and the body, of which MaxSize is enough. An error is that
// nothing could be read, or a *LaterError.
type Fetch func(ctx context.Context, u *url.URL) (status int, body []byte, err error)

// LaterError is a host that wants to be left alone for a time before its robots.txt is asked for again.
type LaterError struct {
	URL      string
	Response *scraperutils.Response // a 429 or 503 with Retry-After
}

func (e *LaterError) Error() string { return e.status().Error() }

// Class is that of the status.
func (e *LaterError) Class() scraperutils.Class { return e.status().Class() }

func (e *LaterError) status() *scraperutils.StatusError {
	return &scraperutils.StatusError{Status: e.Response.Status, URL: e.URL}
}

// Cache holds the rules of all hosts of a run for one crawler. Its methods may be called from any goroutine; of many that
// ask for a host at once, one fetches and the others wait.
type Cache struct {
	product string
	warn    func(h scraperutils.Host, why error, status int)

	mu     sync.Mutex // guards the rest
	hosts  map[scraperutils.Host]*entry
	warned map[scraperutils.Host]bool
}

// entry is a host's rules, or why there are none, once fetched is closed. Where the fetch was cancelled both are nil and somebody
// else fetches.
type entry struct {
	fetched chan struct{}
	rules   *Rules
	err     error
}

// NewCache returns an empty cache for the crawler that product names. warn, if not nil, is told once of each host that is
// taken to allow everything because it answered with a server error or not at all.
func NewCache(product string, warn func(h scraperutils.Host, why error, status int)) *Cache {
	if warn == nil {
		warn = func(scraperutils.Host, error, int) {}
	}
	return &Cache{product: product, warn: warn, hosts: map[scraperutils.Host]*entry{}, warned: map[scraperutils.Host]bool{}}
}

// Rules returns the rules for a URL's host; fetch is called where nobody has before. What could not be read allows everything to
// those who wait for it now, and is fetched again for the next: the file may be there after all. The error is ctx's, or a
// *LaterError.
func (c *Cache) Rules(ctx context.Context, u *url.URL, fetch Fetch) (*Rules, error) {
	host := scraperutils.HostOf(u)
	for {
		e, mine := c.entry(host)
		if mine {
			return c.fill(ctx, host, e, u, fetch)
		}
		select {
		case <-e.fetched:
			if e.rules != nil || e.err != nil {
				return e.rules, e.err
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (c *Cache) entry(host scraperutils.Host) (e *entry, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e = c.hosts[host]; e == nil {
		e, mine = &entry{fetched: make(chan struct{})}, true
		c.hosts[host] = e
	}
	return e, mine
}

func (c *Cache) fill(ctx context.Context, host scraperutils.Host, e *entry, u *url.URL, fetch Fetch) (*Rules, error) {
	keep := false
	defer func() {
		if !keep { // the next one who asks fetches
			c.mu.Lock()
			delete(c.hosts, host)
			c.mu.Unlock()
		}
		close(e.fetched)
	}()
	status, body, err := fetch(ctx, &url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host, Path: "/robots.txt"})
	var later *LaterError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &later):
		e.err = err
		return nil, err
	case err == nil && status/100 == 2:
		e.rules = Parse(body, c.product)
	default:
		e.rules = &Rules{}
	}
	if err != nil || status/100 == 5 {
		c.warnOnce(host, err, status)
	}
	keep = err == nil
	return e.rules, nil
}

// GiveUp takes the host of a URL to allow everything, as after any other server error: it has said "later" often enough.
func (c *Cache) GiveUp(u *url.URL, why *LaterError) {
	host := scraperutils.HostOf(u)
	if e, mine := c.entry(host); mine {
		e.rules = &Rules{}
		close(e.fetched)
		c.warnOnce(host, nil, why.Response.Status)
	}
}

func (c *Cache) warnOnce(host scraperutils.Host, why error, status int) {
	c.mu.Lock()
	warned := c.warned[host]
	c.warned[host] = true
	c.mu.Unlock()
	if !warned {
		c.warn(host, why, status)
	}
}
