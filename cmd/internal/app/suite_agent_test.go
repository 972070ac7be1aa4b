package app

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/agent"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
	"github.com/multiscraper/multiscraper/scraperutils/pace"
)

// agentCase is how an agent is asked for. What is false is switched off.
type agentCase struct {
	Options struct {
		Timeout     any
		MaxLoad     any      `json:"max_load"`
		RandomDelay *float64 `json:"random_delay"`
		Compliant   *bool    `json:"compliant_mode"`
		Insecure    bool     `json:"disable_ssl_certificate_check"`
		Proxy       bool     `json:"australian_proxy"`
	}
	Env variables
}

// settings says the same in flags and variables.
func (c agentCase) settings() (settings, error) {
	env, flags := variables{}, flagValues{}
	for name, value := range c.Env {
		env[name] = value
	}
	if c.Options.Compliant != nil && !*c.Options.Compliant {
		env["MORPH_NOT_COMPLIANT"] = "1"
	}
	if c.Options.RandomDelay != nil {
		env["MORPH_RANDOM_DELAY"] = fmt.Sprint(*c.Options.RandomDelay)
	}
	if load, ok := c.Options.MaxLoad.(float64); ok {
		flags["--max-load"] = fmt.Sprint(load)
	}
	s, err := readSettings(flags, env.get, time.Now())
	s.noDelay = c.Options.MaxLoad == false
	return s, err
}

// entry is the authority whose agent it is.
func (c agentCase) entry() authorities.Entry {
	e := authorities.Entry{Authority: scraperutils.Authority{Label: "a", AustralianProxy: c.Options.Proxy, TLSInsecure: c.Options.Insecure}}
	if seconds, ok := c.Options.Timeout.(float64); ok {
		e.Timeout = time.Duration(seconds) * time.Second
	}
	return e
}

// network opens a session and returns what it came from, and what was logged.
func (c agentCase) network(t *testing.T, debug int) (*network, string) {
	t.Helper()
	s, err := c.settings()
	require.NoError(t, err)
	var log bytes.Buffer
	n := newNetwork(s, nil, "", "", newLog(&log, "json", debug))
	t.Cleanup(n.close)
	_, err = n.open(c.entry(), nil)
	require.NoError(t, err)
	return n, log.String()
}

func TestSuiteMaxLoad(t *testing.T) {
	conformance.Each(t, "agent_config_max_load", "0.8.2", func(t *testing.T, c struct {
		In  agentCase
		Out struct {
			MaxLoad    any `json:"max_load"`
			Multiplier *float64
		}
	}) {
		s, err := c.In.settings()
		if text := c.In.Env["MORPH_MAX_LOAD"]; text == "abc" || text == "95" {
			assertRefused(t, "MORPH_MAX_LOAD", text, err)
			return
		}
		if load, ok := c.In.Options.MaxLoad.(float64); ok && (load < pace.MinLoad || load > pace.MaxLoad) {
			assertRefused(t, "--max-load", fmt.Sprint(load), err)
			return
		}
		require.NoError(t, err)
		_, line := c.In.network(t, 1)
		load, limited := c.Out.MaxLoad.(float64)
		assert.Equal(t, limited, strings.Contains(line, "max_load="))
		if limited {
			assert.Contains(t, line, fmt.Sprintf("max_load=%.1f%%", load))
		}
		// How long a host rests after an answer of 0.1 s.
		const took = 100 * time.Millisecond
		want := 0.0
		switch {
		case c.Out.Multiplier != nil:
			want = *c.Out.Multiplier
		case limited:
			want = (100 - load) / load
		}
		host := (&job{settings: s, network: &network{}}).schedulerConfig().Pacer.Pace(scraperutils.Host{Name: "a.example", Port: "80"})
		ended := time.Now()
		host.Observe(scraperutils.Outcome{Response: &scraperutils.Response{Status: 200, Took: took}, Ended: ended})
		assert.InDelta(t, want, host.Earliest().Until.Sub(ended).Seconds()/took.Seconds(), 1e-6)
	})
}

// assertDisplayed checks the line that is logged when an agent is made.
func assertDisplayed(t *testing.T, c agentCase, want, log string) {
	t.Helper()
	want = strings.Replace(want, "Mechanize agent", "agent", 1)
	if c.Options.Timeout == false {
		conformance.Differs(t, "a request always has a timeout")
		want = strings.Replace(want, "with ", "with timeout=60, ", 1)
	}
	var line struct{ Level, Authority, Message string }
	require.NoError(t, json.Unmarshal([]byte(log), &line), log)
	assert.Equal(t, []string{"debug", "a", want}, []string{line.Level, line.Authority, line.Message})
}

