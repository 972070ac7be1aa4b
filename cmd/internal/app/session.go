package app

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/scraperutils/agent"
	"github.com/multiscraper/multiscraper/scraperutils/cassette"
	"github.com/multiscraper/multiscraper/scraperutils/fetch"
	"github.com/multiscraper/multiscraper/scraperutils/pace"
	"github.com/multiscraper/multiscraper/scraperutils/robots"
)

// session is one authority's way out for one attempt.
type session struct {
	agent    *agent.Agent
	entry    authorities.Entry
	record   string             // where to write the recording, or ""
	recorder *cassette.Recorder // nil: nothing is recorded
	flight   *flight            // nil: failures are not kept
}

// open returns the session of an authority. Without a flight, nothing is kept of its failure.
func (n *network) open(e authorities.Entry, f *flight) (*session, error) {
	out, err := n.transport(e)
	if err != nil {
		return nil, err
	}
	s := &session{entry: e, flight: f}
	if n.record != "" {
		s.record = tapePath(n.record, e)
	}
	c := n.config(e, out)
	if s.recorder = n.recorder(e, out, f); s.recorder != nil {
		c.Fetch.Transport, c.Fetch.OnTry, c.OnFailed = s.recorder, s.recorder.Try, s.recorder.Failed
	}
	s.agent = agent.New(c)
	n.log.Debug().Str("authority", e.Label).Msg(n.describe(e))
	return s, nil
}

// recorder returns what records in front of a transport, or nil where nothing is to be kept.
func (n *network) recorder(e authorities.Entry, out http.RoundTripper, f *flight) *cassette.Recorder {
	o := cassette.Options{Secrets: n.secrets(e)}
	if f != nil {
		o.Spool, o.OnExchange = f.spool, f.robots.note
	}
	switch {
	case n.record != "": // all of it
	case f != nil && f.evidence != nil:
		o.MaxBytes, o.MaxHeadBytes = evidenceBytes, evidenceHeads
	default:
		return nil
	}
	return cassette.NewRecorder(out, o)
}

// config is what the agent of an authority is made from.
func (n *network) config(e authorities.Entry, out http.RoundTripper) agent.Config {
	c := agent.Config{Gate: n.gate, OnPage: n.onPage, Fetch: fetch.Config{
		Transport:    out,
		Timeout:      n.timeout(e),
		UserAgent:    n.settings.userAgent,
		Robots:       n.robots,
		NotCompliant: n.settings.notCompliant,
	}}
	if n.replay != "" {
		c.Fetch.Robots = robots.NewCache(robots.Config{}) // each recording has its own, or none, which allows all
	}
	if n.proxied(e) {
		c.Fetch.Header = http.Header{"Accept-Language": {"en-AU,en-US;q=0.9,en;q=0.8"}}
	}
	return c
}

func (n *network) timeout(e authorities.Entry) time.Duration {
	return cmp.Or(n.settings.clientTimeout, e.Timeout, fetch.DefaultTimeout)
}

// describe says how the agent of an authority is configured, in the gem's words.
func (n *network) describe(e authorities.Entry) string {
	s := n.settings
	parts := []string{"timeout=" + decimal(n.timeout(e).Seconds())}
	if s.proxy == nil {
		parts = append(parts, "MORPH_AUSTRALIAN_PROXY not set")
	} else {
		parts = append(parts, fmt.Sprintf("australian_proxy=%t", n.proxied(e)))
	}
	if !s.notCompliant {
		parts = append(parts, "compliant_mode")
	}
	if s.randomDelay > 0 && !s.noDelay {
		parts = append(parts, "random_delay="+decimal(s.randomDelay.Seconds()))
	}
	if !s.noDelay {
		load := decimal(cmp.Or(s.maxLoad, pace.DefaultMaxLoad))
		if !strings.Contains(load, ".") {
			load += ".0"
		}
		parts = append(parts, "max_load="+load+"%")
	}
	if s.insecure || e.TLSInsecure {
		parts = append(parts, "disable_ssl_certificate_check")
	}
	return "Configuring agent with " + strings.Join(parts, ", ")
}

// decimal writes a number with no more digits than it has.
func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// close writes the recording that was asked for, and that of a failure, whose folder it returns. The error is that of the former.
func (s *session) close(failure error) (evidence string, err error) {
	defer s.agent.Close()
	if s.recorder == nil {
		return "", nil
	}
	defer s.recorder.Close()
	if s.record != "" {
		err = s.recorder.Write(s.record)
	}
	if s.flight != nil {
		evidence = s.flight.landed(s.entry, s.recorder, failure)
	}
	return evidence, err
}
