package robots

import (
	"context"
	"net/url"
	"sync"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Fetch gets a robots.txt, redirects followed, and returns the status and the body.
type Fetch func(ctx context.Context, u *url.URL) (status int, body []byte, err error)

// Cache holds the rules of all hosts of a run for one crawler. Its methods may be called from any goroutine; of many that
// ask for a host at once, one fetches and the others wait.
type Cache struct {
	product string
	warn    func(h scraperutils.Host, why error, status int)

	mu    sync.Mutex
	hosts map[scraperutils.Host]*entry
}

// entry is a host's rules, once fetched is closed. Where the fetch was cancelled they are nil and somebody else fetches.
type entry struct {
	fetched chan struct{}
	rules   *Rules
}

// NewCache returns an empty cache for the crawler that product names. warn, if not nil, is told once of each host that is
// taken to allow everything because it answered with a server error or not at all.
func NewCache(product string, warn func(h scraperutils.Host, why error, status int)) *Cache {
	if warn == nil {
		warn = func(scraperutils.Host, error, int) {}
	}
	return &Cache{product: product, warn: warn, hosts: map[scraperutils.Host]*entry{}}
}

// Rules returns the rules for a URL's host; fetch is called where nobody has before. The error is ctx's alone.
func (c *Cache) Rules(ctx context.Context, u *url.URL, fetch Fetch) (*Rules, error) {
	host := scraperutils.HostOf(u)
	for {
		e, mine := c.entry(host)
		if mine {
			return c.fill(ctx, host, e, u, fetch)
		}
		select {
		case <-e.fetched:
			if e.rules != nil {
				return e.rules, nil
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
	defer func() {
		if e.rules == nil { // cancelled: the next one who asks fetches
			c.mu.Lock()
			delete(c.hosts, host)
			c.mu.Unlock()
		}
		close(e.fetched)
	}()
	status, body, err := fetch(ctx, &url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host, Path: "/robots.txt"})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err == nil && status/100 == 2:
		e.rules = Parse(body, c.product)
	case err == nil && status/100 != 5:
		e.rules = &Rules{}
	default:
		e.rules = &Rules{}
		c.warn(host, err, status)
	}
	return e.rules, nil
}
