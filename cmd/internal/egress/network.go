package egress

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/browser/render"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

// Settings says how requests go out.
type Settings struct {
	Timeout      time.Duration // of a request; 0: the site's own, or the default
	Insecure     bool          // no certificate is checked
	Proxy        *url.URL      // for the sites that need it; nil: they are asked directly
	ProxyForAll  bool          // needs Proxy
	UserAgent    string        // "": the built-in one
	NotCompliant bool          // what a robots.txt forbids is fetched all the same
	Pace         pace.Config   // of all requests together: kept by the scheduler, and told in the log here
}

// Config describes a Network.
type Config struct {
	Settings
	Replay    string            // folder of recordings to play instead of asking anybody, or ""
	Record    string            // folder to record all into, or ""
	Evidence  string            // folder in which recordings of failures are kept, or ""
	At        time.Time         // by which this run is known there
	Loopback  *Loopback         // sites on loopback that are asked instead of real ones; nil: none
	Render    []string          // the program that renders pages, with its arguments; nil: browse render, beside this one or on the PATH
	Transport http.RoundTripper // instead of all ways to the network; nil: those
	Terms     Terms             // what things are called in the log
	Header    http.Header       // of requests through the proxy
	ProxyWait time.Duration     // how long the proxy is waited for at most; 0 or more than 30 s is 30 s
	Log       zerolog.Logger
}

// Terms is what the log calls things. What is "" has a default.
type Terms struct {
	Site          string // the field with a site's label; "site"
	ProxyVariable string // that has the proxy's URL; "PROXY"
	ProxyKey      string // of the rows of sites that are asked through it; "proxy"
}

func (t Terms) withDefaults() Terms {
	return Terms{cmp.Or(t.Site, "site"), cmp.Or(t.ProxyVariable, "PROXY"), cmp.Or(t.ProxyKey, "proxy")}
}

// Loopback is the way to sites on loopback.
type Loopback struct {
	Dial    func(ctx context.Context, network, address string) (net.Conn, error)
	RootCAs *x509.CertPool
}

// Network sends the requests of a run. Its methods except ReachProxy and Close may be called from any goroutine.
type Network struct {
	config     Config
	robots     *robots.Cache
	transports map[way]*http.Transport // shared by all agents; written when it is made
	gate       *agent.Gate             // shared by all agents
	flight     *flight                 // nil: nothing is recorded
	renderer   *render.Renderer        // of pages that are wanted as they are after their scripts

	proxyGone error // why nobody can be asked through the proxy; nil where it answers
}

// way is one way to the network.
type way struct{ insecure, proxied bool }

// New returns a Network. Its owner must close it.
func New(c Config) *Network {
	c.Terms = c.Terms.withDefaults()
	n := &Network{config: c, transports: map[way]*http.Transport{}, gate: agent.NewGate(), renderer: render.New(c.Render...)}
	n.flight = newFlight(c)
	for _, w := range []way{{false, false}, {true, false}, {false, true}, {true, true}} {
		t := fetch.TransportConfig{Timeout: c.Timeout, TLSInsecure: w.insecure || c.Insecure}
		if c.Loopback != nil {
			t.Dial, t.RootCAs = c.Loopback.Dial, c.Loopback.RootCAs
		} else if w.proxied {
			t.Proxy = c.Proxy
		}
		n.transports[w] = fetch.NewTransport(t)
	}
	secrets := n.Secrets(Site{}) // of the proxy
	n.robots = robots.NewCache(robots.Config{OnUnread: func(h scraperutils.Host, why error, status int) {
		c.Log.Warn().Stringer("host", h).Int("status", status).Err(Plain(why, secrets)).Msg("no robots.txt could be read: everything is taken as allowed")
	}})
	return n
}

// Close ends all connections that are not in use, and drops what was kept for recordings.
func (n *Network) Close() error {
	for _, t := range n.transports {
		t.CloseIdleConnections()
	}
	return errors.Join(n.flight.close(), n.renderer.Close())
}

// Live reports whether real sites are asked.
func (n *Network) Live() bool { return n.config.Replay == "" && n.config.Loopback == nil }

// Proxied reports whether a site is asked through the proxy.
func (n *Network) Proxied(s Site) bool {
	return n.Live() && n.config.Proxy != nil && (s.ByProxy || n.config.ProxyForAll)
}

// proxyTimeout is how long the proxy is waited for.
const proxyTimeout = 30 * time.Second

// ReachProxy finds out whether the proxy answers, if any of these sites needs it, so that an absent proxy is one clear failure. Call
// it before any site is asked: it may take a while, and no scraper should hold its turn for that long.
func (n *Network) ReachProxy(ctx context.Context, sites ...Site) {
	if !slices.ContainsFunc(sites, n.Proxied) {
		return
	}
	proxy := n.config.Proxy
	address := proxy.Host
	if proxy.Port() == "" {
		address = net.JoinHostPort(proxy.Hostname(), map[string]string{"http": "80", "https": "443"}[proxy.Scheme])
	}
	ctx, cancel := context.WithTimeout(ctx, min(proxyTimeout, cmp.Or(n.config.ProxyWait, proxyTimeout)))
	defer cancel()
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		n.proxyGone = fmt.Errorf("the proxy %s can't be reached: %w", address, err)
		return
	}
	_ = connection.Close() // nothing was said on it
}

// transport is a site's way out.
func (n *Network) transport(s Site) (http.RoundTripper, error) {
	switch {
	case n.config.Transport != nil:
		return n.config.Transport, nil
	case n.config.Replay != "":
		tape, err := cassette.Load(TapePath(n.config.Replay, s))
		if err != nil {
			return nil, err
		}
		return tape.Player(), nil
	}
	w := way{insecure: s.TLSInsecure, proxied: n.Proxied(s)}
	if w.proxied && n.proxyGone != nil {
		return nil, n.proxyGone
	}
	return n.rendering(w), nil
}
