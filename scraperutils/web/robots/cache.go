package robots

import (
	"cmp"
	"container/list"
	"context"
	"net/url"
	"sync"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Product is the token that names this crawler in a robots.txt, unless a Config has another.
const Product = "ScraperUtils"

// maxAge is how long a robots.txt counts that was read (RFC 9309, 2.4).
const maxAge = 24 * time.Hour

// Fetch gets a robots.txt and follows redirects. The first MaxSize bytes of the body are enough. An error means that nothing could be
// read.
type Fetch func(ctx context.Context, u *url.URL) (*scraperutils.Response, error)

// Config configures a Cache. The zero value is ready to use.
type Config struct {
	Product  string // "" is the package's Product
	MaxHosts int    // hosts whose rules are kept; the least recently used go first; 0 is 100,000

	// OnUnread is called once for each host that allows everything because it answered with a server error or not at all. In the second
	// case, status is 0 and why says what happened. Any goroutine may call it. It may be nil.
	OnUnread func(h scraperutils.Host, why error, status int)
}

// Cache holds the rules of hosts for one crawler, each for a day. Its methods may be called from any goroutine. If several goroutines ask
// for a host at once, one fetches and the others wait.
type Cache struct {
	config Config

	mu    sync.Mutex // guards the rest, and what the entries hold
	hosts map[scraperutils.Host]*list.Element
	used  list.List // of *entry, the latest first
}

// entry is what is known of a host.
type entry struct {
	host     scraperutils.Host
	rules    *Rules    // nil: none yet
	until    time.Time // when they have to be read again
	later    int       // answers in a row that said "later"
	warned   bool
	fetching *fetching // nil: nobody does
}

// fetching is one fetch. What it found stands there once done is closed, and does not change: neither rules nor an error is that it
// was canceled.
type fetching struct {
	done  chan struct{}
	rules *Rules
	err   error
}

// NewCache returns an empty cache.
func NewCache(c Config) *Cache {
	c.Product = cmp.Or(c.Product, Product)
	c.MaxHosts = cmp.Or(c.MaxHosts, 100_000)
	if c.OnUnread == nil {
		c.OnUnread = func(scraperutils.Host, error, int) {}
	}
	return &Cache{config: c, hosts: map[scraperutils.Host]*list.Element{}}
}

// Rules returns the rules for a URL's host. It calls fetch if nobody has fetched them within a day. If the file can't be read, the
// earlier rules stay in force for the goroutines that wait now; without earlier rules, they may fetch everything. The next caller fetches
// again, because the file may be there after all. The error is ctx's cause, or a *LaterError.
func (c *Cache) Rules(ctx context.Context, u *url.URL, fetch Fetch) (*Rules, error) {
	host := scraperutils.HostOf(u)
	for {
		rules, e, f := c.look(host)
		switch {
		case rules != nil:
			return rules, nil
		case e != nil:
			return c.fill(ctx, e, f, u, fetch)
		}
		select {
		case <-f.done:
			if f.rules != nil || f.err != nil {
				return f.rules, f.err
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Known reports whether the rules for a URL's host have been read and still count.
func (c *Cache) Known(u *url.URL) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.hosts[scraperutils.HostOf(u)]
	if at == nil {
		return false
	}
	e := at.Value.(*entry)
	return e.rules != nil && time.Now().Before(e.until)
}

// look returns the rules of a host if they are good, or else who fetches them: where that is the caller, with the entry to fill.
func (c *Cache) look(host scraperutils.Host) (rules *Rules, mine *entry, f *fetching) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entry(host)
	switch {
	case e.rules != nil && time.Now().Before(e.until):
		return e.rules, nil, nil
	case e.fetching != nil:
		return nil, nil, e.fetching
	}
	e.fetching = &fetching{done: make(chan struct{})}
	return nil, e, e.fetching
}

// entry returns a host's, and forgets another's where there are too many. The mutex is held.
func (c *Cache) entry(host scraperutils.Host) *entry {
	if at := c.hosts[host]; at != nil {
		c.used.MoveToFront(at)
		return at.Value.(*entry)
	}
	e := &entry{host: host}
	c.hosts[host] = c.used.PushFront(e)
	if c.used.Len() > c.config.MaxHosts { // one that is being fetched still serves those who wait for it
		last := c.used.Remove(c.used.Back()).(*entry)
		delete(c.hosts, last.host)
	}
	return e
}

// fill fetches the rules of a host for all who wait.
func (c *Cache) fill(ctx context.Context, e *entry, f *fetching, u *url.URL, fetch Fetch) (*Rules, error) {
	defer func() { // whatever becomes of fetch
		c.mu.Lock()
		e.fetching = nil
		c.mu.Unlock()
		close(f.done)
	}()
	u = &url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host, Path: "/robots.txt"}
	response, err := fetch(ctx, u)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	c.mu.Lock()
	unread := e.learn(f, c.config.Product, u, response, err)
	warn := unread && !e.warned
	e.warned = e.warned || unread
	c.mu.Unlock()
	if warn {
		status := 0
		if err == nil {
			status = response.Status
		}
		c.config.OnUnread(e.host, err, status)
	}
	return f.rules, f.err
}

// learn takes what came of a fetch, and reports whether the host failed to say anything. Then rules from before are better than none.
// The mutex is held.
func (e *entry) learn(f *fetching, product string, u *url.URL, response *scraperutils.Response, err error) (unread bool) {
	rules := cmp.Or(e.rules, &Rules{})
	if err != nil {
		f.rules = rules
		return true // the next one asks again
	}
	later := saysLater(response)
	if later {
		f.err = &LaterError{URL: scraperutils.ShownURL(u), Response: response}
		if e.later++; e.later < laterTries {
			return false
		}
	}
	unread = later || response.Status/100 == 5
	switch {
	case response.Status/100 == 2:
		rules = Parse(response.Body, product)
	case !unread:
		rules = &Rules{}
	}
	e.rules, e.until, e.later = rules, time.Now().Add(maxAge), 0
	if !later {
		f.rules = rules
	}
	return unread
}
