package app

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/fixtures"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/agent"
	"github.com/multiscraper/multiscraper/scraperutils/cassette"
	"github.com/multiscraper/multiscraper/scraperutils/fetch"
	"github.com/multiscraper/multiscraper/scraperutils/robots"
	"github.com/multiscraper/multiscraper/scraperutils/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/secret"
)

// network is how the requests of a run go out: to the network, to fixture sites or to recordings. Its methods may be called
// from any goroutine, but reachProxy.
type network struct {
	settings   settings
	replay     string // folder of recordings to play, or ""
	record     string // folder to record into, or ""
	fixtures   bool   // built-in sites are asked
	robots     *robots.Cache
	transports map[way]*http.Transport // shared by all agents; written when it is made
	gate       *agent.Gate             // shared by all agents
	log        zerolog.Logger

	onPage func(*agent.Page) // told of every page; nil: nobody

	proxyGone error // why nobody can be asked through the proxy; nil where it answers
}

// way is one way to the network.
type way struct{ insecure, proxied bool }

func newNetwork(s settings, sites *fixtures.Server, replay, record string, log zerolog.Logger) *network {
	n := &network{settings: s, replay: replay, record: record, fixtures: sites != nil, transports: map[way]*http.Transport{}, gate: agent.NewGate(), log: log}
	for _, w := range []way{{false, false}, {true, false}, {false, true}, {true, true}} {
		c := fetch.TransportConfig{Timeout: s.clientTimeout, TLSInsecure: w.insecure || s.insecure}
		if sites != nil {
			c.Dial, c.RootCAs = sites.Dial, sites.RootCAs()
		} else if w.proxied {
			c.Proxy = s.proxy
		}
		n.transports[w] = fetch.NewTransport(c)
	}
	secrets := secret.New(n.secrets(authorities.Entry{})...) // of the proxy
	n.robots = robots.NewCache(robots.Config{OnUnread: func(h scraperutils.Host, why error, status int) {
		log.Warn().Stringer("host", h).Int("status", status).Err(plain(why, secrets)).Msg("no robots.txt could be read: everything is taken as allowed")
	}})
	return n
}

func (n *network) close() {
	for _, t := range n.transports {
		t.CloseIdleConnections()
	}
}

// source is what is asked, as the log of runs has it.
func (n *network) source() runlog.Source {
	switch {
	case n.replay != "":
		return runlog.FromReplay
	case n.fixtures:
		return runlog.FromFixtures
	}
	return runlog.FromNetwork
}

// live tells whether real sites are asked.
func (n *network) live() bool { return n.replay == "" && !n.fixtures }

// proxied tells whether an authority is asked through the proxy.
func (n *network) proxied(e authorities.Entry) bool {
	return n.live() && n.settings.proxy != nil && (e.AustralianProxy || n.settings.useProxy)
}

// proxyTimeout is how long the proxy is waited for.
const proxyTimeout = 30 * time.Second

// reachProxy finds out whether the proxy answers, if any of these authorities needs it, so that a proxy that is gone is one clear
// failure. It is called before any of them begins: it may take a while, for which nobody's turn should be held.
func (n *network) reachProxy(ctx context.Context, entries ...authorities.Entry) {
	if !slices.ContainsFunc(entries, n.proxied) {
		return
	}
	address := n.settings.proxy.Host
	if n.settings.proxy.Port() == "" {
		address = net.JoinHostPort(n.settings.proxy.Hostname(), map[string]string{"http": "80", "https": "443"}[n.settings.proxy.Scheme])
	}
	ctx, cancel := context.WithTimeout(ctx, min(proxyTimeout, cmp.Or(n.settings.runTimeout, proxyTimeout)))
	defer cancel()
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		n.proxyGone = fmt.Errorf("the proxy %s can't be reached: %w", address, err)
		return
	}
	_ = connection.Close() // nothing was said on it
}

func (n *network) transport(e authorities.Entry) (http.RoundTripper, error) {
	if n.replay != "" {
		tape, err := cassette.Load(tapePath(n.replay, e))
		if err != nil {
			return nil, err
		}
		return tape.Player(), nil
	}
	w := way{insecure: e.TLSInsecure, proxied: n.proxied(e)}
	if w.proxied && n.proxyGone != nil {
		return nil, n.proxyGone
	}
	return n.transports[w], nil
}

// secrets is what must never be written of an authority: how the proxy knows us, and how its site does.
func (n *network) secrets(e authorities.Entry) (all []string) {
	if n.settings.proxy != nil {
		all = secret.User(n.settings.proxy.User)
	}
	if u, err := url.Parse(e.URL); err == nil {
		all = append(all, secret.User(u.User)...)
	}
	return all
}

// tapePath is where the recording of an authority stands in a folder of recordings.
func tapePath(folder string, e authorities.Entry) string {
	return filepath.Join(folder, e.Platform, e.Label+".yml")
}