func TestSuiteDisplayLine(t *testing.T) {
	conformance.Each(t, "agent_display_line", "0.8.2", func(t *testing.T, c struct {
		In  agentCase
		Out string
	}) {
		_, log := c.In.network(t, 1)
		assertDisplayed(t, c.In, strings.TrimSuffix(c.Out, "\n"), log)
		_, log = c.In.network(t, 0)
		assert.Empty(t, log, "for those who debug")
	})
}

func TestSuiteAgent(t *testing.T) {
	conformance.Each(t, "agent_configured", "0.8.2", func(t *testing.T, c struct {
		In  agentCase
		Out struct {
			OpenTimeout int               `json:"open_timeout"`
			ReadTimeout int               `json:"read_timeout"`
			Headers     map[string]string `json:"request_headers"`
			VerifyNone  bool              `json:"verify_none"`
			Proxy       *string
			Stdout      string
		}
	}) {
		n, log := c.In.network(t, 1)
		e := c.In.entry()
		line, rest, _ := strings.Cut(c.Out.Stdout, "\n")
		assertDisplayed(t, c.In, line, log)
		if rest != "" {
			conformance.Differs(t, "the proxy is connected to, and nobody else is asked what it passes on")
		}
		sent := http.Header{}
		config := n.config(e, roundTripper(func(r *http.Request) { sent = r.Header }))
		assert.Equal(t, []int{c.Out.OpenTimeout, c.Out.ReadTimeout}, []int{int(config.Timeout.Seconds()), int(config.Timeout.Seconds())}, "one for connecting and all")
		_, err := agent.New(config).Get(t.Context(), "http://a.example/")
		require.NoError(t, err)
		if len(c.Out.Headers) == 0 {
			conformance.Differs(t, "MORPH_NOT_COMPLIANT lifts what a robots.txt forbids and nothing else")
			c.Out.Headers = map[string]string{"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "Upgrade-Insecure-Requests": "1"}
		}
		for _, name := range []string{"Accept", "Upgrade-Insecure-Requests", "Accept-Language"} {
			assert.Equal(t, c.Out.Headers[name], sent.Get(name), name)
		}
		out, err := n.transport(e)
		require.NoError(t, err)
		transport := out.(*http.Transport)
		assert.Equal(t, c.Out.VerifyNone, insecure(transport.TLSClientConfig))
		proxy := ""
		if transport.Proxy != nil {
			u, err := transport.Proxy(&http.Request{})
			require.NoError(t, err)
			if u != nil {
				proxy = u.String()
			}
		}
		if c.Out.Proxy == nil {
			assert.Empty(t, proxy)
		} else {
			assert.Equal(t, *c.Out.Proxy, proxy)
		}
	})
}

func insecure(c *tls.Config) bool { return c != nil && c.InsecureSkipVerify }

// roundTripper answers nothing to everything.
type roundTripper func(r *http.Request)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	f(r)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

// The environment wins over the row of an authority, which wins over the default.
func TestTimeoutOfAnAgent(t *testing.T) {
	slow := authorities.Entry{Authority: scraperutils.Authority{Timeout: 80 * time.Second}}
	for want, c := range map[time.Duration]struct {
		env   string
		entry authorities.Entry
	}{60 * time.Second: {"", authorities.Entry{}}, 80 * time.Second: {"", slow}, 5 * time.Second: {"5", slow}} {
		n := &network{settings: defaults(t, "MORPH_CLIENT_TIMEOUT="+c.env)}
		assert.Equal(t, want, n.config(c.entry, nil).Timeout)
	}
}

var prefixed = regexp.MustCompile(`^(?:\[(.+)\] )?(.+)\n$`)

func TestSuiteLogLine(t *testing.T) {
	for _, version := range []string{"0.8.2", "0.15.0"} {
		t.Run(version, func(t *testing.T) {
			conformance.Each(t, "log_line", version, func(t *testing.T, c struct {
				In struct {
					Env       variables
					Message   string
					Authority *string
					Inside    *string `json:"inside_operation"`
				}
				Out string
			}) {
				if c.In.Env != nil {
					conformance.Replaced(t, "a line is of the authority whose operation writes it, whatever the environment says")
				}
				conformance.Differs(t, "the authority is a field of the line, not the beginning of its text")
				d, err := db.Open(t.Context(), database(t), db.Options{})
				require.NoError(t, err)
				defer func() { require.NoError(t, d.Close()) }()
				var out bytes.Buffer
				j := &job{log: newLog(&out, "json", 0), database: d}
				log := j.log
				for _, label := range []*string{c.In.Authority, c.In.Inside} {
					if label != nil {
						log = j.newSink(authorities.Entry{Authority: scraperutils.Authority{Label: *label}}, time.Now()).log
					}
				}
				log.Info().Msg(c.In.Message)
				var line struct{ Authority, Message string }
				require.NoError(t, json.Unmarshal(out.Bytes(), &line))
				want := prefixed.FindStringSubmatch(c.Out)
				assert.Equal(t, want[1:], []string{line.Authority, line.Message})
			})
		})
	}
}
