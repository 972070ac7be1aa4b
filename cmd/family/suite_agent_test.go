package family

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/browser/render"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
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
	env, flags := variables{}, map[string]string{}
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
	s, err := councils.readSettings(env.console(flags), time.Now())
	s.network.Pace.NoDelay = c.Options.MaxLoad == false
	return s, err
}

// entry is the authority whose agent it is.
func (c agentCase) entry() registry.Entry {
	e := registry.Entry{Site: site.Site{Label: "a", ByProxy: c.Options.Proxy, TLSInsecure: c.Options.Insecure}}
	if seconds, ok := c.Options.Timeout.(float64); ok {
		e.Timeout = time.Duration(seconds) * time.Second
	}
	return e
}

// network opens a session and returns what it came from, and what was logged.
func (c agentCase) network(t *testing.T, debug int) (*egress.Network, string) {
	t.Helper()
	s, err := c.settings()
	require.NoError(t, err)
	var log bytes.Buffer
	n := councils.network(egress.Config{Settings: s.network, Log: councils.newLog(&log, "json", debug)})
	t.Cleanup(func() { assert.NoError(t, n.Close()) })
	_, err = n.Open(targetOf(c.entry()), nil)
	require.NoError(t, err)
	return n, log.String()
}

var loadShown = regexp.MustCompile(`max_load=(.+?)%`)

func TestSuiteMaxLoad(t *testing.T) {
	type outcome struct {
		MaxLoad    any      `json:"max_load"` // a percentage, or false
		Adaptive   *bool    // null: not looked at
		Multiplier *float64 // null: not looked at, or not adaptive
		Error      string
	}
	conformance.Each(t, "agent_config_max_load", "0.8.2", func(t *testing.T, c struct {
		In  agentCase
		Out outcome
	}) {
		s, err := c.In.settings()
		if err != nil {
			assert.Equal(t, c.Out, outcome{Error: err.Error()})
			return
		}
		_, line := c.In.network(t, 1)
		got := c.Out
		got.MaxLoad = false
		if found := loadShown.FindStringSubmatch(line); found != nil {
			got.MaxLoad, err = strconv.ParseFloat(found[1], 64)
			require.NoError(t, err)
		}
		// How long a host rests after an answer, in answers.
		const took = 300 * time.Millisecond
		host := (&job{family: councils, settings: s}).schedulerConfig().Pacer.Pace(scraperutils.Host{Name: "a.example", Port: "80"})
		ended := time.Now()
		host.Observe(scraperutils.Outcome{Response: &scraperutils.Response{Status: 200, Took: took}, Ended: ended})
		rests := host.Earliest().Until.Sub(ended)
		if c.In.Env == nil { // the cases of the environment look at the load alone
			adaptive, multiplier := rests > 0, float64(rests)/float64(took)
			got.Adaptive, got.Multiplier = &adaptive, nil
			if adaptive {
				multiplier = math.Round(multiplier*1e9) / 1e9
				got.Multiplier = &multiplier
			}
		}
		assert.Equal(t, c.Out, got)
	})
}

// assertDisplayed checks the line that is logged when an agent is made.
func assertDisplayed(t *testing.T, want, log string) {
	t.Helper()
	want = strings.Replace(want, "Mechanize agent", "agent", 1)
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
		assertDisplayed(t, strings.TrimSuffix(c.Out, "\n"), log)
		_, log = c.In.network(t, 0)
		assert.Empty(t, log, "for those who debug")
	})
}

func TestSuiteAgent(t *testing.T) {
	type outcome struct {
		OpenTimeout int               `json:"open_timeout"`
		ReadTimeout int               `json:"read_timeout"`
		Headers     map[string]string `json:"request_headers"`
		VerifyNone  bool              `json:"verify_none"`
		Proxy       *string
		UsingProxy  bool `json:"using_proxy"`
		Stdout      string
	}
	conformance.Each(t, "agent_configured", "0.8.2", func(t *testing.T, c struct {
		In  agentCase
		Out outcome
	}) {
		n, log := c.In.network(t, 1)
		assertDisplayed(t, strings.TrimSuffix(c.Out.Stdout, "\n"), log)
		got := outcome{Headers: map[string]string{}, Stdout: c.Out.Stdout}

		sent := http.Header{}
		config, err := n.AgentConfig(targetOf(c.In.entry()))
		require.NoError(t, err)
		transport := config.Fetch.Transport.(*render.Transport).Next.(*http.Transport)
		config.Fetch.Transport = roundTripper(func(r *http.Request) { sent = r.Header })
		got.OpenTimeout = int(config.Fetch.Timeout.Seconds()) // one for connecting and all
		got.ReadTimeout = got.OpenTimeout
		_, err = agent.New(config).Get(t.Context(), "http://a.example/")
		require.NoError(t, err)
		for _, name := range []string{"Accept", "Upgrade-Insecure-Requests", "Accept-Language"} {
			if value := sent.Get(name); value != "" {
				got.Headers[name] = value
			}
		}

		got.VerifyNone = insecure(transport.TLSClientConfig)
		if transport.Proxy != nil {
			u, err := transport.Proxy(&http.Request{})
			require.NoError(t, err)
			if u != nil {
				proxy := u.String()
				got.Proxy, got.UsingProxy = &proxy, true
			}
		}
		assert.Equal(t, c.Out, got)
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
	t.Parallel()
	slow := registry.Entry{Site: site.Site{Timeout: 80 * time.Second}}
	for want, c := range map[time.Duration]struct {
		env   string
		entry registry.Entry
	}{60 * time.Second: {"", registry.Entry{}}, 80 * time.Second: {"", slow}, 5 * time.Second: {"5", slow}} {
		n := egress.New(egress.Config{Settings: defaults(t, "MORPH_CLIENT_TIMEOUT="+c.env).network})
		config, err := n.AgentConfig(targetOf(c.entry))
		require.NoError(t, err)
		assert.Equal(t, want, config.Fetch.Timeout)
	}
}

// lineCase is a line of the log: what is known of its authority, and its text.
type lineCase struct {
	In struct {
		Env       variables
		Message   string
		Authority *string
		Inside    *string `json:"inside_operation"`
	}
	Out struct{ Authority, Message string }
}

func (c lineCase) test(t *testing.T) {
	d, err := db.Open(t.Context(), database(t), db.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	var out bytes.Buffer
	j := &job{family: councils, screen: screen{log: councils.newLog(&out, "json", 0)}, books: books{database: d}, network: egress.New(egress.Config{})}
	log := j.screen.log
	for _, label := range []*string{c.In.Authority, c.In.Inside} {
		if label != nil {
			log = j.newSink(registry.Entry{Site: site.Site{Label: *label}}, time.Now()).log
		}
	}
	log.Info().Msg(c.In.Message)
	var got struct{ Authority, Message string }
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	assert.Equal(t, c.Out, got)
}

func TestSuiteLogLine(t *testing.T) {
	conformance.Each(t, "log_line", "0.15.0", func(t *testing.T, c lineCase) { c.test(t) })
}

func TestSuiteLogLineBefore(t *testing.T) {
	conformance.Each(t, "log_line", "0.8.2", func(t *testing.T, c lineCase) { c.test(t) })
}
