package egress

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

// Session is one site's way out for one attempt.
type Session struct {
	Agent    *agent.Agent
	site     Site
	flight   *flight
	recorder *cassette.Recorder // nil: nothing is recorded
}

// Open returns the session of a site. It calls onPage, if not nil, with every page. The caller must close the session.
func (n *Network) Open(site Site, onPage func(*agent.Page)) (*Session, error) {
	c, err := n.AgentConfig(site)
	if err != nil {
		return nil, err
	}
	c.OnPage = onPage
	s := &Session{site: site, flight: n.flight}
	if s.recorder = n.flight.recorder(c.Fetch.Transport, n.secrets(site)); s.recorder != nil {
		c.Fetch.Transport, c.Fetch.OnTry, c.OnFailed = s.recorder, s.recorder.Try, s.recorder.Failed
	}
	s.Agent = agent.New(c)
	n.config.Log.Debug().Str(n.config.Terms.Site, site.Label).Msg(n.describe(site))
	return s, nil
}

// Close writes the recording that was asked for, and that of a failure, and returns the folder from which that can be played, or "".
// The error is that of the former.
func (s *Session) Close(failure error) (evidence string, err error) {
	defer s.Agent.Close()
	if s.recorder == nil {
		return "", nil
	}
	defer s.recorder.Close()
	return s.flight.landed(s.site, s.recorder, failure)
}

// AgentConfig returns the configuration of a site's agent, or an error if there is no way to the site.
func (n *Network) AgentConfig(s Site) (agent.Config, error) {
	out, err := n.transport(s)
	if err != nil {
		return agent.Config{}, err
	}
	c := agent.Config{Gate: n.gate, Rendered: s.Render, Fetch: fetch.Config{
		Transport:    out,
		Timeout:      n.timeout(s),
		UserAgent:    n.config.UserAgent,
		Robots:       n.robots,
		NotCompliant: n.config.NotCompliant,
	}}
	if n.config.Replay != "" {
		c.Fetch.Robots = robots.NewCache(robots.Config{}) // each recording has its own, or none, which allows all
	}
	if n.Proxied(s) {
		c.Fetch.Header = n.config.Header
	}
	return c, nil
}

func (n *Network) timeout(s Site) time.Duration {
	return cmp.Or(n.config.Timeout, s.Timeout, fetch.DefaultTimeout)
}

// describe says how the agent of a site is configured, in the gem's words.
func (n *Network) describe(s Site) string {
	c := n.config
	parts := []string{"timeout=" + decimal(n.timeout(s).Seconds())}
	if c.Proxy == nil {
		parts = append(parts, c.Terms.ProxyVariable+" not set")
	} else {
		parts = append(parts, fmt.Sprintf("%s=%t", c.Terms.ProxyKey, n.Proxied(s)))
	}
	if !c.NotCompliant {
		parts = append(parts, "compliant_mode")
	}
	if c.Pace.RandomDelay > 0 && !c.Pace.NoDelay {
		parts = append(parts, "random_delay="+decimal(c.Pace.RandomDelay.Seconds()))
	}
	if !c.Pace.NoDelay {
		load := decimal(cmp.Or(c.Pace.MaxLoad, pace.DefaultMaxLoad))
		if !strings.Contains(load, ".") {
			load += ".0"
		}
		parts = append(parts, "max_load="+load+"%")
	}
	if c.Insecure || s.TLSInsecure {
		parts = append(parts, "disable_ssl_certificate_check")
	}
	return "Configuring agent with " + strings.Join(parts, ", ")
}

// decimal writes a number with no more digits than it has.
func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
